#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <harness/isolate/child_pipes.hpp>
#include <harness/isolate/control_channel.hpp>
#include <harness/isolate/server.hpp>
#include <harness/isolate/spawner_link.hpp>
#include <harness/isolate/wire.hpp>
#include <harness/support/text.hpp>

namespace relapse {

namespace {

using Clock = std::chrono::steady_clock;

// LibTorch from a cold network disk takes its time.
constexpr std::chrono::seconds kStartPatience{120};
constexpr std::chrono::seconds kSendPatience{10};
constexpr std::chrono::seconds kStatusPatience{2};

constexpr const char* kAdvice = "`relapse doctor` says what is missing.";

enum class Readiness { ready, gone, too_late, interrupted, other_version };

bool wait_for(std::vector<pollfd>& fds, Clock::time_point until, InterruptWatch* interrupts) {
  if (interrupts) return interrupts->wait(fds, until);
  auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
  return ::poll(fds.data(), fds.size(), left.count() > 0 ? int(left.count()) : 0) > 0;
}

Readiness wait_until_ready(SpawnerLink& link, InterruptWatch* interrupts) {
  auto until = Clock::now() + kStartPatience;
  for (;;) {
    Packet packet;
    Arrival arrival = receive_packet(link.control.get(), packet);
    link.listen();
    if (arrival == Arrival::closed) return Readiness::gone;
    if (arrival == Arrival::packet) {
      Report report;
      std::string why;
      auto* ready = from_packet(packet.text, report, why) ? std::get_if<ReadyReport>(&report) : nullptr;
      return ready && ready->protocol == kProtocolVersion ? Readiness::ready : Readiness::other_version;
    }
    std::vector<pollfd> fds{{link.control.get(), POLLIN, 0}};
    if (link.errors) fds.push_back({link.errors.get(), POLLIN, 0});
    wait_for(fds, until, interrupts);
    if (interrupts && interrupts->pending()) return Readiness::interrupted;
    if (Clock::now() >= until) return Readiness::too_late;
  }
}

std::string death_text(Keeper& keeper, std::uint64_t spawner) {
  std::optional<int> status = keeper.spawner_status(spawner, kStatusPatience);
  return status ? status_text(*status) : "ended";
}

}  // namespace

Sent SpawnerLink::send(const Order& order, const std::vector<int>& fds) {
  std::string text = to_packet(order);
  auto until = Clock::now() + kSendPatience;
  for (;;) {
    Sent sent = send_packet(control.get(), text, fds);
    if (sent != Sent::later || Clock::now() >= until) return sent;
    std::vector<pollfd> room{{control.get(), POLLOUT, 0}};
    wait_for(room, until, nullptr);
  }
}

void SpawnerLink::listen() {
  std::string bytes;
  read_available(errors, 64 << 10, bytes);
  said.add(bytes);
}

std::string SpawnerLink::printed() {
  listen();
  Captured captured = said.result();
  std::string_view text = trim(captured.text);
  if (text.empty()) return "It printed nothing.";
  std::string out = "It printed:";
  for (const std::string& line : split(text, '\n')) out += "\n  " + line;
  return out;
}

Result<void> check_worker(const std::string& worker) {
  if (::access(worker.c_str(), X_OK) == 0) return {};
  return fail(
      ErrorKind::infrastructure,
      fmt::format("the worker {} cannot be run: {}. Build or install relapse-worker for the LibTorch of this "
                  "machine. {}",
                  relapse::quoted(worker), std::strerror(errno), kAdvice));
}

Result<std::unique_ptr<SpawnerLink>> make_link(Keeper& keeper, const SpawnOrder& order,
                                               InterruptWatch* interrupts) {
  if (Result<void> runnable = check_worker(order.worker); !runnable)
    return tl::make_unexpected(runnable.error());
  auto link = std::make_unique<SpawnerLink>();
  link->name = order.spawner;
  link->kind = order.exec_each ? LinkKind::exec_each : LinkKind::zygote;
  UniqueFd theirs, their_errors;
  if (!make_channel(link->control, theirs) || !make_pipe(link->errors, their_errors))
    return fail(
        ErrorKind::infrastructure,
        fmt::format("no connection to the worker can be made: {}. Raise the limit on open files (ulimit -n).",
                    std::strerror(errno)));
  if (!keeper.spawn(order, theirs.get(), their_errors.get()))
    return fail(ErrorKind::infrastructure, "the process that keeps the workers (relapse-keeper) was killed.");
  theirs.reset();
  their_errors.reset();
  switch (wait_until_ready(*link, interrupts)) {
    case Readiness::ready:
      return link;
    case Readiness::gone: {
      std::string death = death_text(keeper, link->name);
      return fail(ErrorKind::infrastructure,
                  fmt::format("the worker {} {} before it was ready. {}\n{}", relapse::quoted(order.worker),
                              death, link->printed(), kAdvice));
    }
    case Readiness::too_late:
      return fail(ErrorKind::infrastructure,
                  fmt::format("the worker {} was not ready after {} s. {}\n{}", relapse::quoted(order.worker),
                              kStartPatience.count(), link->printed(), kAdvice));
    case Readiness::interrupted:
      return fail(ErrorKind::infrastructure, "interrupted while the worker was starting.");
    case Readiness::other_version:
      return fail(
          ErrorKind::infrastructure,
          fmt::format(
              "the worker {} speaks another protocol than this relapse ({}). Build or install both from "
              "the same version.",
              relapse::quoted(order.worker), kProtocolVersion));
  }
  return link;
}

std::unique_ptr<SpawnerLink> link_to_server(const std::string& socket, std::uint64_t name) {
  auto link = std::make_unique<SpawnerLink>();
  link->name = name;
  link->kind = LinkKind::server;
  link->control.reset(connect_to_server(socket));
  if (!link->control || wait_until_ready(*link, nullptr) != Readiness::ready) return nullptr;
  return link;
}

std::string status_text(int status) {
  if (WIFEXITED(status)) return fmt::format("exited with status {}", WEXITSTATUS(status));
  int number = WTERMSIG(status);
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 32)
  if (const char* name = ::sigabbrev_np(number)) return fmt::format("was killed by SIG{}", name);
#endif
  return fmt::format("was killed by signal {}", number);
}

}  // namespace relapse
