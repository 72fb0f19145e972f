#pragma once

// `after`: a check whose failing input only fails when certain batches have run before it in its process.

#include <harness/execute/check_run.hpp>

namespace relapse {

/// Runs the batches of `check.after` in order, as they run by themselves, then the check. A batch that breaks
/// a clause breaks `after.BATCH` of the check, which runs all the same; with code other than the fixed one a
/// batch may break what it likes. One that does not return ends it: the observation bears its name in
/// `batch`, and the check itself has not run. Steps of batches are announced as such.
Observation run_with_first(AttemptContext& context, const Check& check);

}  // namespace relapse
