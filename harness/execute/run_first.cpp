#include <fmt/format.h>

#include <harness/execute/run_first.hpp>
#include <utility>

namespace relapse {
namespace {

/// While it lives, what the batch announces is announced as a part of the check that it runs before.
class Announcing {
 public:
  Announcing(AttemptContext& context, const Check& check, const Check& batch)
      : context_(context), step_(context.step_started), lost_(context.device_lost) {
    if (step_) {
      context.step_started = [this, &check, &batch](const std::string&, const StepRecord& step,
                                                    Builtin builtin) {
        StepRecord own = step;
        own.batch = batch.name;
        step_(check.name, own, builtin);
      };
    }
    if (lost_) {
      context.device_lost = [this, &check, &batch](const Observation& observation) {
        lost_(of_batch(observation, check, batch));
      };
    }
  }
  ~Announcing() {
    context_.step_started = std::move(step_);
    context_.device_lost = std::move(lost_);
  }
  Announcing(const Announcing&) = delete;
  Announcing& operator=(const Announcing&) = delete;

  static Observation of_batch(Observation observation, const Check& check, const Check& batch) {
    observation.check = check.name;
    observation.batch = batch.name;
    if (observation.kind == ObservedKind::case_error)
      observation.reason = fmt::format("{}, which runs first: {}", batch.name, observation.reason);
    return observation;
  }

 private:
  AttemptContext& context_;
  decltype(AttemptContext::step_started) step_;
  decltype(AttemptContext::device_lost) lost_;
};

Breach breach_of(const Check& check, const Check& batch, const Breach& first) {
  Breach breach;
  breach.clause = "after." + batch.name;
  breach.pos = check.after_pos;
  breach.promised = fmt::format("{} runs first in the same process, and holds", batch.name);
  breach.seen = fmt::format("it broke {}: {}", first.clause, first.seen);
  return breach;
}

}  // namespace

Observation run_with_first(AttemptContext& context, const Check& check) {
  double seconds = 0;
  int evaluated = 0;
  std::vector<Breach> broken;
  for (const Check& batch : check.after) {
    Observation seen;
    {
      const Announcing announcing(context, check, batch);
      seen = run_check(context, batch);
    }
    seconds += seen.seconds;
    if (seen.kind != ObservedKind::returned) return Announcing::of_batch(std::move(seen), check, batch);
    ++evaluated;
    if (!seen.broken.empty() && context.role == Role::fixed)
      broken.push_back(breach_of(check, batch, seen.broken.front()));
  }
  Observation observation = run_check(context, check);
  observation.seconds += seconds;
  observation.clauses_evaluated += evaluated;
  observation.broken.insert(observation.broken.end(), broken.begin(), broken.end());
  return observation;
}

}  // namespace relapse
