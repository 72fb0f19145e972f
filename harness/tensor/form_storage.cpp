#include <harness/tensor/elements.hpp>
#include <harness/tensor/facts.hpp>
#include <harness/tensor/layout.hpp>
#include <harness/tensor/resolve.hpp>

#include <harness/tensor/exact.hpp>

namespace relapse {

namespace {

/// One past the last byte that the view reaches; nothing when it cannot be counted.
std::optional<std::int64_t> reach(const Extents& sizes, const Extents& strides, std::int64_t offset,
                                  std::size_t itemsize) {
  std::optional<std::int64_t> last = offset;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == 0) return 0;
    const std::optional<std::int64_t> step = checked_mul(sizes[d] - 1, strides[d]);
    last = last && step ? checked_add(*last, *step) : std::nullopt;
  }
  last = last ? checked_add(*last, 1) : last;
  return last ? checked_mul(*last, static_cast<std::int64_t>(itemsize)) : last;
}

}  // namespace

FormResult<at::Tensor> make_storage_view(const at::Tensor& base, const InputForm& form,
                                         const FormContext& context) {
  const FormResult<Extents> shape = needed_shape(form, context);
  if (!shape) return tl::make_unexpected(shape.error());
  const FormResult<c10::ScalarType> dtype = dtype_or(form, context, base.scalar_type());
  if (!dtype) return tl::make_unexpected(dtype.error());
  std::int64_t offset = 0;
  if (form.offset) {
    const FormResult<std::int64_t> value = evaluate_whole(*form.offset, context, form.pos, "offset");
    if (!value) return tl::make_unexpected(value.error());
    offset = *value;
  }
  at::Tensor view = at::detail::make_tensor<c10::TensorImpl>(c10::Storage(base.storage()),
                                                             c10::DispatchKeySet(c10::DispatchKey::CPU),
                                                             c10::scalarTypeToTypeMeta(*dtype));
  view.unsafeGetTensorImpl()->set_sizes_contiguous(*shape);
  const FormResult<std::optional<Extents>> strides = wanted_strides(view, form, context, true);
  if (!strides) return tl::make_unexpected(strides.error());
  const Extents chosen = *strides ? **strides : view.strides().vec();
  for (const std::int64_t stride : chosen) {
    if (stride < 0 || offset < 0)
      return form_error(context, form.pos, "strides and offset must not be negative");
  }
  const std::optional<std::int64_t> end = reach(*shape, chosen, offset, view.itemsize());
  if (!end || static_cast<std::uint64_t>(*end) > base.storage().nbytes()) {
    return form_error(context, form.pos,
                      "shape " + shape_text(*shape) + " with strides " + shape_text(chosen) + " and offset " +
                          std::to_string(offset) + " reaches beyond the storage of `" + form.storage +
                          "`, which has " + std::to_string(base.storage().nbytes()) + " bytes");
  }
  view.unsafeGetTensorImpl()->set_sizes_and_strides(*shape, chosen, offset);
  const FormResult<at::Tensor> written = apply_set(view, form, context);
  if (!written) return written;
  return with_gradient(*written, form, context);
}

}  // namespace relapse
