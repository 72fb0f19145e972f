#pragma once

// Runs the steps of a subject. Every exception ends here: as an error of the code under contract, or as a
// mistake of the case.

#include <functional>
#include <harness/case/case.hpp>
#include <harness/operator/scope.hpp>
#include <harness/plan/observation.hpp>
#include <harness/subject/environment.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace relapse {

struct StepHooks {
  std::function<void(int index, const Step& step)> before;  ///< may be empty
  /// Evaluates `requires` of these names (empty: of all that have a value) and returns the first broken
  /// clause. Empty function: guard() steps do nothing, as in twin runs.
  std::function<std::optional<Breach>(const std::set<std::string>& names)> guard;
  std::function<const Value*(std::string_view)> old;  ///< inputs before the subject; may be empty
};

/// Whether each step is followed by a wait for the device, so that the first fault is found at its own step,
/// or only the last one, as in production.
enum class Waiting : std::uint8_t { each_step, at_end };

enum class SubjectEnd : std::uint8_t { returned, raised, rejected, case_error };
struct SubjectOutcome {
  SubjectEnd end = SubjectEnd::returned;
  int step = -1;  ///< where it ended early; -1 with `raised`: in the wait behind the last step
  std::optional<Raised> raised;
  std::optional<DeviceState> device;  ///< after an error on another device than the CPU
  std::optional<Breach> rejection;
  std::string reason;  ///< of case_error
  SourcePos reason_pos;
  int guards_reached = 0;
};

SubjectOutcome run_steps(const std::vector<Step>& steps, Environment& environment, const Symbols& symbols,
                         c10::Device device, const StepHooks& hooks, OverloadCache* cache,
                         Waiting waiting = Waiting::each_step);

}  // namespace relapse
