#pragma once

// JUnit XML: a suite for each case and device, a test case for each check. A broken promise is a failure; a
// crash, a time-out and a case that contradicts itself are errors with the last output; skipped has its
// reason.

#include <harness/journal/record.hpp>
#include <string>

namespace relapse {

std::string junit_report(const RunRecord& run);

/// The text without the characters that XML 1.0 does not allow, even escaped.
std::string legal_in_xml(const std::string& text);

}  // namespace relapse
