#pragma once

// `relapse serve`: one warm zygote that many short relapse processes share. A client hands its own pipes to
// the zygote, so the server sees no result and decides nothing; when a client dies its attempts end.

#include <chrono>
#include <harness/support/result.hpp>
#include <string>

namespace relapse {

struct ServerOptions {
  std::string worker;
  std::string socket;                   ///< path; see default_server_socket()
  std::chrono::seconds idle_limit{60};  ///< ends by itself after this long without a client
};

/// A path private to this user and this worker binary (its path and build), short enough for a unix socket.
std::string default_server_socket(const std::string& worker);

/// Starts the server in the background (own session, 0 to 2 closed) and returns when it answers, or why it
/// cannot. An answering server is left alone and counts as success; a stale socket is replaced.
Result<void> start_server(const ServerOptions& options);

/// Ends the server and everything below it; success when none runs.
Result<void> stop_server(const std::string& socket);

/// Connects to a zygote of the server: a control connection as run_spawner() takes, or nothing when none
/// answers.
int connect_to_server(const std::string& socket);

}  // namespace relapse
