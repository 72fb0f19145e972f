#include "launch_rules.hpp"

#include <ATen/core/Tensor.h>
#include <ATen/core/enum_tag.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "memory.hpp"
#include "values.hpp"

namespace sim {

namespace {

template <std::size_t N>
bool one_of(const std::string& name, const std::array<std::string_view, N>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// CUDA's kernels take numbers from the host, and these operators more: lengths, or indices, which are
/// copied.
bool may_be_on_host(const std::string& name, const at::Tensor& tensor) {
  static constexpr std::array<std::string_view, 8> kNames = {"index",
                                                             "index_put",
                                                             "index_put_",
                                                             "_index_put_impl_",
                                                             "_pack_padded_sequence",
                                                             "_ctc_loss",
                                                             "_ctc_loss_backward",
                                                             "copy_sparse_to_sparse_"};
  return tensor.dim() == 0 || one_of(name, kNames);
}

}  // namespace

std::string base_name(const c10::OperatorHandle& op) {
  const std::string& name = op.operator_name().name;
  const std::size_t colons = name.find("::");
  return colons == std::string::npos ? name : name.substr(colons + 2);
}

bool starts_no_kernel(const c10::OperatorHandle& op) {
  static constexpr std::array<std::string_view, 4> kNames = {"resize_", "set_", "is_set_to",
                                                             "sparse_resize_"};
  if (one_of(base_name(op), kNames)) return true;
  const auto& returns = op.schema().returns();
  return !returns.empty() && std::all_of(returns.begin(), returns.end(), [](const c10::Argument& result) {
    return result.alias_info() != nullptr && !result.alias_info()->isWrite();
  });
}

bool waits_for_kernel(const c10::OperatorHandle& op) {
  if (op.hasTag(at::Tag::dynamic_output_shape) || op.hasTag(at::Tag::data_dependent_output)) return true;
  if (base_name(op) == "copy_sparse_to_sparse_") return true;
  const auto& returns = op.schema().returns();
  return std::any_of(returns.begin(), returns.end(), [](const c10::Argument& result) {
    const auto kind = result.type()->kind();
    return kind != c10::TypeKind::TensorType && kind != c10::TypeKind::ListType;
  });
}

c10::DeviceIndex common_device(const std::string& name, c10::ArrayRef<c10::IValue> arguments) {
  std::optional<c10::DeviceIndex> device;
  for_each_tensor(arguments, [&](const at::Tensor& tensor) {
    if (!tensor.defined() || tensor.device().type() != at::kPrivateUse1) return;
    TORCH_CHECK(!device || *device == tensor.device().index(),
                "Expected all tensors to be on the same device, but found at least two devices, sim:",
                static_cast<int>(*device), " and ", tensor.device(), "! (in ", name, ")");
    device = tensor.device().index();
  });
  if (!device) return current_device();
  for_each_tensor(arguments, [&](const at::Tensor& tensor) {
    TORCH_CHECK(
        !tensor.defined() || tensor.device().type() == at::kPrivateUse1 || may_be_on_host(name, tensor),
        "Expected all tensors to be on the same device, but found at least two devices, sim:",
        static_cast<int>(*device), " and ", tensor.device(), "! (in ", name, ")");
  });
  return *device;
}

}  // namespace sim
