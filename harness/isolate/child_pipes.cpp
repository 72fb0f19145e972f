#include <fcntl.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cerrno>
#include <harness/isolate/child_pipes.hpp>

namespace relapse {

bool make_pipe(UniqueFd& reader, UniqueFd& writer) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return false;
  // Of this end only: the child's writes must block as it expects.
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  reader.reset(ends[0]);
  writer.reset(ends[1]);
  return true;
}

bool make_pipes(PipeReaders& readers, PipeWriters& writers) {
  return make_pipe(readers.out, writers.out) && make_pipe(readers.err, writers.err) &&
         make_pipe(readers.protocol, writers.protocol);
}

void read_available(UniqueFd& fd, std::size_t limit, std::string& out) {
  char part[1 << 16];
  while (fd && limit > 0) {
    ssize_t n = ::read(fd.get(), part, std::min(sizeof part, limit));
    if (n > 0) {
      out.append(part, std::size_t(n));
      limit -= std::size_t(n);
      if (std::size_t(n) < sizeof part) return;  // the pipe is empty, most likely: no second call to hear it
    } else if (n == 0 || errno != EINTR) {
      if (n == 0 || errno != EAGAIN) fd.reset();
      return;
    }
  }
}

std::size_t bytes_waiting(const UniqueFd& fd) {
  int count = 0;
  return fd && ::ioctl(fd.get(), FIONREAD, &count) == 0 && count > 0 ? std::size_t(count) : 0;
}

}  // namespace relapse
