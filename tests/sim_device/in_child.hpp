#pragma once

// Runs a piece of a test in a process of its own: a device that failed stays failed, and some never answer.

#include <chrono>
#include <functional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace sim_test {

struct Child {
  std::string said;    ///< what the body wrote to its stream
  std::string output;  ///< standard output
  std::string errors;  ///< standard error
  int signal = 0;
  int status = -1;
  bool hung = false;
};

using Variables = std::vector<std::pair<std::string, std::string>>;

/// Forks, sets the variables, runs the body. A child that is there after `limit` is ended and counts as hung.
Child in_child(const Variables& variables, const std::function<void(std::ostream&)>& body,
               std::chrono::milliseconds limit = std::chrono::seconds(20));

/// What an action does, in a word or two: `ok`, or the class of its exception with the code and the first
/// line.
std::string outcome(const std::function<void()>& action);

}  // namespace sim_test
