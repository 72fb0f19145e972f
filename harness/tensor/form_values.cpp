#include <cstring>
#include <harness/tensor/dtype_map.hpp>
#include <harness/tensor/elements.hpp>
#include <harness/tensor/exact.hpp>
#include <harness/tensor/facts.hpp>
#include <harness/tensor/form_kinds.hpp>
#include <harness/tensor/resolve.hpp>

namespace relapse {

namespace {

using c10::ScalarType;

FormResult<std::vector<Exact>> exact_values(const Values& values, const FormContext& context) {
  std::vector<Exact> result;
  result.reserve(values.flat.size());
  for (const Scalar& scalar : values.flat) {
    FormResult<Exact> value = exact_of(scalar, context, values.pos);
    if (!value) return tl::make_unexpected(value.error());
    result.push_back(*value);
  }
  return result;
}

/// The dtype of a list that nothing else gives one: int64 or float32, as torch would; bool where all are.
ScalarType natural_dtype(const std::vector<Exact>& values, ScalarType real) {
  bool all_boolean = !values.empty();
  bool any_large = false;
  for (const Exact& value : values) {
    if (value.kind == Exact::Kind::real) return real;
    all_boolean = all_boolean && value.kind == Exact::Kind::boolean;
    any_large = any_large || value.kind == Exact::Kind::large;
  }
  if (all_boolean) return ScalarType::Bool;
  return any_large ? ScalarType::UInt64 : ScalarType::Long;
}

bool all_fit(const std::vector<Exact>& values, ScalarType dtype) {
  for (const Exact& value : values) {
    if (!why_not(value, dtype).empty()) return false;
  }
  return true;
}

FormResult<ScalarType> dtype_of(const std::vector<Exact>& values, const InputForm& form,
                                const FormContext& context) {
  const auto wanted = wanted_dtype(form, context);
  if (!wanted) return tl::make_unexpected(wanted.error());
  if (!*wanted) return natural_dtype(values, ScalarType::Float);
  // What an `equals` expects may be more than the result's dtype holds: then it differs, which the comparison
  // says; the form is not at fault.
  if (!form.dtype && context.default_dtype && !all_fit(values, **wanted))
    return natural_dtype(values, ScalarType::Double);
  return **wanted;
}

/// The shape of a nested list: its own, which an explicit `shape` must repeat. A list without elements cannot
/// say more than `[]`, so there `shape` may.
FormResult<Extents> shape_of(const Values& values, const InputForm& form, const FormContext& context) {
  const auto own = own_shape(form, context);
  if (!own) return tl::make_unexpected(own.error());
  if (!*own || **own == values.shape) return values.shape;
  const FormResult<std::int64_t> count = count_elements(**own, context, pos_of(form, context));
  if (!count) return tl::make_unexpected(count.error());
  if (values.flat.empty() && *count == 0) return **own;
  return form_error(
      context, values.pos,
      "the values have shape " + shape_text(values.shape) + ", but `shape` says " + shape_text(**own));
}

}  // namespace

FormResult<at::Tensor> make_values(const InputForm& form, const FormContext& context) {
  const FormResult<Extents> shape = shape_of(form.values, form, context);
  if (!shape) return tl::make_unexpected(shape.error());
  const FormResult<std::vector<Exact>> values = exact_values(form.values, context);
  if (!values) return tl::make_unexpected(values.error());
  const FormResult<ScalarType> dtype = dtype_of(*values, form, context);
  if (!dtype) return tl::make_unexpected(dtype.error());

  at::Tensor tensor = empty_dense(*shape, *dtype);
  std::byte* out = static_cast<std::byte*>(tensor.mutable_data_ptr());
  for (std::size_t i = 0; i < values->size(); ++i) {
    const Exact& value = (*values)[i];
    if (const std::string why = why_not(value, *dtype); !why.empty()) {
      const std::string at = index_text(form.values.shape, static_cast<std::int64_t>(i));
      return form_error(context, form.values.pos,
                        "element " + at + ": " + why + "; change the value or give the form a dtype");
    }
    const ElementBytes element = encode(value, *dtype);
    std::memcpy(out, element.bytes.data(), element.size);
    out += element.size;
  }
  return tensor;
}

FormResult<at::Tensor> make_bits(const InputForm& form, const FormContext& context) {
  const FormResult<Extents> shape = shape_of(form.values, form, context);
  if (!shape) return tl::make_unexpected(shape.error());
  const FormResult<ScalarType> dtype = dtype_or(form, context, ScalarType::Float);
  if (!dtype) return tl::make_unexpected(dtype.error());
  const std::size_t width = c10::elementSize(*dtype);
  if (width > sizeof(std::uint64_t)) {
    return form_error(context, form.values.pos,
                      "`bits` are at most 64 wide, an element of " + dtype_name(*dtype) + " has " +
                          std::to_string(8 * width));
  }
  at::Tensor tensor = empty_dense(*shape, *dtype);
  std::byte* out = static_cast<std::byte*>(tensor.mutable_data_ptr());
  for (std::size_t i = 0; i < form.values.flat.size(); ++i) {
    const FormResult<Exact> value = exact_of(form.values.flat[i], context, form.values.pos);
    if (!value) return tl::make_unexpected(value.error());
    const std::uint64_t pattern =
        value->kind == Exact::Kind::large ? value->large : static_cast<std::uint64_t>(value->integer);
    const bool fits =
        value->kind == Exact::Kind::large || (value->kind == Exact::Kind::integer && value->integer >= 0);
    if (!fits || (width < 8 && pattern >> (8 * width) != 0)) {
      const std::string at = index_text(form.values.shape, static_cast<std::int64_t>(i));
      return form_error(context, form.values.pos,
                        "element " + at + ": " + exact_text(*value) + " is not a pattern of " +
                            std::to_string(8 * width) + " bits, the width of " + dtype_name(*dtype));
    }
    // Little-endian, like every machine that LibTorch runs on: the low bytes come first.
    std::memcpy(out, &pattern, width);
    out += width;
  }
  return tensor;
}

}  // namespace relapse
