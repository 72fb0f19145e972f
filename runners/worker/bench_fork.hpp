#pragma once

// What nothing but a fork costs in this process: the yardstick of the isolation benchmark.

namespace relapse {

/// Forks `times` children that leave at once, reaps each, and prints the medians as one line of JSON:
/// {"forks": N, "fork_ms": of fork() itself, "reaped_ms": until the child is reaped}. Returns the exit
/// status.
int bench_fork(int times);

}  // namespace relapse
