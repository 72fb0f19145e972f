#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <harness/isolate/child_setup.hpp>
#include <harness/isolate/unique_fd.hpp>

namespace relapse {

void reset_signals() {
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) ::sigaction(number, &standard, nullptr);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

bool die_with_parent(pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  return ::getppid() == parent;
}

void close_from(int first) {
#ifdef SYS_close_range
  if (::syscall(SYS_close_range, unsigned(first), ~0u, 0u) == 0) return;
#endif
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  for (int fd = first; fd < int(limit.rlim_cur); ++fd) ::close(fd);
}

void move_fd(int fd, int number) {
  if (fd == number)
    ::fcntl(fd, F_SETFD, 0);
  else
    ::dup2(fd, number);
}

void fill_standard_fds() {
  for (;;) {
    int fd = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    if (fd < 0) return;
    if (fd > 2) {
      ::close(fd);
      return;
    }
    ::fcntl(fd, F_SETFD, 0);
  }
}

bool become_attempt(pid_t parent, int out, int err, int protocol) {
  if (!die_with_parent(parent)) return false;
  ::setsid();
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  reset_signals();
  UniqueFd null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  // 0 to 2 are open in every spawner, so the four sources lie above them and no dup2() hits one that is still
  // needed; `protocol` goes last because its place may be that of another one.
  move_fd(null.get(), 0);
  move_fd(out, 1);
  move_fd(err, 2);
  move_fd(protocol, kProtocolFd);
  // A program that the attempt starts does not write into the protocol.
  ::fcntl(kProtocolFd, F_SETFD, FD_CLOEXEC);
  null.release();
  close_from(kProtocolFd + 1);
  // What was printed before a crash is evidence: it must not stay in a buffer.
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  rlimit core{0, 0};
  if (std::getenv("RELAPSE_CORE")) {
    ::getrlimit(RLIMIT_CORE, &core);
    core.rlim_cur = core.rlim_max;
  }
  ::setrlimit(RLIMIT_CORE, &core);
  return true;
}

}  // namespace relapse
