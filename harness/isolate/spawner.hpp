#pragma once

// The loop of a process that makes attempt processes: a zygote (forks from itself, LibTorch loaded) or,
// without LibTorch, the exec fallback. Single-threaded. It serves one or more control connections (unix
// sockets, SOCK_SEQPACKET); the attempts of a connection end with it. It alone sends signals to attempts, and
// reaps them only after their group was ended, so an id is never reused under a kill.

#include <functional>
#include <harness/isolate/request.hpp>
#include <string>

namespace relapse {

/// What runs in the forked child: stdin is /dev/null, 1 and 2 are the capture pipes, `protocol_fd` is for
/// send_line. The child is the leader of its own session and group and a child subreaper, has default signal
/// handling, and dies with the spawner. It returns the exit status; the caller then leaves with _exit().
using ChildBody = std::function<int(const Request& request, int protocol_fd)>;

struct SpawnerOptions {
  ChildBody body;
  /// Asked before every fork; a non-empty answer says why a fork is not safe (more than one thread, driver
  /// initialised): the attempt is refused with that reason, and the parent falls back to exec.
  std::function<std::string()> why_not_fork;
};

/// Serves `control_fd` until every connection is closed. Returns the exit status of the spawner process.
int run_spawner(int control_fd, const SpawnerOptions& options);

/// The other end of the exec fallback, in the exec'd program: reads the request from `request_fd`, runs
/// `body` as a forked child would, and leaves with its status by _exit().
[[noreturn]] void run_oneshot(int request_fd, int protocol_fd, const ChildBody& body);

}  // namespace relapse
