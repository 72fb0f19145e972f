#pragma once

// What the device does around a kernel depends on the operator and its arguments alone.

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>
#include <c10/util/ArrayRef.h>

#include <string>

namespace sim {

/// `index_select` of `aten::index_select.out`.
std::string base_name(const c10::OperatorHandle& op);

/// These change how memory is seen, or which it is, and start no kernel.
bool starts_no_kernel(const c10::OperatorHandle& op);

/// The size of the result, or a result of the host, depends on what the kernel finds: CUDA waits for it.
bool waits_for_kernel(const c10::OperatorHandle& op);

/// The one device of the arguments; the current one where no argument is a tensor of the device. Refuses
/// arguments of two devices as CUDA's kernels do.
c10::DeviceIndex common_device(const std::string& name, c10::ArrayRef<c10::IValue> arguments);

}  // namespace sim
