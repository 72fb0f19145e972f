#pragma once

// What this machine has, asked without LibTorch and without touching a GPU.

#include <cstdint>
#include <string>
#include <vector>

namespace relapse {

struct Machine {
  int cores = 1;               ///< that this process may use
  std::uint64_t memory = 0;    ///< bytes: physical, or the cgroup's limit when that is lower
  bool nvidia_driver = false;  ///< the kernel driver is loaded
  int gpus = 0;                ///< as the driver's /proc lists them
};
Machine this_machine();

/// The kinds of device that a run may name, and why one is not here (empty: it is).
std::string why_absent(const std::string& device_kind, const Machine& machine);

}  // namespace relapse
