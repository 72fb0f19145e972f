#pragma once

// When an attempt that does not end by itself is asked to, made to, and given up. Decides; sends nothing.

#include <chrono>
#include <harness/isolate/ending.hpp>
#include <harness/isolate/isolator.hpp>

namespace relapse {

/// A process that is alive so long after SIGKILL hangs in the driver.
inline constexpr std::chrono::seconds kUnkillableAfter{30};

class EndingClock {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  enum class Act : std::uint8_t { none, terminate, kill, give_up };

  EndingClock(const AttemptLimits& limits, TimePoint now);

  /// The process runs now: its time limit counts from here.
  void started(TimePoint now);
  /// Something else than its time limit ends it: due at once, politely or not. The first cause stays.
  void ask(EndCause cause, TimePoint now);
  void kill(EndCause cause, TimePoint now);

  /// What is to be done now; each act is returned once.
  Act due(TimePoint now);
  TimePoint next() const { return next_; }

  EndCause cause() const { return cause_; }
  bool grace_ran_out() const { return grace_ran_out_; }

 private:
  AttemptLimits limits_;
  Act act_ = Act::terminate;  ///< the one that comes next
  TimePoint next_;
  EndCause cause_ = EndCause::by_itself;
  bool asked_ = false, grace_ran_out_ = false;
};

}  // namespace relapse
