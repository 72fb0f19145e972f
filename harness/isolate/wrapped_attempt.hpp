#pragma once

// An attempt that runs below another program (compute-sanitizer), which hands no descriptors on: the request
// and the answers go through files, and this process passes the answers on while they come.

#include <harness/isolate/request.hpp>
#include <string>

namespace relapse {

/// Runs `request.wrapper` with the worker as its program, in the process of the attempt. Gives the exit
/// status of the wrapper; a wrapper that died by a signal ends the caller by the same.
int run_wrapped_attempt(const std::string& worker, const Request& request, int protocol_fd);

}  // namespace relapse
