#include "values.hpp"

#include <ATen/ops/full_like.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/zeros_like.h>

#include <optional>

namespace sim {

using Stack = torch::jit::Stack;

namespace {

/// The first element of the first result that has one; undefined where none has.
at::Tensor first_result(const Stack& results) {
  at::Tensor found;
  for_each_tensor(results, [&](const at::Tensor& tensor) {
    if (!found.defined() && tensor.defined() && tensor.layout() == at::kStrided && tensor.numel() > 0)
      found = tensor;
  });
  return found;
}

at::Tensor element(at::Tensor tensor, bool last) {
  while (tensor.dim() > 0) tensor = tensor.select(0, last ? tensor.size(0) - 1 : 0);
  return tensor;
}

}  // namespace

Stack harmless(const Stack& arguments) {
  const auto blank = [](const at::Tensor& tensor) {
    if (!tensor.defined() || tensor.layout() != at::kStrided) return tensor;
    if (c10::isIntegralType(tensor.scalar_type(), /*includeBool=*/false)) return at::zeros_like(tensor);
    if (tensor.is_floating_point()) return at::full_like(tensor, 0.5);
    return at::ones_like(tensor);
  };
  Stack result;
  for (const c10::IValue& value : arguments) {
    if (value.isTensor()) {
      result.emplace_back(blank(value.toTensor()));
    } else if (value.isTensorList()) {
      c10::List<at::Tensor> list;
      for (const at::Tensor& tensor : value.toTensorVector()) list.push_back(blank(tensor));
      result.emplace_back(list);
    } else if (value.isOptionalTensorList()) {
      c10::List<std::optional<at::Tensor>> list;
      for (const std::optional<at::Tensor>& tensor : value.toOptionalTensorVector()) {
        list.push_back(tensor ? std::optional<at::Tensor>(blank(*tensor)) : std::nullopt);
      }
      result.emplace_back(list);
    } else {
      result.push_back(value);
    }
  }
  return result;
}

void change_element(const Stack& host_results, FaultKind kind) {
  const at::Tensor result = first_result(host_results);
  if (!result.defined()) return;
  const at::Tensor one = element(result, kind == FaultKind::order);
  if (result.scalar_type() == at::kBool) {
    one.logical_not_();
  } else if (kind == FaultKind::order && one.item().toComplexDouble() != c10::complex<double>(0)) {
    one.zero_();
  } else {
    one.add_(1);
  }
}

}  // namespace sim
