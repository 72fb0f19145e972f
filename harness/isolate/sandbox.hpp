#pragma once

// What a process gives up before it reads a stranger's case: the file system but for one folder, the network,
// other processes. Beside the limits on memory and output that every attempt has.

#include <harness/support/result.hpp>
#include <string>

namespace relapse {

/// Cannot be undone, and is inherited. `folder` stays readable, and of the rest /dev/urandom and
/// /proc/cpuinfo. CPU time is limited to `cpu_seconds`; files can be neither written nor made, nothing is
/// exec'd, no process is started or signalled, no socket is made; threads of this process are allowed.
/// Landlock (the file system) is used where the kernel has it, seccomp always: a kernel without it is an
/// error. The answer says what is in force: `seccomp, landlock 4`.
Result<std::string> enter_sandbox(const std::string& folder, unsigned cpu_seconds);

/// Removes every variable but those that a worker needs: switches of CUDA, OpenMP and LibTorch, the language,
/// paths.
void clear_environment();

}  // namespace relapse
