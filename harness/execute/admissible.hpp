#pragma once

// Whether a check's inputs are what its kind needs: a failing input that should be refused must break
// `requires`, a batch must meet it, a probe must break exactly what it aims at.

#include <harness/plan/check.hpp>
#include <harness/plan/observation.hpp>
#include <vector>

namespace relapse {

/// True: run it. Else `observation` says why not (case_error or left_out). `observation.requires_broken` is
/// set before.
bool is_admissible(const Case& kase, const Check& check, Observation& observation);

/// False, with a case error: `requires` speaks of a result of a step, and no guard() behind that step looks
/// at it, so that the clause would never be evaluated. `observation.inputs` is set before.
bool is_checked_somewhere(const Case& kase, const std::vector<Step>& steps, Observation& observation);

}  // namespace relapse
