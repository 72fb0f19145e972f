#include <harness/report/totals.hpp>
#include <map>

namespace relapse {

CaseState state_of(const RunRecord& run, const CaseRecord& kase) {
  Tally tally;
  for (const std::size_t index : kase.checks) tally.add(run.checks[index].verdict.kind);
  if (tally.red() > 0) return CaseState::red;
  if (tally.not_run > 0) return CaseState::not_run;
  if (tally.quarantined > 0) return CaseState::quarantined;
  // A case whose failing input was skipped has not shown what it is kept for.
  if (tally.held > 0) return tally.skipped > 0 ? CaseState::partly : CaseState::held;
  return CaseState::skipped;
}

std::vector<DeviceTotals> totals_of(const RunRecord& run) {
  std::map<std::pair<std::string, std::string>, DeviceTotals> lines;
  for (const CaseRecord& kase : run.cases) {
    DeviceTotals& line = lines[{kase.device, kase.mode}];
    line.device = kase.device;
    line.mode = kase.mode;
    switch (state_of(run, kase)) {
      case CaseState::held:
        ++line.held;
        break;
      case CaseState::partly:
        ++line.partly;
        break;
      case CaseState::red:
        ++line.red;
        break;
      case CaseState::quarantined:
        ++line.quarantined;
        break;
      case CaseState::skipped:
        ++line.skipped;
        break;
      case CaseState::not_run:
        ++line.not_run;
        break;
    }
  }
  std::vector<DeviceTotals> all;
  all.reserve(lines.size());
  for (auto& [key, line] : lines) all.push_back(std::move(line));
  return all;
}

}  // namespace relapse
