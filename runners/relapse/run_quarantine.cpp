#include <algorithm>
#include <filesystem>
#include <harness/plan/select.hpp>
#include <harness/support/file.hpp>
#include <map>
#include <runners/relapse/run_quarantine.hpp>

namespace relapse {

Result<Quarantine> load_quarantine(const std::string& option, const std::string& root) {
  namespace fs = std::filesystem;
  Quarantine quarantine;
  if (option == "none") return quarantine;
  const fs::path usual = fs::path(root).lexically_normal().parent_path() / "quarantine.yaml";
  quarantine.file = option.empty() ? usual.string() : option;
  std::error_code error;
  if (option.empty() && !fs::exists(quarantine.file, error)) return quarantine;
  const Result<std::string> text = read_file(quarantine.file);
  if (!text) return tl::make_unexpected(text.error());
  QuarantineResult read = read_quarantine(*text, quarantine.file);
  if (has_errors(read.diagnostics)) {
    std::string all = "the quarantine file is not understood; nothing was run\n";
    for (const Diagnostic& diagnostic : read.diagnostics) all += format(diagnostic);
    while (!all.empty() && all.back() == '\n') all.pop_back();
    return fail(ErrorKind::case_file, all);
  }
  quarantine.entries = std::move(read.entries);
  return quarantine;
}

bool means(const QuarantineEntry& entry, const std::string& kase, const std::string& device,
           const std::string& check) {
  const Selector selector = parse_selector(entry.kase);
  return selects_case(selector, kase, "", {}) && (device.empty() || selects_device(selector, device)) &&
         (check.empty() || selects_check(selector, check));
}

bool has_expired(const QuarantineEntry& entry, const std::string& today) {
  return today > entry.until;  // dates of one form sort as texts
}

void put_in_quarantine(std::vector<Job>& jobs, const Quarantine& quarantine, const std::string& today,
                       const EventSink& emit) {
  for (Job& job : jobs) {
    // Of several entries one that still holds counts before one that has expired.
    std::map<const QuarantineEntry*, std::vector<std::string>> meant;
    for (const Check& check : job.checks) {
      const QuarantineEntry* chosen = nullptr;
      for (const QuarantineEntry& entry : quarantine.entries) {
        if (!means(entry, job.kase->id, job.device, check.name)) continue;
        if (!chosen || has_expired(*chosen, today)) chosen = &entry;
      }
      if (!chosen) continue;
      meant[chosen].push_back(check.name);
      if (!has_expired(*chosen, today)) job.quarantined.insert(check.name);
    }
    for (const auto& [entry, checks] : meant) {
      emit({{"event", "quarantined"},
            {"case", job.kase->id},
            {"device", job.device},
            {"mode", job.mode},
            {"checks", checks},
            {"owner", entry->owner},
            {"link", entry->link},
            {"until", entry->until},
            {"why", entry->why},
            {"expired", has_expired(*entry, today)}});
    }
  }
}

}  // namespace relapse
