#pragma once

// The device's memory is the host's, so a kernel of the CPU can run on it: for one call, every tensor of the
// device gets a tensor of the CPU over the same bytes, with the same strides. Aliases stay aliases: two views
// of one storage stay two views of one storage, and a result that views an argument becomes a view of that
// argument.

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <ATen/core/stack.h>

#include <unordered_map>
#include <utility>
#include <vector>

namespace sim {

class Mirrors {
 public:
  explicit Mirrors(c10::DeviceIndex device) : device_(device) {}

  at::Tensor host_of(const at::Tensor& device_tensor);
  /// Tensors, lists of tensors, the device, storages: as the CPU's. Anything else is left alone.
  c10::IValue host_of(const c10::IValue& value);

  /// A result: an argument itself, a view of one, or memory of its own, which becomes the device's.
  at::Tensor device_of(const at::Tensor& host_tensor);
  c10::IValue device_of(const c10::IValue& value);

  /// Carries what a kernel did to its arguments beyond their elements back: another size, another storage.
  void write_back();

 private:
  c10::Storage host_storage(const c10::Storage& device_storage);
  c10::Storage device_storage(const c10::Storage& host_storage);
  /// A sparse tensor on the other side, its parts standing for or being those of `from`.
  at::Tensor sparse(const at::Tensor& from, bool to_host);
  at::Tensor other_side(const at::Tensor& part, bool to_host) {
    return to_host ? host_of(part) : device_of(part);
  }

  c10::DeviceIndex device_;
  std::unordered_map<c10::StorageImpl*, c10::Storage> to_host_;
  std::unordered_map<c10::StorageImpl*, c10::Storage> to_device_;
  /// Each tensor of the device with the one that stands for it.
  std::vector<std::pair<at::Tensor, at::Tensor>> tensors_;
};

}  // namespace sim
