#pragma once

// Processes below this one: who they are, and how they are ended for good. Used by the spawner for what an
// attempt left and by the keeper for everything. Only direct children are signalled: their ids stay theirs
// until they are reaped here, so no stranger can be hit; deeper ones come up as children when the one above
// them dies (PR_SET_CHILD_SUBREAPER).

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace relapse {

struct ProcessFacts {
  pid_t pid = 0, parent = 0, session = 0;
  char state = '?';  ///< Z and X are dead
  std::string command;
  bool alive() const { return state != 'Z' && state != 'X'; }
};
std::optional<ProcessFacts> facts_of(pid_t pid);

/// The children of the calling process, dead ones that are not reaped included. Costs microseconds where the
/// kernel lists them (CONFIG_PROC_CHILDREN), else a scan of /proc.
std::vector<pid_t> own_children();

/// Those of `pids` and of their descendants that are alive.
std::vector<ProcessFacts> living_trees(const std::vector<pid_t>& pids);

/// Ends and reaps every child that is not in `spared`, and what comes up from below them, until none is left.
/// The caller is single-threaded, a child subreaper, and has SIGCHLD blocked (it may be consumed). A child
/// that is not dead after `patience` (it hangs in a driver) is left and returned.
std::vector<pid_t> end_children(const std::vector<pid_t>& spared, std::chrono::milliseconds patience);

}  // namespace relapse
