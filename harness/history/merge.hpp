#pragma once

// Several runs as one: the shards of a run, or runs of different devices. Nothing gets lost and nothing gets
// green on the way: a case whose shard is not here is not_run, of two verdicts on a check the red one counts.

#include <harness/journal/record.hpp>
#include <harness/support/result.hpp>
#include <vector>

namespace relapse {

/// The merged run, in the order of an undivided one; what is worth knowing about its parts is in its notes.
/// Shards of different runs, and shards among runs that are none, are refused.
Result<RunRecord> merge_runs(std::vector<RunRecord> runs);

}  // namespace relapse
