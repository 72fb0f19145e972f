#include <fmt/format.h>

#include <algorithm>
#include <harness/history/audit.hpp>
#include <harness/plan/select.hpp>

namespace relapse {
namespace {

std::string day(const std::string& time) {
  return time.substr(0, 10);
}

void audit_arms(const AuditedCase& kase, const History& history, std::vector<AuditFinding>& findings) {
  const auto found = history.armed.find(kase.id);
  if (!kase.can_be_armed) {
    findings.push_back(
        {"unarmed", kase.id, "nothing can show that it catches its incident: " + kase.why_not});
  } else if (found == history.armed.end()) {
    findings.push_back(
        {"unarmed", kase.id,
         fmt::format("no run of the unfixed code has shown its symptom: relapse run --unfixed {}", kase.id)});
  } else if (found->second.count(kase.hash) == 0) {
    std::string last;
    for (const auto& [hash, time] : found->second) last = std::max(last, time);
    findings.push_back(
        {"unarmed", kase.id,
         fmt::format("its file changed after it was last armed on {}: relapse run --unfixed {}", day(last),
                     kase.id)});
  }
}

/// Of all devices together, what the journals say of a case.
struct Seen {
  std::string gpu_run;  ///< when it last ran on a device other than the CPU
  int ran = 0, skipped = 0, planned = 0;
  std::string skip_reason;
};

Seen seen_of(const std::string& id, const History& history) {
  Seen seen;
  for (const CaseHistory& one : history.cases) {
    if (one.id != id) continue;
    seen.ran += one.held + one.red;
    seen.skipped += one.skipped;
    seen.planned += one.runs;
    if (!one.skip_reason.empty() && (one.device == "cpu" || seen.skip_reason.empty()))
      seen.skip_reason = one.skip_reason;
    if (one.device != "cpu") seen.gpu_run = std::max(seen.gpu_run, one.last_run);
  }
  return seen;
}

void audit_runs(const AuditedCase& kase, const History& history, const AuditOptions& options,
                std::vector<AuditFinding>& findings) {
  const Seen seen = seen_of(kase.id, history);
  if (seen.planned == 0) {
    findings.push_back({"never-run", kase.id, "no journal knows it"});
    return;
  }
  if (seen.ran == 0 && seen.skipped > 0)
    findings.push_back({"only-skipped", kase.id, "it has never run: " + seen.skip_reason});
  if (!kase.on_gpu) return;
  if (seen.gpu_run.empty()) {
    findings.push_back({"no-gpu", kase.id, "no journal has it on a GPU"});
  } else if (const int days = days_between(seen.gpu_run, options.today); days > options.gpu_days) {
    findings.push_back(
        {"no-gpu", kase.id, fmt::format("it last ran on a GPU {} days ago, on {}", days, day(seen.gpu_run))});
  }
}

void audit_quarantine(const std::vector<AuditedCase>& cases, const History& history,
                      const QuarantineEntry& entry, const AuditOptions& options,
                      std::vector<AuditFinding>& findings) {
  const Selector selector = parse_selector(entry.kase);
  const auto names = [&](const std::string& id) { return selects_case(selector, id, "", {}); };
  if (std::none_of(cases.begin(), cases.end(), [&](const AuditedCase& one) { return names(one.id); })) {
    findings.push_back({"quarantine", entry.kase, fmt::format("its entry of {} names no case", entry.owner)});
    return;
  }
  if (options.today > entry.until) {
    findings.push_back(
        {"quarantine", entry.kase,
         fmt::format("its quarantine ended on {} ({}, {})", entry.until, entry.owner, entry.link)});
    return;
  }
  bool any = false, red = false;
  for (const CaseHistory& one : history.cases) {
    if (!names(one.id) || !selects_device(selector, one.device) || one.last_run.empty()) continue;
    any = true;
    red = red || one.last == CaseOutcome::quarantined || one.last == CaseOutcome::red;
  }
  if (any && !red) {
    findings.push_back({"quarantine", entry.kase,
                        fmt::format("it held in its last run, so its entry ({}, until {}) can go",
                                    entry.owner, entry.until)});
  }
}

}  // namespace

std::vector<AuditFinding> audit(const std::vector<AuditedCase>& cases, const History& history,
                                const std::vector<QuarantineEntry>& quarantine, const AuditOptions& options) {
  std::vector<AuditFinding> findings;
  for (const AuditedCase& kase : cases) {
    audit_arms(kase, history, findings);
    audit_runs(kase, history, options, findings);
  }
  for (const CaseHistory& one : history.cases) {
    const bool here =
        std::any_of(cases.begin(), cases.end(), [&](const AuditedCase& kase) { return kase.id == one.id; });
    if (!here || !one.unstable()) continue;
    findings.push_back({"unstable", one.id + "@" + one.device,
                        one.repeats_differ
                            ? "its repeats differed"
                            : fmt::format("it changed its verdict {} times in {} runs without a reason",
                                          one.changes, one.runs)});
  }
  for (const QuarantineEntry& entry : quarantine) audit_quarantine(cases, history, entry, options, findings);
  const std::vector<std::string> order{"unarmed",   "no-gpu",   "only-skipped",
                                       "never-run", "unstable", "quarantine"};
  const auto rank = [&](const AuditFinding& one) {
    return std::find(order.begin(), order.end(), one.kind) - order.begin();
  };
  std::stable_sort(findings.begin(), findings.end(),
                   [&](const AuditFinding& a, const AuditFinding& b) { return rank(a) < rank(b); });
  return findings;
}

}  // namespace relapse
