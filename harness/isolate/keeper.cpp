// The parent's end. What the keeper process does is in keeper_process.cpp.

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <harness/isolate/control_channel.hpp>
#include <harness/isolate/keeper.hpp>
#include <harness/isolate/keeper_process.hpp>

namespace relapse {

namespace {

using Clock = std::chrono::steady_clock;

/// Until something can be read, or the time is over.
bool wait_readable(int fd, Clock::time_point until) {
  for (;;) {
    auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
    pollfd one{fd, POLLIN, 0};
    int n = ::poll(&one, 1, left.count() > 0 ? int(left.count()) : 0);
    if (n >= 0) return n > 0;
    if (errno != EINTR) return false;
  }
}

}  // namespace

Result<Keeper> Keeper::start() {
  UniqueFd ours, theirs;
  pid_t pid = make_channel(ours, theirs) ? ::fork() : -1;
  if (pid < 0)
    return fail(
        ErrorKind::infrastructure,
        fmt::format(
            "no child process can be made: {}. Close other programs, or raise the limits on processes "
            "and open files (ulimit -u, ulimit -n).",
            std::strerror(errno)));
  if (pid == 0) {
    ours.reset();
    ::_exit(run_keeper(theirs.release()));
  }
  return Keeper(std::move(ours), pid);
}

Keeper::~Keeper() {
  if (!channel_) return;
  // The keeper reads the end of the file and answers with its own when nothing is left.
  ::shutdown(channel_.get(), SHUT_WR);
  auto until = Clock::now() + std::chrono::seconds(5);
  Packet packet;
  for (;;) {
    Arrival arrival = receive_packet(channel_.get(), packet);
    if (arrival == Arrival::closed) break;
    // Something hangs in a driver; the keeper stays with it.
    if (arrival == Arrival::none && !wait_readable(channel_.get(), until)) return;
  }
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

bool Keeper::spawn(const SpawnOrder& order, int control, int error_output) {
  return send_packet(channel_.get(), to_packet(Order(order)), {control, error_output}) == Sent::yes;
}

std::optional<int> Keeper::spawner_status(std::uint64_t spawner, std::chrono::milliseconds patience) {
  auto until = Clock::now() + patience;
  Packet packet;
  for (;;) {
    Arrival arrival = receive_packet(channel_.get(), packet);
    if (arrival == Arrival::packet) {
      Report report;
      std::string why;
      if (!from_packet(packet.text, report, why)) continue;
      if (auto* ended = std::get_if<SpawnerEndedReport>(&report)) ended_[ended->spawner] = ended->status;
    }
    if (auto found = ended_.find(spawner); found != ended_.end()) return found->second;
    if (arrival == Arrival::closed) return std::nullopt;
    if (arrival == Arrival::none && !wait_readable(channel_.get(), until)) return std::nullopt;
  }
}

bool Keeper::alive() const {
  pollfd one{channel_.get(), POLLRDHUP, 0};
  return ::poll(&one, 1, 0) == 0;
}

}  // namespace relapse
