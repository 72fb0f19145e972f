#pragma once

// The machine-readable report, schema version 1; docs/json-report.md says every member.

#include <harness/journal/record.hpp>
#include <string>

namespace relapse {

inline constexpr int kJsonReportVersion = 1;
std::string json_report(const RunRecord& run);

}  // namespace relapse
