#pragma once

// One question to a worker, and its answer.

#include <harness/isolate/isolator.hpp>
#include <harness/support/result.hpp>
#include <nlohmann/json.hpp>

namespace relapse {

/// Sends the request (its nonce is filled in) and waits for the answer, at most half a minute.
Result<nlohmann::json> ask(Isolator& isolator, Request request);

}  // namespace relapse
