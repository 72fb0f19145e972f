#pragma once

// The process between relapse and everything that runs: a fork of relapse, without exec, that ends all of its
// descendants when relapse is gone, however it went. It starts the spawners; it sees nothing of the attempts.

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <harness/isolate/control_messages.hpp>
#include <harness/isolate/unique_fd.hpp>
#include <harness/support/result.hpp>
#include <map>
#include <optional>

namespace relapse {

/// The parent's end. The connection is the lifeline: it closes with this object, or with the process that
/// holds it.
class Keeper {
 public:
  /// Forks. The caller is single-threaded.
  static Result<Keeper> start();
  Keeper(Keeper&&) noexcept = default;
  Keeper& operator=(Keeper&&) = delete;
  ~Keeper();  ///< waits until nothing below is left, at most 5 s

  /// Asks for a spawner that serves `control` and whose 1 and 2 are `error_output`. False when the keeper is
  /// gone.
  bool spawn(const SpawnOrder& order, int control, int error_output);

  /// The status, as of wait(), of a spawner whose connection is closed, once nothing of it is left; nothing
  /// when that takes longer than `patience` or the keeper is gone too.
  std::optional<int> spawner_status(std::uint64_t spawner, std::chrono::milliseconds patience);

  bool alive() const;
  pid_t pid() const { return pid_; }

 private:
  Keeper(UniqueFd channel, pid_t pid) : channel_(std::move(channel)), pid_(pid) {}
  UniqueFd channel_;
  pid_t pid_ = -1;
  std::map<std::uint64_t, int> ended_;  ///< reported and not asked for yet
};

}  // namespace relapse
