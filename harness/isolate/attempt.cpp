#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <harness/isolate/attempt.hpp>

namespace relapse {

namespace {

using Clock = std::chrono::steady_clock;

// Read of one pipe before the others, the clocks and the signals have their turn.
constexpr std::size_t kTurn = 256 << 10;

std::uint64_t resident_bytes(int pid) {
  UniqueFd file(::open(fmt::format("/proc/{}/statm", pid).c_str(), O_RDONLY | O_CLOEXEC));
  char text[128] = {};
  if (!file || ::read(file.get(), text, sizeof text - 1) <= 0) return 0;
  unsigned long total = 0, resident = 0;
  if (std::sscanf(text, "%lu %lu", &total, &resident) != 2) return 0;
  return std::uint64_t(resident) * std::uint64_t(::sysconf(_SC_PAGESIZE));
}

}  // namespace

Attempt::Attempt(AttemptId id, Request request, const AttemptLimits& limits)
    : id_(id),
      request_(std::move(request)),
      limits_(limits),
      clock_(limits, Clock::now()),
      begun_(Clock::now()),
      next_memory_look_(begun_ + kMemoryPeriod),
      out_(limits.output),
      err_(limits.output),
      protocol_(request_) {}

bool Attempt::open_pipes(PipeWriters& writers) {
  return make_pipes(pipes_, writers);
}

std::vector<int> Attempt::open_fds() const {
  std::vector<int> fds;
  for (const UniqueFd* fd : {&pipes_.out, &pipes_.err, &pipes_.protocol})
    if (*fd) fds.push_back(fd->get());
  return fds;
}

std::vector<AttemptLine> Attempt::take_lines(std::string_view bytes) {
  std::vector<AttemptLine> out;
  for (std::string& line : lines_.feed(bytes)) {
    ParsedLine parsed = parse_line(line);
    if (std::string* why = std::get_if<std::string>(&parsed.value))
      protocol_.refuse(std::move(*why));
    else if (Message& message = std::get<Message>(parsed.value); protocol_.accept(message))
      out.push_back({id_, std::move(line), std::move(message)});
  }
  return out;
}

std::vector<AttemptLine> Attempt::read_some() {
  std::string bytes;
  read_available(pipes_.out, kTurn, bytes);
  out_.add(bytes);
  bytes.clear();
  read_available(pipes_.err, kTurn, bytes);
  err_.add(bytes);
  bytes.clear();
  read_available(pipes_.protocol, kTurn, bytes);
  return take_lines(bytes);
}

std::vector<AttemptLine> Attempt::read_rest() {
  std::vector<AttemptLine> lines;
  std::string bytes;
  auto read_once = [&](UniqueFd& fd) {
    // What is there now and no more: a stranger may write on.
    std::size_t waiting = bytes_waiting(fd);
    bytes.clear();
    while (bytes.size() < waiting && fd) {
      std::size_t before = bytes.size();
      read_available(fd, waiting - before, bytes);
      if (bytes.size() == before) break;
    }
    fd.reset();
  };
  read_once(pipes_.out);
  out_.add(bytes);
  read_once(pipes_.err);
  err_.add(bytes);
  read_once(pipes_.protocol);
  lines = take_lines(bytes);
  protocol_.end(lines_.rest());
  return lines;
}

bool Attempt::memory_exceeded(EndingClock::TimePoint now) {
  if (!memory_watched() || now < next_memory_look_) return false;
  next_memory_look_ = now + kMemoryPeriod;
  return resident_bytes(pid) > limits_.resident_memory;
}

Ending Attempt::ending() {
  Ending out;
  out.cause = clock_.cause();
  out.grace_ran_out = clock_.grace_ran_out();
  out.done = protocol_.done();
  out.protocol_error = protocol_.error();
  out.out = out_.result();
  out.err = err_.result();
  out.seconds = std::chrono::duration<double>(Clock::now() - begun_).count();
  return out;
}

Ending Attempt::ended(const EndedReport& report) {
  Ending out = ending();
  if (WIFEXITED(report.status)) out.exit_status = WEXITSTATUS(report.status);
  if (WIFSIGNALED(report.status)) {
    out.signal = WTERMSIG(report.status);
    out.core_dumped = WCOREDUMP(report.status);
  }
  out.leaks = report.leaks;
  out.seconds = report.seconds;
  out.cpu_seconds = report.cpu_seconds;
  out.max_rss = report.max_rss;
  return out;
}

Ending Attempt::lost() {
  Ending out = ending();
  out.cause = EndCause::lost;
  return out;
}

Ending Attempt::unkillable() {
  Ending out = ending();
  out.unkillable = true;
  return out;
}

}  // namespace relapse
