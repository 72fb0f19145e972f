// The operators that a device cannot take from the CPU: making tensors, copies, reading a number. Every other
// one goes through launch().

#include <ATen/EmptyTensor.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/Tensor.h>
#include <c10/core/GradMode.h>
#include <torch/library.h>

#include "context.hpp"
#include "launch.hpp"
#include "memory.hpp"
#include "mirror.hpp"

namespace sim {

namespace {

const c10::DispatchKeySet kKeys{c10::DispatchKey::PrivateUse1};

/// The device that an argument names is the current one while it lives.
class On {
 public:
  explicit On(std::optional<c10::Device> device) : old_(current_device()) {
    if (device && device->has_index()) set_current_device(device->index());
  }
  ~On() { set_current_device(old_); }
  On(const On&) = delete;
  On& operator=(const On&) = delete;

 private:
  c10::DeviceIndex old_;
};

void refuse_pinned(std::optional<bool> pin) {
  TORCH_CHECK(!pin.value_or(false), "Only dense CPU tensors can be pinned");
}

at::Tensor empty(at::IntArrayRef sizes, std::optional<at::ScalarType> dtype,
                 std::optional<at::Layout> /*layout*/, std::optional<at::Device> device,
                 std::optional<bool> pin, std::optional<at::MemoryFormat> format) {
  refuse_pinned(pin);
  const On on(device);
  return at::detail::empty_generic(sizes, device_allocator(), kKeys, c10::dtype_or_default(dtype), format);
}

at::Tensor empty_strided(at::IntArrayRef sizes, at::IntArrayRef strides, std::optional<at::ScalarType> dtype,
                         std::optional<at::Layout> /*layout*/, std::optional<at::Device> device,
                         std::optional<bool> pin) {
  refuse_pinned(pin);
  const On on(device);
  return at::detail::empty_strided_generic(sizes, strides, device_allocator(), kKeys,
                                           c10::dtype_or_default(dtype));
}

bool on_host(const at::Tensor& tensor) {
  return tensor.device().is_cpu();
}

at::Tensor copy_from(const at::Tensor& from, const at::Tensor& to, bool non_blocking) {
  const c10::NoGradGuard no_grad;
  const at::AutoDispatchBelowADInplaceOrView below_autograd;
  const c10::DeviceIndex index = (on_host(from) ? to : from).device().index();
  Context& context = Context::of_process();
  context.enter(index);
  const bool between = !on_host(from) && !on_host(to);
  // Between the host and the device nothing is launched: the copy waits for what was.
  if (!between && !non_blocking) context.wait(index);
  Mirrors source(from.device().index());
  Mirrors target(to.device().index());
  if (!context.dead(index)) target.host_of(to).copy_(source.host_of(from));
  if (between) context.launched(index);
  return to;
}

at::Tensor copy_from_and_resize(const at::Tensor& from, const at::Tensor& to) {
  to.resize_(from.sizes());
  return copy_from(from, to, /*non_blocking=*/false);
}

at::Scalar local_scalar(const at::Tensor& tensor) {
  const at::AutoDispatchBelowADInplaceOrView below_autograd;
  const c10::DeviceIndex index = tensor.device().index();
  Context::of_process().enter(index);
  Context::of_process().wait(index);
  Mirrors mirrors(index);
  return mirrors.host_of(tensor).item();
}

void take_from(c10::DispatchKey host, c10::DispatchKey device, torch::Library& library) {
  for (const c10::OperatorName& name : c10::Dispatcher::singleton().getAllOpNames()) {
    const auto op = c10::Dispatcher::singleton().findSchema(name);
    if (!op || name.getNamespace() != "aten" || op->hasKernelForDispatchKey(device)) continue;
    if (!op->hasKernelForDispatchKey(host)) continue;
    if (!op->hasKernelForDispatchKey(c10::DispatchKey::CompositeExplicitAutograd) &&
        !op->hasKernelForDispatchKey(c10::DispatchKey::CompositeImplicitAutograd)) {
      continue;
    }
    library.impl(c10::toString(name).c_str(), torch::CppFunction::makeFromBoxedFunction<&launch>());
  }
}

}  // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("empty.memory_format", TORCH_FN(empty));
  m.impl("empty_strided", TORCH_FN(empty_strided));
  m.impl("_copy_from", TORCH_FN(copy_from));
  m.impl("_copy_from_and_resize", TORCH_FN(copy_from_and_resize));
  m.impl("_local_scalar_dense", TORCH_FN(local_scalar));
}

// A tensor of the host carries these bits through its mirror; materialising it first would copy it by
// _copy_from again.
TORCH_LIBRARY_IMPL(aten, Conjugate, m) {
  m.impl("_copy_from", torch::CppFunction::makeFallthrough());
}
TORCH_LIBRARY_IMPL(aten, Negative, m) {
  m.impl("_copy_from", torch::CppFunction::makeFallthrough());
}

TORCH_LIBRARY_IMPL(_, PrivateUse1, m) {
  m.fallback(torch::CppFunction::makeFromBoxedFunction<&launch>());
}
TORCH_LIBRARY_IMPL(_, SparsePrivateUse1, m) {
  m.fallback(torch::CppFunction::makeFromBoxedFunction<&launch>());
}
TORCH_LIBRARY_IMPL(_, SparseCsrPrivateUse1, m) {
  m.fallback(torch::CppFunction::makeFromBoxedFunction<&launch>());
}
// Where an operator has a kernel for any backend and another of the CPU's, CUDA has one of its own as well,
// and the device takes the CPU's: native_layer_norm, is_coalesced of a sparse tensor.
TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  take_from(c10::DispatchKey::CPU, c10::DispatchKey::PrivateUse1, m);
}
TORCH_LIBRARY_IMPL(aten, SparsePrivateUse1, m) {
  take_from(c10::DispatchKey::SparseCPU, c10::DispatchKey::SparsePrivateUse1, m);
}
TORCH_LIBRARY_IMPL(aten, SparseCsrPrivateUse1, m) {
  take_from(c10::DispatchKey::SparseCsrCPU, c10::DispatchKey::SparseCsrPrivateUse1, m);
}

}  // namespace sim
