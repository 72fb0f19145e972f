#include <cmath>
#include <cstring>
#include <harness/stored/npy.hpp>
#include <harness/stored/safetensors.hpp>
#include <harness/support/file.hpp>
#include <harness/support/text.hpp>
#include <harness/tensor/convert.hpp>
#include <harness/tensor/dtype_map.hpp>
#include <harness/tensor/elements.hpp>
#include <harness/tensor/exact.hpp>
#include <harness/tensor/facts.hpp>
#include <harness/tensor/form_kinds.hpp>
#include <harness/tensor/resolve.hpp>

namespace relapse {

namespace {

using Read = FormResult<at::Tensor>;

bool ends_with(const std::string& text, std::string_view end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// A tensor over bytes that nothing has aligned, so they are copied.
at::Tensor copied(std::string_view bytes, const Extents& shape, c10::ScalarType dtype) {
  at::Tensor tensor = empty_dense(shape, dtype);
  if (!bytes.empty()) std::memcpy(tensor.mutable_data_ptr(), bytes.data(), bytes.size());
  // A bool is one byte; any but 0 and 1 would be undefined behaviour in whoever reads it.
  if (dtype == c10::ScalarType::Bool) {
    std::uint8_t* out = static_cast<std::uint8_t*>(tensor.mutable_data_ptr());
    for (std::size_t i = 0; i < bytes.size(); ++i) out[i] = out[i] != 0;
  }
  return tensor;
}

Read from_safetensors(std::string_view file, const InputForm& form, const FormContext& context) {
  const auto tensors = read_safetensors(file);
  if (!tensors) return form_error(context, form.pos, relapse::quoted(form.file) + ": " + tensors.error());
  std::vector<std::string> names;
  for (const StoredTensor& stored : *tensors) names.push_back(stored.name);
  const StoredTensor* chosen = nullptr;
  if (form.tensor.empty()) {
    if (tensors->size() != 1) {
      return form_error(context, form.pos,
                        relapse::quoted(form.file) + " holds " + std::to_string(tensors->size()) +
                            " tensors; say which with `tensor`" +
                            (names.empty() ? std::string() : ": " + join_or(names)));
    }
    chosen = &tensors->front();
  } else {
    for (const StoredTensor& stored : *tensors) {
      if (stored.name == form.tensor) chosen = &stored;
    }
  }
  if (!chosen) {
    return form_error(context, form.pos,
                      relapse::quoted(form.file) + " holds no tensor " + relapse::quoted(form.tensor) +
                          did_you_mean(form.tensor, names));
  }
  if (!chosen->dtype) {
    return form_error(context, form.pos,
                      relapse::quoted(form.file) + ": " + relapse::quoted(chosen->name) + " has dtype " +
                          chosen->dtype_text + ", which no tensor here can have");
  }
  return copied(chosen->bytes, chosen->shape, to_scalar_type(*chosen->dtype));
}

Read from_npy(std::string_view file, const InputForm& form, const FormContext& context) {
  const auto array = read_npy(file);
  if (!array) return form_error(context, form.pos, relapse::quoted(form.file) + ": " + array.error());
  if (!form.tensor.empty())
    return form_error(context, form.pos, "a .npy file holds one array without a name; leave `tensor` out");
  const c10::ScalarType dtype = to_scalar_type(array->dtype);
  if (!array->fortran_order) return copied(array->bytes, array->shape, dtype);
  // Column-major: the same bytes are the row-major array of the reversed shape.
  const at::Tensor reversed =
      copied(array->bytes, Extents(array->shape.rbegin(), array->shape.rend()), dtype);
  const Extents strides(reversed.strides().rbegin(), reversed.strides().rend());
  reversed.unsafeGetTensorImpl()->set_sizes_and_strides(array->shape, strides);
  return dense_copy(reversed, reversed.scalar_type());
}

/// To the dtype that the form or `requires` says, value by value: a number that the dtype cannot hold is an
/// error, as it is in a list of values.
Read converted(const at::Tensor& stored, const InputForm& form, const FormContext& context) {
  const auto wanted = wanted_dtype(form, context);
  if (!wanted) return tl::make_unexpected(wanted.error());
  if (!*wanted || **wanted == stored.scalar_type()) return stored;
  const Conversion conversion = convert_dense(stored, **wanted);
  if (conversion.refused < 0) return conversion.tensor;
  const std::string element =
      index_text(stored.sizes().vec(), conversion.refused) + " = " + element_text(stored, conversion.refused);
  return form_error(context, form.pos,
                    relapse::quoted(form.file) + " holds " + dtype_name(stored.scalar_type()) + "; element " +
                        element + " does not fit " + dtype_name(**wanted) + "; give the form a dtype");
}

}  // namespace

Read make_from_file(const InputForm& form, const FormContext& context) {
  const std::string path =
      context.folder.empty() || form.file.front() == '/' ? form.file : context.folder + "/" + form.file;
  const Result<std::string> bytes = read_file(path);
  if (!bytes) return form_error(context, form.pos, bytes.error().message);
  if (!form.sha256.empty()) {
    const std::string seen = sha256_hex(*bytes);
    if (seen != form.sha256) {
      return form_error(context, form.pos,
                        relapse::quoted(form.file) + " is not the file of this case: its sha256 is " + seen +
                            ", expected " + form.sha256);
    }
  }
  Read stored = ends_with(form.file, ".safetensors") ? from_safetensors(*bytes, form, context)
                : ends_with(form.file, ".npy")       ? from_npy(*bytes, form, context)
                                                     : form_error(context, form.pos,
                                                                  relapse::quoted(form.file) +
                                                                      " is neither .safetensors nor .npy; save the "
                                                                            "tensor as one of these");
  if (!stored) return stored;
  const auto shape = own_shape(form, context);
  if (!shape) return tl::make_unexpected(shape.error());
  if (*shape && **shape != stored->sizes()) {
    return form_error(context, form.pos,
                      relapse::quoted(form.file) + " holds shape " + shape_text(stored->sizes().vec()) +
                          ", but `shape` says " + shape_text(**shape));
  }
  return converted(*stored, form, context);
}

}  // namespace relapse
