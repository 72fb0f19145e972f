#pragma once

// The three pipes of one attempt: captured 1 and 2, and the protocol.

#include <harness/isolate/unique_fd.hpp>
#include <string>
#include <vector>

namespace relapse {

/// Ends that relapse reads, without blocking.
struct PipeReaders {
  UniqueFd out, err, protocol;
};
/// Ends that go to the child.
struct PipeWriters {
  UniqueFd out, err, protocol;
  std::vector<int> fds() const { return {out.get(), err.get(), protocol.get()}; }
};

/// False with errno set when the system has no more descriptors.
bool make_pipes(PipeReaders& readers, PipeWriters& writers);
bool make_pipe(UniqueFd& reader, UniqueFd& writer);

/// Appends at most about `limit` bytes that are there now; closes `fd` at its end.
void read_available(UniqueFd& fd, std::size_t limit, std::string& out);

/// Bytes that are in the pipe now.
std::size_t bytes_waiting(const UniqueFd& fd);

}  // namespace relapse
