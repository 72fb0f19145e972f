#include <fmt/format.h>

#include <algorithm>
#include <harness/schedule/attempt_state.hpp>
#include <harness/support/text.hpp>
#include <harness/verdict/faults.hpp>
#include <harness/verdict/signals.hpp>

namespace relapse {

const Check* AttemptState::check_named(const std::string& name) const {
  const auto found =
      std::find_if(job_->checks.begin(), job_->checks.end(), [&](const Check& c) { return c.name == name; });
  return found == job_->checks.end() ? nullptr : &*found;
}

bool AttemptState::is_answered(const std::string& name) const {
  return std::find(answered_.begin(), answered_.end(), name) != answered_.end();
}

std::optional<Judgement> AttemptState::take(const Message& message) {
  if (const auto* hello = std::get_if<Hello>(&message)) {
    context_.torch_version = hello->torch_version;
    for (const auto& [name, value] : hello->environment)
      context_.blocking = context_.blocking || (name == "CUDA_LAUNCH_BLOCKING" && value == "1");
  } else if (const auto* loading = std::get_if<Loading>(&message)) {
    loading_ = loading->library;
  } else if (const auto* started = std::get_if<CheckStarted>(&message)) {
    started_ = started->check;
    loading_.clear();
    step_.reset();
  } else if (const auto* step = std::get_if<StepStarted>(&message)) {
    step_ = step->step;
  } else if (const auto* observed = std::get_if<Observed>(&message)) {
    const Observation& observation = observed->observation;
    const Check* check = check_named(observation.check);
    if (!check || is_answered(observation.check)) return std::nullopt;
    answered_.push_back(observation.check);
    started_.clear();
    if (observation.kind == ObservedKind::sticky_fault) {
      // Its process ends now. Kernels print their assertions on 1 and 2, which may not have been read yet.
      device_lost_ = true;
      lost_ = observation;
      return std::nullopt;
    }
    if (observation.kind == ObservedKind::machine) suspect_ = observation.check;
    Judgement judgement{observation.check, judge(*check, observation, context_), observation.seconds};
    last_is_red_ = is_red(judgement.verdict.kind);
    if (sanitized_) {
      held_back_.push_back(std::move(judgement));
      return std::nullopt;
    }
    return judgement;
  }
  return std::nullopt;
}

/// A check that was answered by a child whose word cannot be taken: its answer is withdrawn.
Judgement AttemptState::untrusted(const std::string& name, const Ending& ending) const {
  const Check& check = *check_named(name);
  if (ending.protocol_error.empty() && ending.cause == EndCause::interrupted) {
    return {name,
            no_run(VerdictKind::not_run, "the run was interrupted before its child gave its token", check),
            std::nullopt};
  }
  Verdict verdict = no_run(VerdictKind::no_verdict, "", check);
  std::string end;
  if (!ending.protocol_error.empty()) {
    end = "its child broke the protocol: " + ending.protocol_error;
  } else if (ending.cause == EndCause::deadline) {
    end =
        fmt::format("its child answered, then went on for {:.1f} s in all without its token", ending.seconds);
  } else if (ending.cause == EndCause::memory) {
    end = "its child answered, then held too much memory before it gave its token";
  } else if (ending.cause == EndCause::lost) {
    end = "its child answered, then the process above it died before it gave its token";
  } else if (ending.signal != 0) {
    end = fmt::format("its child answered, then died by {} before it gave its token",
                      signal_name(ending.signal));
  } else {
    end = fmt::format("its child answered, then ended with exit status {} without its token",
                      ending.exit_status);
  }
  verdict.seen.push_back(std::move(end));
  return {name, std::move(verdict), std::nullopt};
}

/// What ended the process while it loaded a library: an exception in a registration ends it with its text
/// on 2.
std::string AttemptState::loading_trouble(const Ending& ending) const {
  std::string how = ending.signal != 0 ? "died by " + signal_name(ending.signal)
                    : ending.cause == EndCause::deadline
                        ? fmt::format("gave no answer for {:.1f} s", ending.seconds)
                        : fmt::format("ended with exit status {}", ending.exit_status);
  std::string reason =
      fmt::format("the process {} while it loaded the library {}", how, relapse::quoted(loading_));
  for (const std::string& line : split(ending.err.text, '\n')) {
    if (!trim(line).empty()) reason += "\n" + line;
  }
  return reason;
}

std::vector<Judgement> AttemptState::finish(const Ending& ending) {
  std::vector<Judgement> judgements = judge_end(ending);
  if (sanitized_) {
    for (Judgement& one : judgements) one.verdict = with_sanitizer(std::move(one.verdict), ending);
  }
  return judgements;
}

std::vector<Judgement> AttemptState::judge_end(const Ending& ending) {
  std::vector<Judgement> judgements;
  const bool trusted = ending.done && ending.protocol_error.empty();
  if (trusted) judgements = std::move(held_back_);
  if (lost_ && ending.protocol_error.empty()) {
    context_.printed = printed_by(ending);
    judgements.push_back({lost_->check, judge(*check_named(lost_->check), *lost_, context_), lost_->seconds});
    suspect_ = lost_->check;
  }
  if (!loading_.empty() && answered_.empty() && started_.empty() && ending.cause != EndCause::interrupted &&
      !trusted) {
    // Nothing of the case has run, and a new process would end in the same way.
    for (const std::string& name : asked_)
      judgements.push_back({name,
                            no_run(VerdictKind::infrastructure, loading_trouble(ending), *check_named(name)),
                            std::nullopt});
    return judgements;
  }
  if (!started_.empty() && !is_answered(started_)) {
    const Check* check = check_named(started_);
    if (check) {
      judgements.push_back(
          {started_, judge_ending(*check, ending, step_ ? &*step_ : nullptr, context_), std::nullopt});
      answered_.push_back(started_);
      if (ending.cause != EndCause::interrupted) suspect_ = started_;
    }
  } else if (!trusted && !answered_.empty() && !device_lost_ &&
             !(last_is_red_ && ending.cause == EndCause::interrupted)) {
    // It ended between two checks, or after the last, without its token: what ended it may lie in the last
    // one. A child that reported its device lost ends just so, and a red answer may be why the run ended.
    judgements.push_back(untrusted(answered_.back(), ending));
  }
  if (!ending.protocol_error.empty()) {
    for (const std::string& name : answered_) {
      const bool done = std::any_of(judgements.begin(), judgements.end(),
                                    [&](const Judgement& j) { return j.check == name; });
      if (!done) judgements.push_back(untrusted(name, ending));
    }
  }
  for (const std::string& name : asked_) {
    if (!is_answered(name)) left_.push_back(name);
  }
  // A child that answered nothing and started nothing would be tried for ever: its end is the verdict on the
  // first check.
  if (judgements.empty() && answered_.empty() && !left_.empty() && ending.cause != EndCause::interrupted) {
    judgements.push_back(
        {left_.front(), judge_ending(*check_named(left_.front()), ending, nullptr, context_), std::nullopt});
    left_.erase(left_.begin());
  }
  return judgements;
}

}  // namespace relapse
