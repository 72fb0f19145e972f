#pragma once

// The isolator's end of one spawner: its connection, and what it printed. Made through the keeper or by
// connecting to a server.

#include <harness/isolate/capture.hpp>
#include <harness/isolate/control_channel.hpp>
#include <harness/isolate/control_messages.hpp>
#include <harness/isolate/interrupt_watch.hpp>
#include <harness/isolate/keeper.hpp>
#include <harness/isolate/unique_fd.hpp>
#include <harness/support/result.hpp>
#include <memory>
#include <string>
#include <vector>

namespace relapse {

enum class LinkKind : std::uint8_t { zygote, exec_each, server };

struct SpawnerLink {
  std::uint64_t name = 0;
  LinkKind kind = LinkKind::zygote;
  std::vector<std::string> libraries;  ///< of a zygote: what it has loaded
  UniqueFd control;
  UniqueFd errors;  ///< its 1 and 2; none of a server's
  Capture said{16 << 10};

  /// Waits a bounded time while the socket is full.
  Sent send(const Order& order, const std::vector<int>& fds = {});
  /// What waits to be read of `errors`.
  void listen();
  /// Its printed lines, indented, or a sentence that there were none.
  std::string printed();
};

/// Whether it can be run at all; the error says what to do.
Result<void> check_worker(const std::string& worker);

/// Starts a spawner below `keeper` and waits until it is ready. The error names the worker, says what the
/// spawner printed and what to do. `order.spawner` is the link's name.
Result<std::unique_ptr<SpawnerLink>> make_link(Keeper& keeper, const SpawnOrder& order,
                                               InterruptWatch* interrupts);

/// A spawner of a running server, or null.
std::unique_ptr<SpawnerLink> link_to_server(const std::string& socket, std::uint64_t name);

/// `exited with status 1`, `was killed by SIGSEGV`; of a status as of wait().
std::string status_text(int status);

}  // namespace relapse
