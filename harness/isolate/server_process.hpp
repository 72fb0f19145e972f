#pragma once

// What the server does in its own process.

#include <harness/isolate/server.hpp>

namespace relapse {

/// Detaches from the terminal, starts keeper and zygote, writes `ready` or an error to `status` and closes
/// it, then hands connections to the zygote until it is asked to end or nobody came for the idle limit. Keeps
/// `lock` open to its end.
int run_server(const ServerOptions& options, int lock, int status);

}  // namespace relapse
