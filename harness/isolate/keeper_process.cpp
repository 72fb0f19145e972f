#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <harness/isolate/child_setup.hpp>
#include <harness/isolate/control_channel.hpp>
#include <harness/isolate/control_messages.hpp>
#include <harness/isolate/keeper_process.hpp>
#include <harness/isolate/process_tree.hpp>
#include <harness/isolate/spawner.hpp>
#include <harness/isolate/wrapped_attempt.hpp>
#include <vector>

namespace relapse {

namespace {

constexpr int kControlFd = 3;
constexpr std::chrono::seconds kPatience{2};

struct KnownSpawner {
  std::uint64_t name = 0;
  pid_t pid = 0;
};

void set_environment(const SpawnOrder& order) {
  for (const auto& [name, value] : order.environment) ::setenv(name.c_str(), value.c_str(), 1);
}

/// In place of the caller: the worker. The error goes to 2, where whoever started it reads.
int exec_worker(const std::string& worker, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "relapse-worker");
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  ::execv(worker.c_str(), argv.data());
  std::fprintf(stderr, "%s: %s\n", worker.c_str(), std::strerror(errno));
  return 127;
}

/// The body of an attempt without a zygote: the request goes through a file in memory, since it may be longer
/// than a pipe.
int exec_attempt(const std::string& worker, const Request& request, int protocol_fd) {
  std::string line = to_line(request) + '\n';
  int file = ::memfd_create("relapse-request", 0);
  if (file < 0 || ::write(file, line.data(), line.size()) != ssize_t(line.size()) ||
      ::lseek(file, 0, SEEK_SET) != 0) {
    std::fprintf(stderr, "relapse: the request cannot be handed over: %s\n", std::strerror(errno));
    return 127;
  }
  ::fcntl(protocol_fd, F_SETFD, 0);
  return exec_worker(worker, {"--oneshot", "--request-fd", fmt::format("{}", file), "--protocol-fd",
                              fmt::format("{}", protocol_fd)});
}

/// In a child of the keeper.
int become_spawner(pid_t keeper, const SpawnOrder& order, int control, int error_output) {
  if (!die_with_parent(keeper)) return 1;
  reset_signals();
  move_fd(error_output, 1);
  move_fd(error_output, 2);
  move_fd(control, kControlFd);
  close_from(kControlFd + 1);
  set_environment(order);
  if (!order.exec_each) {
    // With lazy binding every child would look the same symbols up again and copy the pages that hold the
    // answers: a fifth of the page faults of a small case. Bound once in the zygote, they are inherited.
    ::setenv("LD_BIND_NOW", "1", 0);
    std::vector<std::string> arguments{"--zygote", "--control-fd", fmt::format("{}", kControlFd)};
    for (const std::string& library : order.libraries) {
      arguments.emplace_back("--load");
      arguments.push_back(library);
    }
    return exec_worker(order.worker, std::move(arguments));
  }
  ::prctl(PR_SET_NAME, "relapse-spawner");
  ::fcntl(kControlFd, F_SETFD, FD_CLOEXEC);
  SpawnerOptions options;
  options.body = [&](const Request& request, int protocol_fd) {
    return request.wrapper.empty() ? exec_attempt(order.worker, request, protocol_fd)
                                   : run_wrapped_attempt(order.worker, request, protocol_fd);
  };
  return run_spawner(kControlFd, options);
}

class KeeperProcess {
 public:
  KeeperProcess(UniqueFd channel, UniqueFd deaths)
      : channel_(std::move(channel)), deaths_(std::move(deaths)) {}

  void run() {
    for (;;) {
      pollfd fds[2] = {{channel_.get(), POLLIN, 0}, {deaths_.get(), POLLIN, 0}};
      if (::poll(fds, 2, -1) < 0 && errno != EINTR) return;
      if (fds[1].revents) bury_the_dead();
      if (fds[0].revents && !serve()) return;
    }
  }

 private:
  bool serve() {
    Packet packet;
    Arrival arrival = receive_packet(channel_.get(), packet);
    if (arrival == Arrival::none) return true;
    Order order;
    std::string why;
    if (arrival == Arrival::closed || !from_packet(packet.text, order, why)) return false;
    auto* spawn = std::get_if<SpawnOrder>(&order);
    if (!spawn || packet.fds.size() != 2) return false;
    pid_t self = ::getpid();
    pid_t pid = ::fork();
    if (pid == 0) ::_exit(become_spawner(self, *spawn, packet.fds[0].get(), packet.fds[1].get()));
    if (pid > 0) spawners_.push_back({spawn->spawner, pid});
    return true;  // without a fork the connection of the spawner closes, which says it
  }

  void bury_the_dead() {
    signalfd_siginfo ignored[8];
    while (::read(deaths_.get(), ignored, sizeof ignored) > 0) {
    }
    for (;;) {
      siginfo_t dead{};
      if (::waitid(P_ALL, 0, &dead, WEXITED | WNOHANG | WNOWAIT) != 0 || dead.si_pid == 0) return;
      auto spawner =
          std::find_if(spawners_.begin(), spawners_.end(), [&](auto& one) { return one.pid == dead.si_pid; });
      if (spawner == spawners_.end()) {
        ::waitpid(dead.si_pid, nullptr, WNOHANG | __WALL);
        continue;
      }
      // What a spawner leaves has come up to this process: only spawners are its own.
      std::vector<pid_t> ours;
      for (const KnownSpawner& one : spawners_) ours.push_back(one.pid);
      end_children(ours, kPatience);
      SpawnerEndedReport report{spawner->name, 0};
      ::waitpid(spawner->pid, &report.status, 0);
      spawners_.erase(spawner);
      send_packet(channel_.get(), to_packet(Report(report)));
    }
  }

  UniqueFd channel_, deaths_;
  std::vector<KnownSpawner> spawners_;
};

}  // namespace

int run_keeper(int channel) {
  ::setsid();  // out of reach of the terminal's Ctrl-C
  ::prctl(PR_SET_NAME, "relapse-keeper");
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  reset_signals();
  for (int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) ::signal(number, SIG_IGN);
  // The output of relapse is not kept open: whoever reads it sees its end when relapse ends.
  for (int fd : {0, 1, 2}) ::close(fd);
  fill_standard_fds();
  move_fd(channel, kControlFd);
  ::fcntl(kControlFd, F_SETFD, FD_CLOEXEC);
  close_from(kControlFd + 1);
  sigset_t child_died;
  sigemptyset(&child_died);
  sigaddset(&child_died, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &child_died, nullptr);
  UniqueFd deaths(::signalfd(-1, &child_died, SFD_NONBLOCK | SFD_CLOEXEC));
  // Its end of the channel stays open to the last: that it closes is the answer that nothing is left.
  KeeperProcess keeper(UniqueFd(kControlFd), std::move(deaths));
  keeper.run();
  while (!end_children({}, std::chrono::hours(1)).empty()) {
  }
  return 0;
}

}  // namespace relapse
