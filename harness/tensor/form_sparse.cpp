#include <harness/tensor/exact.hpp>
#include <harness/tensor/form_kinds.hpp>

namespace relapse {

FormResult<at::Tensor> make_sparse(const InputForm& form, const FormContext& context) {
  return form_error(context, form.pos,
                    "inputs with `layout: " + form.layout +
                        "` are not made by this version; make the tensor in the first step of the subject");
}

}  // namespace relapse
