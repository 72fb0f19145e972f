#pragma once

// One attempt as relapse sees it: its pipes, what came through them, its clock, and the Ending made of all
// that. Sends no signals and talks to no spawner; the isolator does.

#include <harness/isolate/capture.hpp>
#include <harness/isolate/child_pipes.hpp>
#include <harness/isolate/control_messages.hpp>
#include <harness/isolate/ending_clock.hpp>
#include <harness/isolate/isolator.hpp>
#include <harness/isolate/line_reader.hpp>
#include <harness/isolate/protocol_check.hpp>
#include <vector>

namespace relapse {

class Attempt {
 public:
  Attempt(AttemptId id, Request request, const AttemptLimits& limits);

  AttemptId id() const { return id_; }
  const Request& request() const { return request_; }
  EndingClock& clock() { return clock_; }
  std::uint64_t spawner = 0;  ///< who has it
  int pid = 0;                ///< 0: not started yet

  /// New pipes; the writers go to the spawner. False with errno set.
  bool open_pipes(PipeWriters& writers);
  /// Descriptors to wait for; those that are closed are left out.
  std::vector<int> open_fds() const;
  /// Reads a bounded part of what is there and returns the messages of it.
  std::vector<AttemptLine> read_some();
  /// The process is gone: reads what is left in the pipes, and waits for nobody who still holds them.
  std::vector<AttemptLine> read_rest();

  /// Is the resident set above its limit, and is it time to look?
  bool memory_exceeded(EndingClock::TimePoint now);
  bool memory_watched() const { return limits_.resident_memory > 0 && pid > 0; }

  /// After read_rest().
  Ending ended(const EndedReport& report);
  Ending lost();
  Ending unkillable();

 private:
  std::vector<AttemptLine> take_lines(std::string_view bytes);
  Ending ending();

  AttemptId id_;
  Request request_;
  AttemptLimits limits_;
  EndingClock clock_;
  EndingClock::TimePoint begun_, next_memory_look_;
  PipeReaders pipes_;
  Capture out_, err_;
  LineReader lines_;
  ProtocolCheck protocol_;
};

/// How often the resident set is looked at.
inline constexpr std::chrono::milliseconds kMemoryPeriod{50};

}  // namespace relapse
