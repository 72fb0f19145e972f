#pragma once

// What the keeper does in its own process.

namespace relapse {

/// Serves `channel` until it is closed, then ends every descendant, repeatedly until none is left. Returns
/// the exit status.
int run_keeper(int channel);

}  // namespace relapse
