#pragma once

// What a person reads after a run: a block a red check, what was skipped and why, totals. Wording only; the
// updating line is progress.hpp's.

#include <harness/journal/record.hpp>
#include <harness/report/style.hpp>
#include <string>

namespace relapse {

/// First lines of a run: versions, devices, how many cases from where.
std::string console_head(const RunRecord& run, const Style& style);
/// One red check.
std::string console_failure(const RunRecord& run, const CheckRecord& check, const Style& style);
/// Broken files, skips grouped by reason, totals, the journal, the exit code when it is not 0.
std::string console_tail(const RunRecord& run, const Style& style);
/// All of it, for `relapse report`.
std::string console_report(const RunRecord& run, const Style& style);

}  // namespace relapse
