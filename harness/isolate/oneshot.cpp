#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <harness/isolate/spawner.hpp>
#include <harness/isolate/unique_fd.hpp>

namespace relapse {

void run_oneshot(int request_fd, int protocol_fd, const ChildBody& body) {
  // Session, signals and limits came with the exec; what belongs to the program itself is set again here.
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  ::fcntl(protocol_fd, F_SETFD, FD_CLOEXEC);
  std::string line;
  {
    UniqueFd file(request_fd);
    char part[4096];
    for (;;) {
      ssize_t n = ::read(file.get(), part, sizeof part);
      if (n > 0)
        line.append(part, std::size_t(n));
      else if (n == 0 || errno != EINTR)
        break;
    }
  }
  Request request;
  std::string why;
  int status = 1;
  if (from_line(line, request, why))
    status = body(request, protocol_fd);
  else
    std::fprintf(stderr, "relapse: the request cannot be read: %s\n", why.c_str());
  std::fflush(nullptr);
  ::_exit(status);
}

}  // namespace relapse
