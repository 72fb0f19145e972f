#pragma once

// Two runs, check by check: what changed its verdict between them, and what else differs that may be why.

#include <cstdint>
#include <harness/journal/record.hpp>
#include <optional>
#include <string>
#include <vector>

namespace relapse {

enum class Change : std::uint8_t {
  worse,      ///< red now, and was not; or held before and not shown any more
  different,  ///< red both times, by another symptom
  better,     ///< held now, and did not
  other       ///< neither side was held or red: skipped, not_run, left_out
};

struct ChangedCheck {
  std::string id;  ///< `index/labels@cuda/batch-2`
  std::string file;
  Change change = Change::other;
  std::optional<Verdict> before, after;  ///< nothing: the run has no such check
  bool file_changed = false;             ///< the two runs read different case files
};

struct RunDiff {
  std::vector<ChangedCheck> changes;  ///< worse first, then in the order of the runs
  int same = 0;                       ///< checks with the same verdict in both
  /// What is not a verdict and differs: `LibTorch 2.11.0 -> 2.15.0`.
  std::vector<std::string> surroundings;
  int count(Change change) const;
};

RunDiff diff_runs(const RunRecord& before, const RunRecord& after);

}  // namespace relapse
