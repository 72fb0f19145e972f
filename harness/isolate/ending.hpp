#pragma once

// How one child ended, and what it left. Facts only; what they mean is verdict/'s.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace relapse {

/// Captured output of one descriptor: the head and the tail when it passed the cap.
struct Captured {
  std::string text;         ///< valid UTF-8
  std::uint64_t bytes = 0;  ///< written by the child in all
  bool truncated = false;
};

/// A process that the child left behind and that was ended.
struct Leak {
  int pid = 0;
  std::string command;
};

enum class EndCause : std::uint8_t {
  by_itself,
  deadline,     ///< the time limit: SIGTERM to the group, then SIGKILL
  memory,       ///< the resident set passed the limit and it was killed for that
  interrupted,  ///< the run was interrupted
  lost          ///< the zygote or keeper above it died, so its status is unknown
};

struct Ending {
  EndCause cause = EndCause::by_itself;
  int exit_status = -1;  ///< when it exited
  int signal = 0;        ///< when it was killed
  bool core_dumped = false;
  bool grace_ran_out = false;  ///< SIGTERM was not enough
  bool unkillable = false;     ///< alive 30 s after SIGKILL
  bool done = false;           ///< the token came: `done` with the right nonce
  std::string protocol_error;  ///< half a line, a wrong nonce, a second answer, ...; empty: none
  Captured out, err;
  std::vector<Leak> leaks;
  double seconds = 0;
  double cpu_seconds = 0;
  std::uint64_t max_rss = 0;  ///< bytes
};

}  // namespace relapse
