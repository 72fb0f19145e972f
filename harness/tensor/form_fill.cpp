#include <cstring>
#include <harness/tensor/elements.hpp>
#include <harness/tensor/exact.hpp>
#include <harness/tensor/facts.hpp>
#include <harness/tensor/form_kinds.hpp>
#include <harness/tensor/resolve.hpp>

namespace relapse {

namespace {

using c10::ScalarType;

/// Repeats one element over the whole tensor, doubling what is there.
void repeat(at::Tensor& tensor, const ElementBytes& element) {
  const std::size_t total = static_cast<std::size_t>(tensor.numel()) * element.size;
  if (total == 0) return;
  std::byte* out = static_cast<std::byte*>(tensor.mutable_data_ptr());
  std::memcpy(out, element.bytes.data(), element.size);
  for (std::size_t done = element.size; done < total; done *= 2)
    std::memcpy(out + done, out, std::min(done, total - done));
}

FormResult<at::Tensor> make_repeated(const Exact& value, const InputForm& form, const FormContext& context,
                                     ScalarType fallback, ScalarType wide) {
  const FormResult<Extents> shape = needed_shape(form, context);
  if (!shape) return tl::make_unexpected(shape.error());
  const FormResult<ScalarType> dtype = dtype_or(form, context, fallback);
  if (!dtype) return tl::make_unexpected(dtype.error());
  ScalarType type = *dtype;
  if (const std::string why = why_not(value, type); !why.empty()) {
    // See form_values.cpp: an `equals` may expect more than the result's dtype holds.
    if (form.dtype || !context.default_dtype) return form_error(context, pos_of(form, context), why);
    type = wide;
  }
  at::Tensor tensor = empty_dense(*shape, type);
  repeat(tensor, encode(value, type));
  return tensor;
}

FormResult<at::Tensor> make_arange(const InputForm& form, const FormContext& context) {
  const FormResult<Extents> shape = needed_shape(form, context);
  if (!shape) return tl::make_unexpected(shape.error());
  const FormResult<ScalarType> dtype = dtype_or(form, context, ScalarType::Long);
  if (!dtype) return tl::make_unexpected(dtype.error());
  at::Tensor tensor = empty_dense(*shape, *dtype);
  const std::int64_t count = tensor.numel();
  Exact last;
  last.integer = count - 1;
  if (const std::string why = why_not(last, *dtype); count > 0 && !why.empty())
    return form_error(context, pos_of(form, context), "`arange` counts to " + why);
  visit_dtype(*dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* out = elements_of<T>(tensor);
    for (std::int64_t i = 0; i < count; ++i) {
      if constexpr (kIsWhole<T>) {
        out[i] = static_cast<T>(i);
      } else {
        out[i] = rounded<T>(static_cast<double>(i));
      }
    }
  });
  return tensor;
}

FormResult<at::Tensor> make_eye(const InputForm& form, const FormContext& context) {
  Exact zero, one;
  one.integer = 1;
  FormResult<at::Tensor> made = make_repeated(zero, form, context, ScalarType::Float, ScalarType::Float);
  if (!made) return made;
  if (made->dim() != 2) {
    return form_error(context, pos_of(form, context),
                      "`eye` needs two dimensions, its shape is " + shape_text(made->sizes().vec()));
  }
  const ElementBytes element = encode(one, made->scalar_type());
  std::byte* out = static_cast<std::byte*>(made->mutable_data_ptr());
  const std::int64_t rows = made->size(0), columns = made->size(1);
  for (std::int64_t i = 0; i < std::min(rows, columns); ++i)
    std::memcpy(out + static_cast<std::size_t>(i * columns + i) * element.size, element.bytes.data(),
                element.size);
  return made;
}

}  // namespace

FormResult<at::Tensor> make_full(const InputForm& form, const FormContext& context) {
  const FormResult<Exact> value = exact_of(*form.full, context, pos_of(form, context));
  if (!value) return tl::make_unexpected(value.error());
  switch (value->kind) {
    case Exact::Kind::real:
      return make_repeated(*value, form, context, ScalarType::Float, ScalarType::Double);
    case Exact::Kind::boolean:
      return make_repeated(*value, form, context, ScalarType::Bool, ScalarType::Bool);
    case Exact::Kind::large:
      return make_repeated(*value, form, context, ScalarType::UInt64, ScalarType::UInt64);
    case Exact::Kind::integer:
      break;
  }
  return make_repeated(*value, form, context, ScalarType::Long, ScalarType::Long);
}

FormResult<at::Tensor> make_fill(const InputForm& form, const FormContext& context) {
  Exact value;
  switch (form.fill) {
    case Fill::arange:
      return make_arange(form, context);
    case Fill::eye:
      return make_eye(form, context);
    case Fill::ones:
      value.integer = 1;
      break;
    case Fill::zeros:
      break;
  }
  return make_repeated(value, form, context, ScalarType::Float, ScalarType::Float);
}

}  // namespace relapse
