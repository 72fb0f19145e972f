#pragma once

// The canary: a sum with a known answer on a device, in a process of its own. It tells a bad case from a sick
// device.

#include <harness/isolate/isolator.hpp>
#include <harness/schedule/device_pool.hpp>
#include <string>

namespace relapse {

Request canary_request(const DeviceKind& kind, const DeviceSlot& slot, std::string nonce);
AttemptLimits canary_limits();

/// Collects what a canary answers.
class CanaryAnswer {
 public:
  void take(const Message& message);
  /// After its end: why the device is sick, in one line; empty: it is well.
  std::string why_sick(const Ending& ending) const;

 private:
  bool answered_ = false, well_ = false;
  std::string why_, loading_;
};

}  // namespace relapse
