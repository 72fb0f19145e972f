#pragma once

// What this machine has, asked without LibTorch and without touching a GPU.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace relapse {

/// What a probe child found of one kind of device.
struct DeviceInventory {
  struct One {
    std::string name, capability;  ///< `NVIDIA H200`, `9.0`
    std::uint64_t memory = 0, free_memory = 0;
  };
  std::vector<One> devices;
  std::string driver;  ///< the CUDA version that it serves
};

struct Machine {
  int cores = 1;               ///< that this process may use
  std::uint64_t memory = 0;    ///< bytes: physical, or the cgroup's limit when that is lower
  bool nvidia_driver = false;  ///< the kernel driver is loaded
  int gpus = 0;                ///< as the driver's /proc lists them
  std::map<std::string, DeviceInventory> devices;  ///< by kind, as far as a probe was asked
};
Machine this_machine();

/// Why the CPU or CUDA cannot be here at all (empty: a probe may ask).
std::string why_absent(const std::string& device_kind, const Machine& machine);

}  // namespace relapse
