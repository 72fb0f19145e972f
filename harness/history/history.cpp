#include <chrono>
#include <cstdlib>
#include <harness/case/quarantine.hpp>
#include <harness/history/history.hpp>

namespace relapse {
namespace {

CaseOutcome outcome_of(const Tally& tally) {
  if (tally.red() > 0) return CaseOutcome::red;
  if (tally.not_run > 0) return CaseOutcome::not_run;
  if (tally.quarantined > 0) return CaseOutcome::quarantined;
  if (tally.held > 0) return tally.skipped > 0 ? CaseOutcome::partly : CaseOutcome::held;
  return CaseOutcome::skipped;
}

std::chrono::sys_days day_of(const std::string& time) {
  const auto part = [&](std::size_t start, std::size_t size) {
    return std::atoi(time.substr(start, size).c_str());
  };
  return std::chrono::year_month_day(std::chrono::year(part(0, 4)),
                                     std::chrono::month(static_cast<unsigned>(part(5, 2))),
                                     std::chrono::day(static_cast<unsigned>(part(8, 2))));
}

}  // namespace

std::string_view to_string(CaseOutcome outcome) {
  switch (outcome) {
    case CaseOutcome::held:
      return "held";
    case CaseOutcome::partly:
      return "held in part";
    case CaseOutcome::red:
      return "red";
    case CaseOutcome::quarantined:
      return "in quarantine";
    case CaseOutcome::skipped:
      return "skipped";
    case CaseOutcome::not_run:
      return "not run";
  }
  return "";
}

void HistoryBuilder::add_unfixed(const RunRecord& run) {
  for (const CaseRecord& kase : run.cases) {
    for (const std::size_t index : kase.checks) {
      const CheckRecord& check = run.checks[index];
      if (check.kind == "failing" && check.verdict.kind == VerdictKind::relapsed && !kase.hash.empty())
        history_.armed[kase.id][kase.hash] = run.started;
    }
  }
}

void HistoryBuilder::add(const RunRecord& run) {
  ++history_.runs;
  if (history_.first.empty()) history_.first = run.started;
  history_.last = run.started;
  if (run.unfixed) {
    add_unfixed(run);
    return;
  }
  for (const CaseRecord& kase : run.cases) {
    CaseHistory& one = cases_[{kase.id, kase.device}];
    one.id = kase.id;
    one.device = kase.device;
    one.file = kase.file;
    Tally tally;
    std::string symptom, skip;
    bool differs = false;
    for (const std::size_t index : kase.checks) {
      const Verdict& verdict = run.checks[index].verdict;
      tally.add(verdict.kind);
      differs = differs || verdict.kind == VerdictKind::unstable;
      if (symptom.empty() && (is_red(verdict.kind) || verdict.kind == VerdictKind::quarantined))
        symptom = verdict.signature;
      if (verdict.kind == VerdictKind::skipped) skip = verdict.reason;
    }
    ++one.runs;
    one.last = outcome_of(tally);
    one.repeats_differ = one.repeats_differ || differs;
    const bool red = one.last == CaseOutcome::red || one.last == CaseOutcome::quarantined;
    const bool held = one.last == CaseOutcome::held || one.last == CaseOutcome::partly;
    if (held || red) one.last_run = run.started;
    if (held) {
      ++one.held;
      one.last_held = run.started;
      one.torch_at_last_held = run.torch_version;
    } else if (red) {
      ++one.red;
      one.last_red = run.started;
      one.last_symptom = symptom;
    } else if (one.last == CaseOutcome::skipped) {
      ++one.skipped;
      one.skip_reason = skip;
    }
    // Only what nothing explains counts: a changed file or LibTorch is a reason to change.
    Before& before = before_[{kase.id, kase.device}];
    std::string surroundings = kase.hash + " " + run.torch_version + " " + run.version;
    if (held || red) {
      if (before.known && before.red != red && before.surroundings == surroundings) ++one.changes;
      before = {true, red, std::move(surroundings)};
    }
  }
}

History HistoryBuilder::finish() && {
  for (auto& [key, one] : cases_) history_.cases.push_back(std::move(one));
  return std::move(history_);
}

int days_between(const std::string& earlier, const std::string& later) {
  if (!is_date(earlier.substr(0, 10)) || !is_date(later.substr(0, 10))) return -1;
  return static_cast<int>((day_of(later) - day_of(earlier)).count());
}

}  // namespace relapse
