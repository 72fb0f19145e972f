#pragma once

// What is wrong with a collection of cases although every run is green: incidents that nothing shows to be
// caught, cases that no GPU has seen for long, that only ever skip, that are unstable, and quarantines that
// ended.

#include <harness/case/quarantine.hpp>
#include <harness/history/history.hpp>
#include <string>
#include <vector>

namespace relapse {

/// A case as it is now.
struct AuditedCase {
  std::string id, file, hash;
  bool on_gpu = true;        ///< its `needs` allow a device other than the CPU
  bool can_be_armed = true;  ///< there is unfixed code that could show the symptom
  std::string why_not;       ///< when there is none
};

struct AuditOptions {
  std::string today;  ///< `2026-12-01`
  int gpu_days = 30;
};

struct AuditFinding {
  std::string kind;  ///< `unarmed`, `no-gpu`, `only-skipped`, `never-run`, `unstable`, `quarantine`
  std::string what;  ///< id, or the place of an entry
  std::string text;
};

/// Sorted by kind in the order above, then by case.
std::vector<AuditFinding> audit(const std::vector<AuditedCase>& cases, const History& history,
                                const std::vector<QuarantineEntry>& quarantine, const AuditOptions& options);

}  // namespace relapse
