#include <algorithm>
#include <harness/schedule/device_pool.hpp>
#include <harness/support/text.hpp>

namespace relapse {
namespace {

/// Of a device's memory the part that attempts may state together: contexts and libraries need some.
constexpr double kShareable = 0.9;

}  // namespace

DevicePool::DevicePool(DeviceKind kind) : kind_(std::move(kind)), states_(kind_.slots.size()) {}

bool DevicePool::has_room(std::size_t slot, const DeviceDemand& demand) const {
  const State& state = states_[slot];
  if (state.health != Health::well || state.alone) return false;
  if (state.running == 0) return true;
  if (!demand.memory || kind_.slots[slot].memory == 0) return false;
  const double all = kShareable * static_cast<double>(kind_.slots[slot].memory);
  return static_cast<double>(state.memory + *demand.memory) <= all;
}

std::optional<std::vector<std::size_t>> DevicePool::take(const DeviceDemand& demand) {
  std::vector<std::size_t> chosen;
  for (std::size_t slot = 0; slot < states_.size() && static_cast<int>(chosen.size()) < demand.devices;
       ++slot) {
    if (has_room(slot, demand)) chosen.push_back(slot);
  }
  if (static_cast<int>(chosen.size()) < demand.devices) return std::nullopt;
  for (const std::size_t slot : chosen) {
    State& state = states_[slot];
    ++state.running;
    state.alone = !demand.memory;
    state.memory += demand.memory.value_or(0);
  }
  return chosen;
}

void DevicePool::give_back(const std::vector<std::size_t>& slots, const DeviceDemand& demand) {
  for (const std::size_t slot : slots) {
    State& state = states_[slot];
    --state.running;
    state.alone = false;
    state.memory -= demand.memory.value_or(0);
  }
}

std::optional<std::size_t> DevicePool::needs_canary() const {
  for (std::size_t slot = 0; slot < states_.size(); ++slot) {
    if (states_[slot].health == Health::unknown && states_[slot].running == 0) return slot;
  }
  return std::nullopt;
}

int DevicePool::usable() const {
  return static_cast<int>(
      std::count_if(states_.begin(), states_.end(), [](const State& s) { return s.health != Health::sick; }));
}

std::vector<std::pair<std::string, std::string>> device_environment(const std::string& mode,
                                                                    const std::vector<std::string>& visible) {
  std::vector<std::pair<std::string, std::string>> environment;
  if (!visible.empty()) environment.emplace_back("CUDA_VISIBLE_DEVICES", join(visible, ","));
  const bool wait = mode != "async";
  environment.emplace_back("CUDA_LAUNCH_BLOCKING", wait ? "1" : "0");
  // ROCm's word for it: 1 waits before each command, 2 after it, 3 both.
  environment.emplace_back("AMD_SERIALIZE_KERNEL", wait ? "3" : "0");
  // A cache hides accesses beyond a tensor that stay inside of a block.
  if (mode == "nocache" || mode.rfind("sanitizer", 0) == 0)
    environment.emplace_back("PYTORCH_NO_CUDA_MEMORY_CACHING", "1");
  return environment;
}

}  // namespace relapse
