#pragma once

// The device's memory: the host's, under another name.

#include <c10/core/Allocator.h>
#include <c10/core/Storage.h>

namespace sim {

/// Allocates for the current device. Fails where the device failed.
c10::Allocator* device_allocator();

/// The bytes of a storage of the CPU as the device's; they live as long as the storage.
at::DataPtr adopt(const c10::Storage& host_storage, c10::DeviceIndex device);

/// The device of this thread's next calls.
c10::DeviceIndex current_device() noexcept;
void set_current_device(c10::DeviceIndex device) noexcept;

}  // namespace sim
