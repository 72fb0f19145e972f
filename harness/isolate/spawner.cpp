#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <deque>
#include <harness/isolate/child_setup.hpp>
#include <harness/isolate/control_channel.hpp>
#include <harness/isolate/control_messages.hpp>
#include <harness/isolate/process_tree.hpp>
#include <harness/isolate/spawner.hpp>
#include <harness/isolate/wire.hpp>
#include <list>

namespace relapse {

namespace {

using Clock = std::chrono::steady_clock;

// How long a stray may take to die before the spawner goes on without it: then it hangs in a driver.
constexpr std::chrono::seconds kStrayPatience{2};

struct Connection {
  UniqueFd fd;
  std::uint64_t key = 0;
  bool adopted = false;
  std::deque<std::string> outgoing;  ///< what did not fit into the socket yet
};

struct Child {
  pid_t pid = 0;
  std::uint64_t connection = 0;
  std::uint64_t attempt = 0;
  Clock::time_point started;
  std::vector<Leak> leaks;
};

double seconds_of(const timeval& time) {
  return double(time.tv_sec) + double(time.tv_usec) * 1e-6;
}

class Spawner {
 public:
  Spawner(int control_fd, const SpawnerOptions& options) : options_(options) {
    fill_standard_fds();
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    sigset_t child_died;
    sigemptyset(&child_died);
    sigaddset(&child_died, SIGCHLD);
    ::sigprocmask(SIG_BLOCK, &child_died, nullptr);
    ::signal(SIGCHLD, SIG_DFL);  // ignored, the system would reap the children itself
    deaths_.reset(::signalfd(-1, &child_died, SFD_NONBLOCK | SFD_CLOEXEC));
    add_connection(UniqueFd(control_fd), false);
  }

  int run() {
    if (!deaths_) return 1;
    while (!connections_.empty()) {
      std::vector<pollfd> fds{{deaths_.get(), POLLIN, 0}};
      std::vector<std::uint64_t> keys;
      for (const Connection& one : connections_) {
        fds.push_back({one.fd.get(), short(POLLIN | (one.outgoing.empty() ? 0 : POLLOUT)), 0});
        keys.push_back(one.key);
      }
      if (::poll(fds.data(), fds.size(), -1) < 0) {
        if (errno == EINTR) continue;
        return 1;
      }
      if (fds[0].revents) bury_the_dead();
      for (std::size_t i = 0; i < keys.size(); ++i)
        if (fds[i + 1].revents) serve(keys[i]);
    }
    end_children({}, kStrayPatience);
    return 0;
  }

 private:
  Connection* connection(std::uint64_t key) {
    for (Connection& one : connections_)
      if (one.key == key) return &one;
    return nullptr;
  }

  void add_connection(UniqueFd fd, bool adopted) {
    Connection& added = connections_.emplace_back();
    added.fd = std::move(fd);
    added.key = ++last_key_;
    added.adopted = adopted;
    report(added.key, ReadyReport{kProtocolVersion});
    if (adopted) report_clients();
  }

  void close_connection(std::uint64_t key) {
    std::erase_if(connections_, [&](const Connection& one) { return one.key == key; });
    // Their end is noticed like every other one; there is nobody left to be told.
    for (const Child& child : children_)
      if (child.connection == key) signal_group(child.pid, SIGKILL);
    report_clients();
  }

  void report(std::uint64_t key, const Report& what) {
    Connection* to = connection(key);
    if (!to) return;
    to->outgoing.push_back(to_packet(what));
    flush(*to);
  }

  void report_clients() {
    if (connections_.empty() || connections_.front().adopted) return;
    bool served = last_key_ > 1;  // a spawner that never adopted anybody is no server's
    auto count =
        std::count_if(connections_.begin(), connections_.end(), [](auto& one) { return one.adopted; });
    if (served) report(connections_.front().key, ClientsReport{int(count)});
  }

  void flush(Connection& to) {
    while (!to.outgoing.empty()) {
      if (send_packet(to.fd.get(), to.outgoing.front()) == Sent::later) return;
      to.outgoing.pop_front();  // sent, or there is nobody any more; then the next receive says so
    }
  }

  void serve(std::uint64_t key) {
    while (Connection* from = connection(key)) {
      flush(*from);
      Packet packet;
      Arrival arrival = receive_packet(from->fd.get(), packet);
      if (arrival == Arrival::none) return;
      Order order;
      std::string why;
      if (arrival == Arrival::closed || !from_packet(packet.text, order, why)) return close_connection(key);
      if (auto* start = std::get_if<StartOrder>(&order)) start_attempt(key, *start, packet.fds);
      if (auto* signal = std::get_if<SignalOrder>(&order)) signal_attempt(key, *signal);
      if (std::get_if<AdoptOrder>(&order) && !from->adopted && packet.fds.size() == 1)
        add_connection(std::move(packet.fds[0]), true);
      if (std::get_if<StopOrder>(&order) && from->adopted) report(connections_.front().key, StopReport{});
    }
  }

  void start_attempt(std::uint64_t key, const StartOrder& order, const std::vector<UniqueFd>& fds) {
    auto refuse = [&](std::string why) { report(key, RefusedReport{order.attempt, std::move(why)}); };
    if (fds.size() != 3) return refuse("a start needs three descriptors");
    if (std::string why = options_.why_not_fork ? options_.why_not_fork() : ""; !why.empty())
      return refuse(why);
    pid_t self = ::getpid();
    Clock::time_point now = Clock::now();
    pid_t pid = ::fork();
    if (pid < 0) return refuse(std::string("fork: ") + std::strerror(errno));
    if (pid == 0) {
      if (!become_attempt(self, fds[0].get(), fds[1].get(), fds[2].get())) ::_exit(1);
      ::_exit(run_body(order));
    }
    children_.push_back({pid, key, order.attempt, now, {}});
    report(key, StartedReport{order.attempt, pid});
  }

  /// In the child.
  int run_body(const StartOrder& order) const {
    if (!order.folder.empty() && ::chdir(order.folder.c_str()) != 0)
      std::fprintf(stderr, "relapse: cannot enter %s: %s\n", order.folder.c_str(), std::strerror(errno));
    Request request;
    std::string why;
    int status = 1;
    if (from_line(order.request_line, request, why))
      status = options_.body(request, kProtocolFd);
    else
      std::fprintf(stderr, "relapse: the request cannot be read: %s\n", why.c_str());
    std::fflush(nullptr);
    return status;
  }

  void signal_attempt(std::uint64_t key, const SignalOrder& order) {
    for (const Child& child : children_)
      if (child.connection == key && child.attempt == order.attempt) signal_group(child.pid, order.signal);
  }

  static void signal_group(pid_t pid, int signal) {
    // The child itself too: it may not have come to setsid() yet.
    if (::kill(-pid, signal) != 0) ::kill(pid, signal);
    // A stopped process would not see the polite signal.
    if (signal == SIGTERM) ::kill(-pid, SIGCONT);
  }

  void bury_the_dead() {
    signalfd_siginfo ignored[8];
    while (::read(deaths_.get(), ignored, sizeof ignored) > 0) {
    }
    for (;;) {
      siginfo_t dead{};
      if (::waitid(P_ALL, 0, &dead, WEXITED | WNOHANG | WNOWAIT) != 0 || dead.si_pid == 0) return;
      auto child =
          std::find_if(children_.begin(), children_.end(), [&](auto& one) { return one.pid == dead.si_pid; });
      if (child != children_.end()) {
        bury(*child);
        children_.erase(child);
      } else {
        ::waitpid(dead.si_pid, nullptr, WNOHANG | __WALL);
        std::erase(stuck_, dead.si_pid);
      }
    }
  }

  /// The dead child keeps its id until the end of this, so its group and session are surely its own.
  void bury(Child& child) {
    EndedReport ended;
    ended.seconds = std::chrono::duration<double>(Clock::now() - child.started).count();
    end_strays(child);
    rusage usage{};
    ::wait4(child.pid, &ended.status, 0, &usage);
    ended.attempt = child.attempt;
    ended.cpu_seconds = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
    ended.max_rss = std::uint64_t(usage.ru_maxrss) * 1024;
    ended.leaks = std::move(child.leaks);
    report(child.connection, ended);
  }

  /// The orphans of a dead attempt have become children of this process: every child that was not made here
  /// is one.
  void end_strays(Child& dead) {
    std::vector<pid_t> ours = stuck_;
    for (const Child& child : children_) ours.push_back(child.pid);
    std::vector<pid_t> strays = own_children();
    std::erase_if(strays, [&](pid_t pid) { return std::find(ours.begin(), ours.end(), pid) != ours.end(); });
    if (!strays.empty()) {
      for (const ProcessFacts& facts : living_trees(strays))
        owner_of(facts, dead).leaks.push_back({facts.pid, facts.command});
    }
    ::kill(-dead.pid, SIGKILL);
    if (strays.empty()) return;
    std::vector<pid_t> stuck = end_children(ours, kStrayPatience);
    stuck_.insert(stuck_.end(), stuck.begin(), stuck.end());
  }

  /// Another attempt may have died at the same moment; its session says whose a process is.
  Child& owner_of(const ProcessFacts& facts, Child& otherwise) {
    for (Child& child : children_)
      if (child.pid == facts.session) return child;
    return otherwise;
  }

  const SpawnerOptions& options_;
  UniqueFd deaths_;
  std::list<Connection> connections_;  ///< the first one is the maker's
  std::vector<Child> children_;
  std::vector<pid_t> stuck_;  ///< strays that do not die; reaped when they do
  std::uint64_t last_key_ = 0;
};

}  // namespace

int run_spawner(int control_fd, const SpawnerOptions& options) {
  return Spawner(control_fd, options).run();
}

}  // namespace relapse
