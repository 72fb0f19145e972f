#pragma once

// What the device does with values, in tensors of the host.

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <ATen/core/stack.h>
#include <c10/util/ArrayRef.h>

#include "environment.hpp"

namespace sim {

template <typename F>
void for_each_tensor(c10::ArrayRef<c10::IValue> values, const F& f) {
  for (const c10::IValue& value : values) {
    if (value.isTensor()) {
      f(value.toTensor());
    } else if (value.isTensorList()) {
      for (const at::Tensor& tensor : value.toTensorVector()) f(tensor);
    } else if (value.isOptionalTensorList()) {
      for (const std::optional<at::Tensor>& tensor : value.toOptionalTensorVector()) {
        if (tensor) f(*tensor);
      }
    }
  }
}

/// Arguments of the same shapes whose values every kernel takes: what stands behind a failed kernel has no
/// values, but sizes.
torch::jit::Stack harmless(const torch::jit::Stack& arguments);

/// Spoils one element of the first result that has any: `wrong_element` or `order`.
void change_element(const torch::jit::Stack& host_results, FaultKind kind);

}  // namespace sim
