#pragma once

// What the tests of the isolator share: one attempt from start to end, with everything that it said.

#include <gtest/gtest.h>

#include <harness/isolate/isolator.hpp>
#include <string>
#include <vector>

namespace relapse {

/// Options for the stand-in worker of tests/children.
IsolatorOptions test_options(SpawnMode mode);
Isolator make_isolator(SpawnMode mode);

Request request_for(const std::string& misbehaviour, std::vector<std::string> checks = {"failing"});

struct Seen {
  std::vector<AttemptLine> lines;
  std::vector<std::string> lost;  ///< SpawnerLost
  int pid = 0;
  bool ended = false;
  Ending ending;
  std::string why_not_started;
  std::string order;  ///< of events: s started, l line, e ended, x lost
};

/// Starts one attempt and waits for its end, at most a minute.
Seen run(Isolator& isolator, const Request& request, const AttemptLimits& limits = {});
/// Waits for the end of one that runs.
void finish(Isolator& isolator, AttemptId id, Seen& seen);

/// The numbers after `word` at the start of lines.
std::vector<int> numbers_after(const std::string& word, const std::string& text);

/// Waits, at most a quarter of a minute, until no process has this id or it is dead.
bool is_gone(int pid);

/// Short limits: time-out, grace.
AttemptLimits limits_of(int timeout_ms, int grace_ms);

inline std::string mode_name(const testing::TestParamInfo<SpawnMode>& mode) {
  return mode.param == SpawnMode::fork ? "fork" : "exec";
}

}  // namespace relapse
