#include <ATen/EmptyTensor.h>

#include <harness/tensor/convert.hpp>
#include <harness/tensor/elements.hpp>
#include <harness/tensor/exact.hpp>
#include <harness/tensor/form.hpp>
#include <harness/tensor/form_kinds.hpp>
#include <harness/tensor/layout.hpp>
#include <harness/tensor/resolve.hpp>

namespace relapse {

namespace {

FormResult<c10::IValue> make_number(const InputForm& form, const FormContext& context) {
  if (form.expr->kind == ExprKind::none) return c10::IValue();
  if (context.default_dtype) {
    // In `equals` a lone number is a 0-d tensor.
    InputForm lone = form;
    lone.values.flat = {Scalar(form.expr)};
    lone.values.pos = form.pos;
    FormResult<at::Tensor> tensor = make_values(lone, context);
    if (!tensor) return tl::make_unexpected(tensor.error());
    return c10::IValue(*tensor);
  }
  const FormResult<Exact> value = exact_of(*form.expr, context, form.pos);
  if (!value) return tl::make_unexpected(value.error());
  switch (value->kind) {
    case Exact::Kind::boolean:
      return c10::IValue(value->integer != 0);
    case Exact::Kind::integer:
      return c10::IValue(value->integer);
    default:
      return c10::IValue(value->as_double());
  }
}

FormResult<c10::IValue> make_list(const InputForm& form, const FormContext& context) {
  c10::List<at::Tensor> tensors;
  for (std::size_t i = 0; i < form.list.size(); ++i) {
    FormContext item = context;
    item.name = context.name + "." + std::to_string(i);
    const FormResult<c10::IValue> made = make_form(form.list[i], item);
    if (!made) return made;
    if (!made->isTensor()) {
      return form_error(item, form.list[i].pos, "an element of a `list` must be a tensor");
    }
    tensors.push_back(made->toTensor());
  }
  return c10::IValue(std::move(tensors));
}

using Maker = FormResult<at::Tensor> (*)(const InputForm&, const FormContext&);

/// The makers of dense tensors; null: not a dense tensor, or one that needs other inputs.
Maker maker_of(InputSource source) {
  switch (source) {
    case InputSource::generated:
      return make_generated;
    case InputSource::values:
      return make_values;
    case InputSource::bits:
      return make_bits;
    case InputSource::full:
      return make_full;
    case InputSource::fill:
      return make_fill;
    case InputSource::random:
      return make_random;
    case InputSource::file:
      return make_from_file;
    default:
      return nullptr;
  }
}

/// `set`, layout and gradient; the dense tensor is this form's own.
FormResult<at::Tensor> finish(const at::Tensor& dense, const InputForm& form, const FormContext& context,
                              bool inherit) {
  const FormResult<at::Tensor> written = apply_set(dense, form, context);
  if (!written) return written;
  const FormResult<at::Tensor> placed = place(*written, form, context, inherit);
  if (!placed) return placed;
  return with_gradient(*placed, form, context);
}

}  // namespace

at::Tensor empty_dense(c10::IntArrayRef shape, c10::ScalarType dtype) {
  return at::Tensor(at::detail::empty_cpu(shape, dtype));
}

FormResult<c10::IValue> make_form(const InputForm& form, const FormContext& context) {
  FormResult<at::Tensor> tensor;
  switch (form.source) {
    case InputSource::number:
      return make_number(form, context);
    case InputSource::text:
      return c10::IValue(form.text);
    case InputSource::list:
      return make_list(form, context);
    case InputSource::sparse:
      tensor = make_sparse(form, context);
      if (tensor) tensor = with_gradient(*tensor, form, context);
      break;
    case InputSource::computed:
    case InputSource::storage:
      return form_error(context, form.pos, "this form needs other inputs, which are not at hand here");
    default:
      tensor = maker_of(form.source)(form, context);
      if (tensor) tensor = finish(*tensor, form, context, true);
  }
  if (!tensor) return tl::make_unexpected(tensor.error());
  return c10::IValue(*tensor);
}

FormResult<at::Tensor> apply_layout(const at::Tensor& dense, const InputForm& form,
                                    const FormContext& context) {
  const bool touched = !form.set.empty() || form.strides || form.offset || form.memory_format || form.expand;
  // What writes or moves elements expects them row-major; a computed tensor keeps its own layout otherwise.
  const bool copy = touched && !dense.is_contiguous();
  return finish(copy ? dense_copy(dense, dense.scalar_type()) : dense, form, context, false);
}

}  // namespace relapse
