#pragma once

// What an attempt can do wrong, by name. A name and its argument are the request's `text`: `exit 7`, `flood
// 100`.

#include <harness/isolate/request.hpp>

namespace relapse {

/// The body of an attempt that does what `request.text` says. Returns the exit status. Empty text: answers as
/// it should.
int misbehave(const Request& request, int protocol_fd);

}  // namespace relapse
