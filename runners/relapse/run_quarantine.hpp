#pragma once

// The quarantine file of a run: which checks of which jobs it means.

#include <harness/case/quarantine.hpp>
#include <harness/schedule/scheduler.hpp>
#include <harness/support/result.hpp>
#include <runners/relapse/load.hpp>
#include <string>
#include <vector>

namespace relapse {

struct Quarantine {
  std::string file;
  std::vector<QuarantineEntry> entries;
};

/// `option` as given, `none` for no file; empty: `quarantine.yaml` beside the cases folder, where there is
/// one. The error holds every mistake of the file, with positions.
Result<Quarantine> load_quarantine(const std::string& option, const std::string& root);

/// Whether the entry means this check of a case; empty device or check: any.
bool means(const QuarantineEntry& entry, const std::string& kase, const std::string& device,
           const std::string& check);

/// `today` (`2026-12-01`) is after its last day.
bool has_expired(const QuarantineEntry& entry, const std::string& today);

/// Emits `quarantined` for all checks of the jobs that are meant, and marks them.
void put_in_quarantine(std::vector<Job>& jobs, const Quarantine& quarantine, const std::string& today,
                       const EventSink& emit);

}  // namespace relapse
