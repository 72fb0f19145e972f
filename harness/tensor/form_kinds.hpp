#pragma once

// The makers behind make_form(): one for each source of elements, each in a file of its own. All of them
// return a dense CPU tensor of the final dtype and shape (before `expand`); layout.hpp does the rest.

#include <ATen/core/Tensor.h>

#include <harness/tensor/form.hpp>

namespace relapse {

FormResult<at::Tensor> make_values(const InputForm& form, const FormContext& context);
FormResult<at::Tensor> make_bits(const InputForm& form, const FormContext& context);
FormResult<at::Tensor> make_full(const InputForm& form, const FormContext& context);
FormResult<at::Tensor> make_fill(const InputForm& form, const FormContext& context);
FormResult<at::Tensor> make_random(const InputForm& form, const FormContext& context);
FormResult<at::Tensor> make_generated(const InputForm& form, const FormContext& context);
FormResult<at::Tensor> make_from_file(const InputForm& form, const FormContext& context);
FormResult<at::Tensor> make_sparse(const InputForm& form, const FormContext& context);

}  // namespace relapse
