#pragma once

// Which attempt runs when: slots, new children for what is left after a death, time-outs, interrupts. It
// writes every event to the journal before it acts on it, and asks verdict/ for every verdict.

#include <chrono>
#include <functional>
#include <harness/isolate/isolator.hpp>
#include <harness/plan/check.hpp>
#include <harness/schedule/device_pool.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace relapse {

/// One case on one device in one mode, with the checks that were selected.
struct Job {
  const Case* kase = nullptr;  ///< outlives the run
  std::string file;            ///< absolute path
  std::string hash;            ///< SHA-256 of the file
  std::string device = "cpu";  ///< a kind; not `cpu`: one of ScheduleOptions::devices
  std::string mode = "blocking";
  std::vector<std::string> libraries;  ///< of the case, absolute, loaded after those of the device
  std::string role = "fixed";
  bool data_only = false;  ///< a stranger's: in a sandbox, within limits that the case cannot raise
  std::vector<Check> checks;
  std::set<std::string> quarantined;  ///< checks whose red does not end a run with --fail-fast
  int time_outs = 0;                  ///< attempts of an earlier part of the run that the deadline ended
  std::string skip;                   ///< not empty: every check is skipped for this reason
  std::string
      trouble;  ///< not empty: what it needs of the machine is not there, every check is `infrastructure`
};

struct ScheduleOptions {
  int jobs = 1;
  std::optional<double> timeout;   ///< seconds, over the case's own
  std::optional<double> deadline;  ///< seconds for the whole run
  bool fail_fast = false;
  std::string sanitizer;            ///< path of compute-sanitizer; empty: none here
  std::optional<double> escalate;   ///< seconds for looks at red checks of devices; nothing: no looks
  std::string evidence;             ///< folder for what looks leave behind
  std::vector<DeviceKind> devices;  ///< besides the CPU
  int first_attempt = 1;            ///< its number
  int repeat = 1;                   ///< each check in so many fresh processes
};

/// Takes events in order: the caller journals and shows them.
using EventSink = std::function<void(const nlohmann::json& event)>;

/// What became of the run besides its verdicts.
struct ScheduleResult {
  bool interrupted = false;
};

/// Runs all jobs. Every check of every job gets exactly one lasting verdict in the events.
ScheduleResult run_jobs(const std::vector<Job>& jobs, Isolator& isolator, const ScheduleOptions& options,
                        const EventSink& sink);

}  // namespace relapse
