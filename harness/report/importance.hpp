#pragma once

// Which red checks a reader should meet first, for reports that show only some of them.

#include <harness/journal/record.hpp>
#include <vector>

namespace relapse {

/// The red checks: first the worst of every case on every device, then the second of each, and so on; within
/// that an incident that is back comes before a crash, a crash before a hang, a hang before a broken promise.
/// So ten places show ten cases rather than ten checks of one.
struct RedChecks {
  std::vector<const CheckRecord*> all;
  std::size_t worst_of_each =
      0;  ///< so many at the front are one for each case; broken files belong behind them
};
RedChecks red_by_importance(const RunRecord& run);

}  // namespace relapse
