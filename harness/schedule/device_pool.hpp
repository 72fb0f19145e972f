#pragma once

// The devices of one kind that a run may use, and which of them may take an attempt now.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace relapse {

struct DeviceSlot {
  std::string name;          ///< `cuda:0`
  std::string visible;       ///< what `CUDA_VISIBLE_DEVICES` calls it; empty: the backend has no such choice
  std::uint64_t memory = 0;  ///< bytes; 0: not known
};

/// What a run knows of one kind of device before it starts. The CPU has none: it is limited by `jobs`.
struct DeviceKind {
  std::string kind;                    ///< `cuda`, or what a plugin registers
  std::vector<std::string> libraries;  ///< that bring it into a process
  std::vector<DeviceSlot> slots;
};

/// What an attempt takes of the devices of its kind.
struct DeviceDemand {
  int devices = 1;
  std::optional<std::uint64_t> memory;  ///< bytes of each; nothing: all of it, so it runs alone
};

enum class Health : std::uint8_t {
  unknown,   ///< nothing ran on it yet, or something went wrong: a canary is needed before anything else runs
  checking,  ///< its canary runs
  well,
  sick  ///< its canary failed: nothing runs on it any more
};

class DevicePool {
 public:
  explicit DevicePool(DeviceKind kind);

  const DeviceKind& kind() const { return kind_; }
  const DeviceSlot& slot(std::size_t index) const { return kind_.slots[index]; }
  Health health(std::size_t slot) const { return states_[slot].health; }
  void set_health(std::size_t slot, Health health) { states_[slot].health = health; }

  /// Slots for an attempt, taken until give_back(); nothing: not now.
  std::optional<std::vector<std::size_t>> take(const DeviceDemand& demand);
  void give_back(const std::vector<std::size_t>& slots, const DeviceDemand& demand);

  /// An idle slot whose health is unknown, for a canary.
  std::optional<std::size_t> needs_canary() const;
  /// How many are not sick: a demand for more can never be met.
  int usable() const;

 private:
  struct State {
    Health health = Health::unknown;
    int running = 0;
    bool alone = false;        ///< an attempt has it to itself
    std::uint64_t memory = 0;  ///< stated by those that run
  };
  bool has_room(std::size_t slot, const DeviceDemand& demand) const;

  DeviceKind kind_;
  std::vector<State> states_;
};

/// Switches for a child on a device, set before its first use of it: which devices it sees, whether launches
/// wait, whether memory is cached. `visible` is empty for backends without that choice.
std::vector<std::pair<std::string, std::string>> device_environment(const std::string& mode,
                                                                    const std::vector<std::string>& visible);

}  // namespace relapse
