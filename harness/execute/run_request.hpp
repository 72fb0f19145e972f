#pragma once

// The worker's inside: one request in, protocol lines out. Exceptions of LibTorch end here, as observations.

#include <harness/isolate/request.hpp>
#include <string>

namespace relapse {

/// Answers one request on `protocol_fd`: hello, the checks, done. Returns the exit status of the child: 0
/// when the token was sent; it may also leave with _exit() after a sticky fault. Runs in a forked child or in
/// an exec'd one-shot.
int run_request(const Request& request, int protocol_fd);

/// What a zygote does once before it serves, so that its children need not: one thread, the operator
/// registry, small CPU operators, one caught exception. Never backward, never a parallel region, nothing that
/// asks for CUDA.
void warm_up();

/// Why a fork of this process would not be safe now; empty when it is: one thread, the CUDA driver not
/// initialised.
std::string why_not_fork();

}  // namespace relapse
