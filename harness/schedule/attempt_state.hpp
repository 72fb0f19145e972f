#pragma once

// One running attempt: what was asked, what was answered, and what its end means for the checks that are
// left.

#include <harness/isolate/isolator.hpp>
#include <harness/schedule/scheduler.hpp>
#include <harness/verdict/judge.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace relapse {

/// A verdict to be journaled.
struct Judgement {
  std::string check;
  Verdict verdict;
  std::optional<double> seconds;
};

class AttemptState {
 public:
  AttemptState(const Job& job, std::vector<std::string> asked) : job_(&job), asked_(std::move(asked)) {}

  /// A line of the child; an observation gives a judgement.
  std::optional<Judgement> take(const Message& message);

  /// The end of the child: judgements on what its end decides. Afterwards `left()` names the checks for a new
  /// child.
  std::vector<Judgement> finish(const Ending& ending);

  const std::vector<std::string>& left() const { return left_; }

  /// It runs below compute-sanitizer: verdicts are given at its end, when the tool has said what it found.
  void below_sanitizer() { sanitized_ = true; }

  /// After finish(): the check whose verdict may be the device's fault rather than its own; empty: none. A
  /// fault, a time-out, a crash and a device that could not be used all leave the question open.
  const std::string& suspect() const { return suspect_; }
  const Job& job() const { return *job_; }

 private:
  const Check* check_named(const std::string& name) const;
  bool is_answered(const std::string& name) const;
  std::vector<Judgement> judge_end(const Ending& ending);
  std::string loading_trouble(const Ending& ending) const;
  Judgement untrusted(const std::string& name, const Ending& ending) const;

  const Job* job_;
  std::vector<std::string> asked_, answered_, left_;
  std::string started_;  ///< the check that runs now
  std::string loading_;  ///< the library that is being loaded
  std::string suspect_;
  std::optional<Observation>
      lost_;  ///< told that the device is lost: judged when everything it printed is known
  bool device_lost_ = false, sanitized_ = false;
  std::vector<Judgement> held_back_;  ///< of a sanitized attempt
  bool last_is_red_ = false;          ///< the verdict on the last answer
  std::optional<StepRecord> step_;
  JudgeContext context_;
};

}  // namespace relapse
