#pragma once

// What an attempt is asked, and how long and large it may get.

#include <harness/isolate/isolator.hpp>
#include <harness/schedule/scheduler.hpp>
#include <string>
#include <vector>

namespace relapse {

std::string random_nonce();

/// The request for some checks of a job; `look` is empty, or one of looks.hpp. Not yet in it: its devices.
Request attempt_request(const Job& job, const std::vector<std::string>& checks, const std::string& look,
                        const std::string& compute_sanitizer);

/// `timeout`: of the command line, over the case's own. Below the sanitizer everything takes ten times as
/// long.
AttemptLimits attempt_limits(const Job& job, std::optional<double> timeout, bool sanitized);

}  // namespace relapse
