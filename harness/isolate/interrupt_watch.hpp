#pragma once

// SIGINT and SIGTERM as a value: blocked except inside wait(), where a handler sets a flag and nothing else.

#include <poll.h>
#include <signal.h>

#include <chrono>
#include <vector>

namespace relapse {

class InterruptWatch {
 public:
  InterruptWatch();
  ~InterruptWatch();  ///< mask and handlers are again what they were
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

  /// ppoll() with the signals let through. True when a descriptor is ready.
  bool wait(std::vector<pollfd>& fds, std::chrono::steady_clock::time_point until);

  /// The signal that arrived since the last call, or 0.
  int take();
  /// One has arrived and was not taken yet.
  bool pending() const;

 private:
  sigset_t mask_before_{}, mask_while_waiting_{};
  struct sigaction int_before_ {
  }, term_before_{}, hup_before_{};
};

}  // namespace relapse
