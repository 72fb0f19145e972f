#pragma once

// What a process does to itself right after fork(): signals, session, descriptors, limits. Used by the
// keeper, by the spawners and by the children that run attempts.

#include <sys/types.h>

namespace relapse {

/// Default action for every signal, none blocked: what an exec'd program may expect.
void reset_signals();

/// Dies by SIGKILL when the calling process's parent does. False: the parent was gone already.
bool die_with_parent(pid_t parent);

/// Closes every descriptor from `first` on.
void close_from(int first);

/// Puts `fd` at `number` and keeps it over exec; the descriptor that was there is closed.
void move_fd(int fd, int number);

/// 0, 1 and 2 that are closed are opened on /dev/null, so that no other descriptor takes their place.
void fill_standard_fds();

inline constexpr int kProtocolFd = 3;

/// Makes this process, just forked by `parent`, the process of an attempt: own session and group, child
/// subreaper, dies with its parent, default signals, 0 is /dev/null, 1 and 2 are `out` and `err`, kProtocolFd
/// is `protocol`, nothing else is open, and no core file unless RELAPSE_CORE is set. False when the parent is
/// gone: leave at once.
bool become_attempt(pid_t parent, int out, int err, int protocol);

}  // namespace relapse
