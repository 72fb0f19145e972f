#include "mirror.hpp"

#include <ATen/SparseCsrTensorImpl.h>
#include <ATen/SparseTensorImpl.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/TensorImpl.h>

#include "memory.hpp"

namespace sim {

namespace {

at::Tensor strided(c10::Storage storage, c10::DispatchKey key, const at::Tensor& like) {
  at::Tensor tensor =
      at::detail::make_tensor<c10::TensorImpl>(std::move(storage), c10::DispatchKeySet(key), like.dtype());
  c10::TensorImpl* impl = tensor.unsafeGetTensorImpl();
  impl->set_sizes_and_strides(like.sizes(), like.strides(), like.storage_offset());
  if (like.is_conj()) impl->_set_conj(true);
  if (like.is_neg()) impl->_set_neg(true);
  if (like._is_zerotensor()) impl->_set_zero(true);
  if (like.unsafeGetTensorImpl()->is_wrapped_number()) impl->set_wrapped_number(true);
  return tensor;
}

bool is_compressed(at::Layout layout) {
  return layout == at::kSparseCsr || layout == at::kSparseCsc || layout == at::kSparseBsr ||
         layout == at::kSparseBsc;
}

bool is_device(const at::Tensor& tensor) {
  return tensor.defined() && tensor.device().type() == at::kPrivateUse1;
}

at::SparseTensorImpl* coo(const at::Tensor& tensor) {
  return static_cast<at::SparseTensorImpl*>(tensor.unsafeGetTensorImpl());
}

at::SparseCsrTensorImpl* compressed(const at::Tensor& tensor) {
  return static_cast<at::SparseCsrTensorImpl*>(tensor.unsafeGetTensorImpl());
}

}  // namespace

c10::Storage Mirrors::host_storage(const c10::Storage& device_storage) {
  c10::StorageImpl* key = device_storage.unsafeGetStorageImpl();
  const auto known = to_host_.find(key);
  if (known != to_host_.end()) return known->second;
  // Borrowed bytes. A kernel that needs more gets them from the CPU's allocator; write_back() sees that.
  void* bytes = on_host(device_storage.data_ptr().get());
  const c10::Storage made(c10::make_intrusive<c10::StorageImpl>(
      c10::StorageImpl::use_byte_size_t(), device_storage.nbytes(), at::DataPtr(bytes, at::kCPU),
      c10::GetCPUAllocator(), /*resizable=*/true));
  to_host_.emplace(key, made);
  to_device_.emplace(made.unsafeGetStorageImpl(), device_storage);
  return made;
}

c10::Storage Mirrors::device_storage(const c10::Storage& host_storage) {
  c10::StorageImpl* key = host_storage.unsafeGetStorageImpl();
  const auto known = to_device_.find(key);
  if (known != to_device_.end()) return known->second;
  const c10::Storage made(c10::make_intrusive<c10::StorageImpl>(
      c10::StorageImpl::use_byte_size_t(), host_storage.nbytes(), adopt(host_storage, device_),
      device_allocator(), /*resizable=*/true));
  to_device_.emplace(key, made);
  return made;
}

at::Tensor Mirrors::host_of(const at::Tensor& device_tensor) {
  if (!is_device(device_tensor)) return device_tensor;
  for (const auto& [there, here] : tensors_) {
    if (there.is_same(device_tensor)) return here;
  }
  at::Tensor host;
  if (device_tensor.layout() != at::kStrided) {
    host = sparse(device_tensor, /*to_host=*/true);
  } else {
    host = strided(host_storage(device_tensor.storage()), c10::DispatchKey::CPU, device_tensor);
  }
  tensors_.emplace_back(device_tensor, host);
  return host;
}

at::Tensor Mirrors::device_of(const at::Tensor& host_tensor) {
  if (!host_tensor.defined()) return host_tensor;
  for (const auto& [there, here] : tensors_) {
    if (here.is_same(host_tensor)) return there;
  }
  if (host_tensor.layout() != at::kStrided) return sparse(host_tensor, /*to_host=*/false);
  TORCH_CHECK_NOT_IMPLEMENTED(!host_tensor.is_quantized(), "The simulated device has no quantized tensors");
  return strided(device_storage(host_tensor.storage()), c10::DispatchKey::PrivateUse1, host_tensor);
}

at::Tensor Mirrors::sparse(const at::Tensor& from, bool to_host) {
  if (from.layout() == at::kSparse) {
    const c10::DispatchKey key = to_host ? c10::DispatchKey::SparseCPU : c10::DispatchKey::SparsePrivateUse1;
    const at::Tensor made =
        at::detail::make_tensor<at::SparseTensorImpl>(c10::DispatchKeySet(key), from.dtype());
    coo(made)->resize_(coo(from)->sparse_dim(), coo(from)->dense_dim(), from.sizes());
    coo(made)->set_indices_and_values_unsafe(other_side(coo(from)->indices(), to_host),
                                             other_side(coo(from)->values(), to_host));
    coo(made)->set_coalesced(coo(from)->coalesced());
    return made;
  }
  TORCH_CHECK_NOT_IMPLEMENTED(is_compressed(from.layout()), "The simulated device has no tensors of layout ",
                              from.layout());
  const c10::DispatchKey key =
      to_host ? c10::DispatchKey::SparseCsrCPU : c10::DispatchKey::SparseCsrPrivateUse1;
  const c10::Device device = to_host ? c10::Device(at::kCPU) : c10::Device(at::kPrivateUse1, device_);
  const at::Tensor made = at::detail::make_tensor<at::SparseCsrTensorImpl>(c10::DispatchKeySet(key), device,
                                                                           from.layout(), from.dtype());
  compressed(made)->set_member_tensors(other_side(compressed(from)->compressed_indices(), to_host),
                                       other_side(compressed(from)->plain_indices(), to_host),
                                       other_side(compressed(from)->values(), to_host), from.sizes());
  return made;
}

c10::IValue Mirrors::host_of(const c10::IValue& value) {
  if (value.isTensor()) return host_of(value.toTensor());
  if (value.isDevice())
    return value.toDevice().type() == at::kPrivateUse1 ? c10::Device(at::kCPU) : value.toDevice();
  if (value.isStorage()) {
    const c10::Storage storage = value.toStorage();
    return storage.device_type() == at::kPrivateUse1 ? host_storage(storage) : storage;
  }
  if (value.isTensorList()) {
    c10::List<at::Tensor> list;
    for (const at::Tensor& tensor : value.toTensorVector()) list.push_back(host_of(tensor));
    return list;
  }
  if (value.isOptionalTensorList()) {
    c10::List<std::optional<at::Tensor>> list;
    for (const std::optional<at::Tensor>& tensor : value.toOptionalTensorVector()) {
      list.push_back(tensor ? std::optional<at::Tensor>(host_of(*tensor)) : std::nullopt);
    }
    return list;
  }
  return value;
}

c10::IValue Mirrors::device_of(const c10::IValue& value) {
  if (value.isTensor()) return device_of(value.toTensor());
  if (value.isTensorList()) {
    c10::List<at::Tensor> list;
    for (const at::Tensor& tensor : value.toTensorVector()) list.push_back(device_of(tensor));
    return list;
  }
  return value;
}

void Mirrors::write_back() {
  for (const auto& [there, host] : to_host_) {
    const bool moved = host.data_ptr().get() != on_host(there->data_ptr().get());
    if (!moved && host.nbytes() == there->nbytes()) continue;
    if (moved) there->set_data_ptr(adopt(host, device_));
    there->set_nbytes(host.nbytes());
  }
  for (auto& [there, here] : tensors_) {
    if (here.layout() == at::kSparse) {
      coo(there)->raw_resize_(coo(here)->sparse_dim(), coo(here)->dense_dim(), here.sizes());
      coo(there)->set_indices_and_values_unsafe(device_of(coo(here)->indices()),
                                                device_of(coo(here)->values()));
      coo(there)->set_coalesced(coo(here)->coalesced());
      continue;
    }
    if (here.layout() != at::kStrided) {
      compressed(there)->set_member_tensors(device_of(compressed(here)->compressed_indices()),
                                            device_of(compressed(here)->plain_indices()),
                                            device_of(compressed(here)->values()), here.sizes());
      continue;
    }
    c10::TensorImpl* impl = there.unsafeGetTensorImpl();
    const c10::Storage storage = device_storage(here.storage());
    if (!storage.is_alias_of(there.storage())) impl->set_storage_keep_dtype(storage);
    if (here.sizes() != there.sizes() || here.strides() != there.strides() ||
        here.storage_offset() != there.storage_offset()) {
      impl->set_sizes_and_strides(here.sizes(), here.strides(), here.storage_offset());
    }
  }
}

}  // namespace sim
