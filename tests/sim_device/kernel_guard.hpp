#pragma once

// What ends a process on the CPU, an access outside of memory, is on a GPU only the end of the context.

#include <functional>

namespace sim {

/// Runs a kernel of the CPU. False when it read or wrote where this process has no memory: the kernel was
/// left where it stood, its destructors did not run. Such accesses anywhere else, or in another thread, end
/// the process as ever.
bool completes(const std::function<void()>& kernel);

}  // namespace sim
