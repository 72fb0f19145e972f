#pragma once

// The devices of a run with their canaries: who may run where, and which check's verdict waits for a canary's
// answer.

#include <harness/isolate/isolator.hpp>
#include <harness/schedule/canary.hpp>
#include <harness/schedule/device_pool.hpp>
#include <harness/schedule/scheduler.hpp>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace relapse {

/// A check whose verdict is the device's fault when the canary fails.
struct Suspect {
  std::size_t job = 0;
  std::string check;
  int attempt = 0, round = 0;
};

/// What a canary said.
struct CanaryVerdict {
  std::string kind;
  std::string sick;  ///< why, as a reason for checks; empty: it is well
  std::vector<Suspect> suspects;
};

class DeviceBoard {
 public:
  DeviceBoard(const std::vector<DeviceKind>& kinds, Isolator& isolator, const EventSink& sink);

  bool has(const std::string& kind) const { return pools_.count(kind) > 0; }
  std::optional<std::vector<std::size_t>> take(const std::string& kind, const DeviceDemand& demand);
  void give_back(const std::string& kind, const std::vector<std::size_t>& slots, const DeviceDemand& demand);
  /// Why a demand can never be met any more; empty: it can.
  std::string why_never(const std::string& kind, const DeviceDemand& demand) const;
  std::string slot_name(const std::string& kind, std::size_t slot) const;
  /// Adds the libraries of the kind, and the switches that show the child its devices.
  void equip(Request& request, const std::string& kind, const std::vector<std::size_t>& slots) const;

  /// Starts the canaries that are due: of devices that decide about a suspect, and of all when something
  /// waits for the kind. What could not be started is answered at once.
  std::vector<CanaryVerdict> start_canaries(const std::string& kind, bool something_waits);
  bool is_canary(AttemptId attempt) const { return canaries_.count(attempt) > 0; }
  void take(const AttemptLine& line);
  CanaryVerdict end(const AttemptEnded& ended);
  void stop();  ///< ends the canaries that run

  /// Something went wrong on these devices: before anything else runs there, the canary does.
  void doubt(const std::string& kind, const std::vector<std::size_t>& slots,
             const std::optional<Suspect>& suspect);
  /// A process on these devices cannot be killed: no canary would come through either.
  std::vector<CanaryVerdict> give_up(const std::string& kind, const std::vector<std::size_t>& slots);

 private:
  struct Canary {
    std::string kind;
    std::size_t slot = 0;
    CanaryAnswer answer;
  };
  CanaryVerdict settle(const std::string& kind, std::size_t slot, const std::string& why);

  Isolator& isolator_;
  const EventSink& sink_;
  std::map<std::string, DevicePool> pools_;
  std::map<AttemptId, Canary> canaries_;
  std::map<std::pair<std::string, std::size_t>, std::vector<Suspect>> suspects_;  ///< by kind and slot
  std::map<std::string, std::string> sick_;                                       ///< kinds to why
};

}  // namespace relapse
