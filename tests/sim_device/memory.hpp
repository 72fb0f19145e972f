#pragma once

// The device's memory: the host's, at addresses that mean nothing to the host. A program that reads what lies
// on the device without asking the device for it ends, as it does with a GPU.

#include <c10/core/Allocator.h>
#include <c10/core/Storage.h>

namespace sim {

/// Allocates for the current device. Fails where the device failed, and where its memory is full.
c10::Allocator* device_allocator();

/// An address on the device as the host's, for a kernel that runs here. Null stays null.
void* on_host(void* device_address);

/// The bytes of a storage of the CPU as the device's; they live as long as the storage.
at::DataPtr adopt(const c10::Storage& host_storage, c10::DeviceIndex device);

/// The device of this thread's next calls.
c10::DeviceIndex current_device() noexcept;
void set_current_device(c10::DeviceIndex device) noexcept;

}  // namespace sim
