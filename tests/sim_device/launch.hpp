#pragma once

// A launch: the CPU's kernel of an operator runs on the device's memory, between what a device does before it
// and after it.

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

namespace sim {

/// The boxed kernel of every operator that has none of its own on the device.
void launch(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack);

/// Takes arguments of the host from the stack and leaves results of the host on it.
using HostKernel = void (*)(torch::jit::Stack* stack);

/// The same for an operator whose kernel is not the CPU's of the same name.
void launch_with(const c10::OperatorHandle& op, HostKernel kernel, torch::jit::Stack* stack);

}  // namespace sim
