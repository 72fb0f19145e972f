// Starting and stopping a server, from outside. What it does itself is in server_process.cpp.

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <harness/isolate/control_channel.hpp>
#include <harness/isolate/control_messages.hpp>
#include <harness/isolate/server.hpp>
#include <harness/isolate/server_process.hpp>
#include <harness/isolate/server_socket.hpp>
#include <harness/isolate/spawner_link.hpp>
#include <harness/support/text.hpp>
#include <thread>

namespace relapse {

namespace {

using Clock = std::chrono::steady_clock;

// Longer than a zygote may take to get ready.
constexpr std::chrono::seconds kStartPatience{150};
constexpr std::chrono::seconds kStopPatience{15};
constexpr std::chrono::milliseconds kLookAgain{10};

bool answers(const std::string& socket) {
  return bool(UniqueFd(connect_to_server(socket)));
}

UniqueFd open_lock(const std::string& socket) {
  return UniqueFd(::open(server_lock_file(socket).c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
}

bool try_lock(const UniqueFd& file) {
  return ::flock(file.get(), LOCK_EX | LOCK_NB) == 0;
}

std::string read_to_end(const UniqueFd& fd) {
  std::string text;
  char part[4096];
  for (;;) {
    ssize_t n = ::read(fd.get(), part, sizeof part);
    if (n > 0)
      text.append(part, std::size_t(n));
    else if (n == 0 || errno != EINTR)
      return text;
  }
}

/// With the lock held: the server takes it over.
Result<void> fork_server(const ServerOptions& options, const UniqueFd& lock) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return fail(ErrorKind::infrastructure, fmt::format("no pipe can be made: {}", std::strerror(errno)));
  UniqueFd reader(ends[0]), writer(ends[1]);
  pid_t pid = ::fork();
  if (pid < 0)
    return fail(ErrorKind::infrastructure, fmt::format("no process can be made: {}", std::strerror(errno)));
  if (pid == 0) {
    // Twice, so that the server is nobody's child and nobody must reap it.
    if (::fork() != 0) ::_exit(0);
    ::_exit(run_server(options, lock.get(), writer.get()));
  }
  writer.reset();
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  std::string said = read_to_end(reader);
  if (said == "ready") return {};
  return fail(ErrorKind::infrastructure, said.empty() ? "the server ended before it was ready" : said);
}

}  // namespace

Result<void> start_server(const ServerOptions& options) {
  if (answers(options.socket)) return {};
  // The server leaves this folder, so the path must not depend on it.
  ServerOptions absolute = options;
  std::error_code error;
  absolute.worker = std::filesystem::absolute(options.worker, error).string();
  absolute.socket = std::filesystem::absolute(options.socket, error).string();
  if (Result<void> runnable = check_worker(absolute.worker); !runnable) return runnable;
  if (Result<void> folder = prepare_server_folder(absolute.socket); !folder) return folder;
  UniqueFd lock = open_lock(absolute.socket);
  if (!lock)
    return fail(ErrorKind::infrastructure,
                fmt::format("{} cannot be opened: {}", relapse::quoted(server_lock_file(absolute.socket)),
                            std::strerror(errno)));
  auto until = Clock::now() + kStartPatience;
  while (!try_lock(lock)) {
    // Another one is being started at this moment, or is ending.
    if (answers(absolute.socket)) return {};
    if (Clock::now() >= until)
      return fail(
          ErrorKind::infrastructure,
          fmt::format("the server at {} holds its lock but does not answer; end that process (`fuser {}`)",
                      relapse::quoted(absolute.socket), server_lock_file(absolute.socket)));
    std::this_thread::sleep_for(kLookAgain);
  }
  return fork_server(absolute, lock);
}

Result<void> stop_server(const std::string& socket) {
  UniqueFd connection(connect_to_server(socket));
  if (!connection) return {};
  auto until = Clock::now() + kStopPatience;
  auto unanswered = [&] {
    return fail(ErrorKind::infrastructure,
                fmt::format("the server at {} was asked to end and did not", relapse::quoted(socket)));
  };
  if (send_packet(connection.get(), to_packet(Order(StopOrder{}))) != Sent::yes) return unanswered();
  for (;;) {
    Packet packet;
    Arrival arrival = receive_packet(connection.get(), packet);
    if (arrival == Arrival::closed) break;
    if (arrival == Arrival::packet) continue;
    pollfd one{connection.get(), POLLIN, 0};
    auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
    if (left.count() <= 0) return unanswered();
    ::poll(&one, 1, int(left.count()));
  }
  // The zygote is gone; the lock is free when the server and everything below it are.
  UniqueFd lock = open_lock(socket);
  while (lock && !try_lock(lock)) {
    if (Clock::now() >= until) return unanswered();
    std::this_thread::sleep_for(kLookAgain);
  }
  return {};
}

}  // namespace relapse
