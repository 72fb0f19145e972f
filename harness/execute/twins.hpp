#pragma once

// `agrees`: the subject once more under another condition, and whether it gives the same results.

#include <harness/execute/check_run.hpp>
#include <harness/plan/observation.hpp>
#include <harness/subject/environment.hpp>
#include <vector>

namespace relapse {

/// Runs every twin of this device (plan/plan.hpp); appends breaches `agrees.TWIN` and counts clauses. A twin
/// that loses the device makes the observation a sticky fault. `first` is the environment after the subject
/// returned, `inputs` its inputs before.
void check_twins(AttemptContext& context, const std::vector<Step>& steps, const Inputs& inputs,
                 const Environment& first, Observation& observation);

}  // namespace relapse
