#pragma once

// The lines that a child answers with, one JSON object each. The JSON of the protocol lives here and nowhere
// else: the worker writes with to_json and send, the parent reads with parse_line. docs/protocol.md says
// every member.

#include <harness/plan/observation.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace relapse {

inline constexpr int kProtocolVersion = 2;

/// First line of every child.
struct Hello {
  int protocol = kProtocolVersion;
  std::string nonce;
  std::string worker_version, torch_version;
  std::string device;
  std::vector<std::pair<std::string, std::string>> environment;  ///< switches as the child sees them
  std::vector<std::pair<std::string, std::string>> settings;     ///< threads, tf32, deterministic, ...
};
/// A library is about to be loaded: its registration may end the process.
struct Loading {
  std::string library;
};
struct CheckStarted {
  std::string check;
};
struct StepStarted {
  std::string check;
  StepRecord step;
};
struct Observed {
  Observation observation;
};
/// Whatever a request other than `attempt` is answered with.
struct Answer {
  nlohmann::json body;
};
/// Last line: the token.
struct Done {
  std::string nonce;
  int checks = 0;
  int clauses_evaluated = 0;
  int guards_reached = 0;
};
using Message = std::variant<Hello, Loading, CheckStarted, StepStarted, Observed, Answer, Done>;

nlohmann::json to_json(const TensorFacts& facts);
nlohmann::json to_json(const MismatchPicture& picture);
nlohmann::json to_json(const Breach& breach);
nlohmann::json to_json(const StepRecord& step);
nlohmann::json to_json(const Observation& observation);
nlohmann::json to_json(const Message& message);

/// The message of one line (without its end), or why it is none: not JSON, no known event, a member missing
/// or wrong. Lines longer than `limit` bytes are refused before parsing; nesting is bounded.
struct ParsedLine {
  std::variant<Message, std::string> value;  ///< the message or the reason
};
ParsedLine parse_line(std::string_view line, std::size_t limit = 8u << 20);
bool observation_from(const nlohmann::json& json, Observation& out, std::string& why);

/// Writes one line to `fd` in full; false when the other end is gone. One write() a line up to PIPE_BUF.
bool send_line(int fd, const nlohmann::json& json);

/// Lines that go out together: each write wakes the reader, and a small case would wake it sixty times. What
/// was added must be flushed before anything runs that may end the process.
class LineWriter {
 public:
  explicit LineWriter(int fd) : fd_(fd) {}
  void add(const nlohmann::json& json);
  /// False when the other end is gone.
  bool flush();

 private:
  int fd_;
  std::string waiting_;
};

}  // namespace relapse
