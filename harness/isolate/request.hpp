#pragma once

// What the parent asks of a child. One request a child.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace relapse {

enum class RequestKind : std::uint8_t {
  attempt,  ///< run checks of one case on one device
  schemas,  ///< the installed schemas of an operator (`show OP`)
  probe,    ///< what the device and the library are (`doctor`, `needs`)
  facts,    ///< the inputs of the checks and their facts, without running the subject (`show ID`)
  canary    ///< a sum on the device whose answer is known
};

std::string_view to_string(RequestKind kind);

struct Request {
  RequestKind kind = RequestKind::attempt;
  std::string nonce;      ///< random, must come back in `done`
  std::string case_file;  ///< absolute path
  std::string case_id;
  std::string case_hash;  ///< SHA-256 of the file; the child refuses another content
  std::string device;     ///< a kind: `cpu`, `cuda`, or what a plugin registers
  std::string mode = "blocking";
  std::vector<std::string> libraries;  ///< absolute paths, loaded in this order before anything runs
  /// Set before the child's first use of the device. What is read while libraries load comes too late here.
  std::vector<std::pair<std::string, std::string>> environment;
  /// Not empty: a program and its arguments that runs the worker, such as compute-sanitizer. The attempt is
  /// then exec'd.
  std::vector<std::string> wrapper;
  std::string role = "fixed";
  std::vector<std::string> checks;  ///< names, in order
  std::string text;                 ///< operator name of `schemas`
  bool data_only =
      false;  ///< the case is a stranger's: the child gives up what it does not need before it reads it
  unsigned cpu_seconds = 0;  ///< of data_only
  int threads = 1;
  std::uint64_t memory_limit = 0;  ///< bytes above what the child has at its start; 0: none
};

/// One line of JSON without its end, and back; `kind` unknown or a member of the wrong type: nothing, with
/// `why`.
std::string to_line(const Request& request);
bool from_line(const std::string& line, Request& request, std::string& why);

}  // namespace relapse
