#pragma once

// The parent's side: starts attempts in isolated processes and tells what happens to them. Owns the keeper,
// through it the zygotes, and the pipes of all attempts. Decides nothing about verdicts, devices or order.

#include <chrono>
#include <cstdint>
#include <harness/isolate/ending.hpp>
#include <harness/isolate/request.hpp>
#include <harness/isolate/wire.hpp>
#include <harness/support/result.hpp>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace relapse {

struct AttemptLimits {
  std::chrono::milliseconds timeout{60'000};  ///< then SIGTERM to the group
  std::chrono::milliseconds grace{2'000};     ///< then SIGKILL
  std::uint64_t resident_memory = 0;          ///< bytes; 0: not watched
  std::uint64_t output = 1u << 20;            ///< bytes kept of each of 1 and 2
};

enum class SpawnMode : std::uint8_t { fork, exec };

struct IsolatorOptions {
  std::string worker;  ///< path of relapse-worker
  SpawnMode spawn = SpawnMode::fork;
  std::string server_socket;  ///< a running `relapse serve` to use when it answers; empty: none
  std::vector<std::pair<std::string, std::string>>
      zygote_environment;  ///< load-time switches, set at the zygote's exec
};

using AttemptId = std::uint64_t;

/// A line of the child was read; `raw` is journaled before `message` is used.
struct AttemptLine {
  AttemptId attempt = 0;
  std::string raw;
  Message message;
};
struct AttemptStarted {
  AttemptId attempt = 0;
  int pid = 0;
};
struct AttemptEnded {
  AttemptId attempt = 0;
  Ending ending;
};
/// The zygote cannot fork any more, or it died; attempts that run come back as ended with `lost`. Later ones
/// are exec'd.
struct SpawnerLost {
  std::string why;
};
/// SIGINT or SIGTERM arrived.
struct Interrupted {
  int signal = 0;
};
using IsolateEvent = std::variant<AttemptStarted, AttemptLine, AttemptEnded, SpawnerLost, Interrupted>;

class Isolator {
 public:
  /// Starts nothing yet: the zygote is made at the first start(). Blocks SIGINT and SIGTERM except while
  /// next() waits.
  static Result<Isolator> create(IsolatorOptions options);
  Isolator(Isolator&&) noexcept;
  Isolator& operator=(Isolator&&) noexcept;
  ~Isolator();  ///< ends every attempt, the zygotes and the keeper

  /// Asks for one child. Its end always comes back as AttemptEnded, whatever happens.
  Result<AttemptId> start(const Request& request, const AttemptLimits& limits);

  /// Ends one attempt early: SIGTERM, grace, SIGKILL. Its AttemptEnded has this cause.
  void stop(AttemptId attempt, EndCause cause);

  /// The next event, or nothing when `until` has passed.
  std::optional<IsolateEvent> next(std::chrono::steady_clock::time_point until);

  std::size_t running() const;

 private:
  struct State;
  explicit Isolator(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace relapse
