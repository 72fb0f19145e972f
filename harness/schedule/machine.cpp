#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <harness/schedule/machine.hpp>

namespace relapse {
namespace {

std::uint64_t physical_memory() {
  std::ifstream meminfo("/proc/meminfo");
  std::string key, unit;
  std::uint64_t kib = 0;
  while (meminfo >> key >> kib >> unit) {
    if (key == "MemTotal:") return kib * 1024;
  }
  return 0;
}

/// The limit of the cgroup, version 2 or 1; 0: none.
std::uint64_t cgroup_memory() {
  for (const char* path : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    std::ifstream file(path);
    std::uint64_t bytes = 0;
    if (file >> bytes) return bytes;
  }
  return 0;
}

}  // namespace

Machine this_machine() {
  Machine machine;
  cpu_set_t set;
  CPU_ZERO(&set);
  machine.cores = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
  machine.memory = physical_memory();
  if (const std::uint64_t limit = cgroup_memory(); limit > 0)
    machine.memory = std::min(machine.memory, limit);
  std::error_code error;
  machine.nvidia_driver = std::filesystem::exists("/proc/driver/nvidia/version", error);
  for (const auto& entry : std::filesystem::directory_iterator("/proc/driver/nvidia/gpus", error)) {
    (void)entry;
    ++machine.gpus;
  }
  return machine;
}

std::string why_absent(const std::string& device_kind, const Machine& machine) {
  if (device_kind == "cpu") return {};
  if (device_kind == "cuda") {
    if (!machine.nvidia_driver) return "no NVIDIA driver here";
    if (machine.gpus == 0) return "the NVIDIA driver lists no GPU";
    return {};
  }
  return {};
}

}  // namespace relapse
