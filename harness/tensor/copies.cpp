#include <ATen/ops/empty.h>
#include <c10/core/GradMode.h>

#include <cstring>
#include <harness/tensor/convert.hpp>
#include <harness/tensor/elements.hpp>
#include <harness/tensor/inputs.hpp>

namespace relapse {

namespace {

bool is_strided(const at::Tensor& tensor) {
  return tensor.layout() == c10::Layout::Strided;
}

/// A tensor over the storage of `bytes`, with the dtype, shape, strides, offset and conjugate bits of `like`.
at::Tensor over_bytes(const at::Tensor& bytes, const at::Tensor& like) {
  at::Tensor result =
      at::detail::make_tensor<c10::TensorImpl>(c10::Storage(bytes.storage()), bytes.key_set(), like.dtype());
  result.unsafeGetTensorImpl()->set_sizes_and_strides(like.sizes(), like.strides(), like.storage_offset());
  if (like.is_conj()) result._set_conj(true);
  if (like.is_neg()) result._set_neg(true);
  return result;
}

/// One fresh storage for each that the inputs use, so that tensors which share one still do.
class StorageCopies {
 public:
  at::Tensor copy(const at::Tensor& tensor, c10::Device device) {
    if (!tensor.defined()) return tensor;
    at::Tensor result;
    if (is_strided(tensor)) {
      result = over_bytes(bytes_for(tensor, device), tensor);
    } else {
      const c10::NoGradGuard no_grad;
      result = tensor.detach().clone().to(device);
    }
    if (tensor.requires_grad()) result.set_requires_grad(true);
    return result;
  }

 private:
  struct Entry {
    const c10::StorageImpl* original;
    c10::Device device;
    at::Tensor bytes;
  };

  const at::Tensor& bytes_for(const at::Tensor& tensor, c10::Device device) {
    const c10::StorageImpl* original = tensor.storage().unsafeGetStorageImpl();
    for (const Entry& entry : entries_) {
      if (entry.original == original && entry.device == device) return entry.bytes;
    }
    entries_.push_back({original, device, copied_bytes(tensor, device)});
    return entries_.back().bytes;
  }

  static at::Tensor copied_bytes(const at::Tensor& tensor, c10::Device device) {
    const std::int64_t size = static_cast<std::int64_t>(tensor.storage().nbytes());
    at::Tensor host = empty_dense({size}, c10::ScalarType::Byte);
    if (size > 0 && tensor.device().is_cpu())
      std::memcpy(host.mutable_data_ptr(), tensor.storage().data(), tensor.storage().nbytes());
    if (device.is_cpu()) return host;
    const c10::NoGradGuard no_grad;
    at::Tensor there = at::empty({size}, host.options().device(device));
    return there.copy_(host);
  }

  std::vector<Entry> entries_;
};

/// The storage of a tensor as one row of bytes.
at::Tensor bytes_of(const at::Tensor& tensor) {
  at::Tensor bytes = at::detail::make_tensor<c10::TensorImpl>(
      c10::Storage(tensor.storage()), tensor.key_set(), caffe2::TypeMeta::Make<std::uint8_t>());
  bytes.unsafeGetTensorImpl()->set_sizes_contiguous({static_cast<std::int64_t>(tensor.storage().nbytes())});
  return bytes;
}

template <class Change>
c10::IValue with_tensors(const c10::IValue& value, Change&& change) {
  if (value.isTensor()) return change(value.toTensor());
  if (!value.isTensorList()) return value;
  c10::List<at::Tensor> changed;
  for (const at::Tensor& tensor : value.toTensorVector()) changed.push_back(change(tensor));
  return changed;
}

}  // namespace

const Input* Inputs::find(std::string_view name) const {
  for (const Input& input : all) {
    if (input.name == name) return &input;
  }
  return nullptr;
}

Bound Inputs::bound() const {
  Bound bound;
  for (const Input& input : all) bound.emplace(input.name, input.value);
  return bound;
}

Inputs copy_inputs(const Inputs& inputs, c10::Device device) {
  Inputs copies;
  copies.symbols = inputs.symbols;
  copies.all.reserve(inputs.all.size());
  StorageCopies storages;
  for (const Input& input : inputs.all) {
    const c10::Device place = input.on_host ? c10::Device(c10::kCPU) : device;
    c10::IValue value =
        with_tensors(input.value, [&](const at::Tensor& tensor) { return storages.copy(tensor, place); });
    copies.all.push_back({input.name, std::move(value), input.on_host, input.pos, input.gaps});
  }
  return copies;
}

at::Tensor host_tensor(const at::Tensor& tensor) {
  if (!tensor.defined() || tensor.device().is_cpu()) return tensor;
  const c10::NoGradGuard no_grad;
  at::Tensor result;
  if (is_strided(tensor)) {
    const at::Tensor plain = tensor.detach();
    at::Tensor bytes =
        empty_dense({static_cast<std::int64_t>(plain.storage().nbytes())}, c10::ScalarType::Byte);
    if (bytes.numel() > 0) bytes.copy_(bytes_of(plain));
    result = over_bytes(bytes, tensor);
  } else {
    result = tensor.detach().cpu();
  }
  if (tensor.requires_grad()) result.set_requires_grad(true);
  return result;
}

at::Tensor dense_tensor(const at::Tensor& tensor, bool widen) {
  if (!tensor.defined()) return tensor;
  at::Tensor host = tensor;
  if (!host.device().is_cpu() || !is_strided(host) || host.is_conj() || host.is_neg()) {
    const c10::NoGradGuard no_grad;
    if (!host.device().is_cpu()) host = host.detach().cpu();
    if (!is_strided(host)) host = host.to_dense();
    host = host.resolve_conj().resolve_neg();
  }
  return dense_copy(host, widen ? widened(host.scalar_type()) : host.scalar_type());
}

Inputs dense_inputs(const Inputs& inputs, bool widen) {
  Inputs copies;
  copies.symbols = inputs.symbols;
  copies.all.reserve(inputs.all.size());
  for (const Input& input : inputs.all) {
    c10::IValue value = with_tensors(input.value, [&](const at::Tensor& tensor) {
      at::Tensor dense = dense_tensor(tensor, widen);
      if (tensor.requires_grad()) dense.set_requires_grad(true);
      return dense;
    });
    copies.all.push_back({input.name, std::move(value), input.on_host, input.pos, {}});
  }
  return copies;
}

}  // namespace relapse
