#pragma once

// Many runs of the same cases over time: when each last held and on what, which are unstable, what is
// missing.

#include <harness/journal/record.hpp>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace relapse {

/// What became of a case on one device in one run: the gravest of its checks.
enum class CaseOutcome : std::uint8_t { held, partly, red, quarantined, skipped, not_run };
std::string_view to_string(CaseOutcome outcome);

/// A case on one kind of device.
struct CaseHistory {
  std::string id, device, file;
  int runs = 0;  ///< in which it was planned, without those of the unfixed code
  int held = 0, red = 0, skipped = 0;
  std::string last_run, last_held, last_red;  ///< times as in the journal; empty: never
  std::string torch_at_last_held;
  CaseOutcome last = CaseOutcome::not_run;
  std::string last_symptom;     ///< signature of the first red check of the last run in which it was red
  std::string skip_reason;      ///< of the last skip
  int changes = 0;              ///< from held to red or back, with the same file, LibTorch and options
  bool repeats_differ = false;  ///< a check was unstable within one run
  bool unstable() const { return repeats_differ || changes >= 2; }
};

struct History {
  std::vector<CaseHistory> cases;  ///< by id, then device
  /// By case: hashes of the file with which the unfixed code showed the recorded symptom, and when last.
  std::map<std::string, std::map<std::string, std::string>> armed;
  int runs = 0;
  std::string first, last;  ///< times of the runs
};

/// Collects runs, oldest first.
class HistoryBuilder {
 public:
  void add(const RunRecord& run);
  History finish() &&;

 private:
  struct Before {
    bool known = false, red = false;
    std::string surroundings;
  };
  void add_unfixed(const RunRecord& run);
  History history_;
  std::map<std::pair<std::string, std::string>, CaseHistory> cases_;
  std::map<std::pair<std::string, std::string>, Before> before_;
};

/// Whole days from one time to another, both as `2026-12-01T10:15:02Z` or dates; -1: one of them is none.
int days_between(const std::string& earlier, const std::string& later);

}  // namespace relapse
