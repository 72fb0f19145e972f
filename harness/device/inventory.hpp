#pragma once

// What devices of one type there are. Only in a process that may use them: the questions start their driver.

#include <c10/core/DeviceType.h>

#include <cstdint>
#include <string>
#include <vector>

namespace relapse {

struct DeviceFacts {
  std::string name;        ///< `NVIDIA H200`, or the type and number where a backend has no names
  std::string capability;  ///< `9.0` of CUDA devices
  std::uint64_t memory = 0, free_memory = 0;  ///< bytes; 0: the backend does not say
};

/// Every device of the type that this process sees.
std::vector<DeviceFacts> devices_of_type(c10::DeviceType type);

/// The CUDA version that the NVIDIA driver serves, `13.0`; empty without one.
std::string driver_version();

}  // namespace relapse
