#pragma once

// From a dense tensor to the layout that a form or `requires` asks for.

#include <ATen/core/Tensor.h>

#include <harness/tensor/form.hpp>
#include <harness/tensor/resolve.hpp>

namespace relapse {

/// Writes the `set` entries of the form into a dense tensor that nobody else holds.
FormResult<at::Tensor> apply_set(at::Tensor dense, const InputForm& form, const FormContext& context);

/// Strides, offset, memory format and expansion: the form's, else, when `inherit`, those of `requires`.
FormResult<at::Tensor> place(const at::Tensor& dense, const InputForm& form, const FormContext& context,
                             bool inherit);

/// The strides that are asked for; nothing: row-major. What is inherited only counts where it fits the rank:
/// a failing input of another rank must be possible.
FormResult<std::optional<Extents>> wanted_strides(const at::Tensor& dense, const InputForm& form,
                                                  const FormContext& context, bool inherit);

/// A tensor over the storage of `base`, as the form's shape, strides, offset and dtype say (`storage`).
FormResult<at::Tensor> make_storage_view(const at::Tensor& base, const InputForm& form,
                                         const FormContext& context);

}  // namespace relapse
