#pragma once

// Check + what was seen -> Verdict. Pure functions: no clock, no files, no processes.

#include <harness/isolate/ending.hpp>
#include <harness/plan/check.hpp>
#include <harness/verdict/verdict.hpp>
#include <string>

namespace relapse {

struct JudgeContext {
  std::string torch_version;  ///< as the worker says; for symptoms with a version range
  std::string printed = {};   ///< what the process wrote to 1 and 2, as far as it is known
  bool blocking = false;      ///< launches were blocking, as the process said
};

/// The verdict on a check that was answered.
Verdict judge(const Check& check, const Observation& observation, const JudgeContext& context);

/// The verdict on a check that had started and was not answered when its process ended: crash, time-out, no
/// token. `step` is the last one that had started, or null.
Verdict judge_ending(const Check& check, const Ending& ending, const StepRecord* step,
                     const JudgeContext& context);

/// The verdict once more, when the process ran below compute-sanitizer: what the tool found makes it
/// `faulted`, and a report without a summary leaves no verdict, since a tool that did not run to its end has
/// found nothing.
Verdict with_sanitizer(Verdict verdict, const Ending& ending);

/// A check that cannot be asked: skipped, not_run, infrastructure, case_error.
Verdict no_run(VerdictKind kind, std::string reason, const Check& check);

/// Does an observed raise or ending show this recorded symptom (kind, text, version)?
bool shows(const Symptom& symptom, const Observation& observation, const JudgeContext& context);
bool shows(const Symptom& symptom, const Ending& ending, const JudgeContext& context);

}  // namespace relapse
