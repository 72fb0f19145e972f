#pragma once

// Cases counted by device and mode: the numbers that reports give at their top.

#include <harness/journal/record.hpp>
#include <string>
#include <vector>

namespace relapse {

/// A case is red when one of its checks is, held when nothing is red and something held; held in part when
/// besides something was skipped; in quarantine when all that is red in it is.
enum class CaseState : std::uint8_t { held, partly, red, quarantined, skipped, not_run };
CaseState state_of(const RunRecord& run, const CaseRecord& kase);

struct DeviceTotals {
  std::string device, mode;
  int held = 0, partly = 0, red = 0, quarantined = 0, skipped = 0, not_run = 0;
};
/// By device and mode, in order of names.
std::vector<DeviceTotals> totals_of(const RunRecord& run);

}  // namespace relapse
