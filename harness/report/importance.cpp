#include <algorithm>
#include <harness/report/importance.hpp>
#include <map>
#include <tuple>

namespace relapse {
namespace {

int rank_of(VerdictKind kind) {
  switch (kind) {
    case VerdictKind::relapsed:
      return 0;
    case VerdictKind::faulted:
      return 1;
    case VerdictKind::timed_out:
      return 2;
    case VerdictKind::broken:
      return 3;
    case VerdictKind::unstable:
      return 4;
    case VerdictKind::no_verdict:
      return 5;
    case VerdictKind::case_error:
      return 6;
    default:
      return 7;
  }
}

}  // namespace

RedChecks red_by_importance(const RunRecord& run) {
  std::vector<const CheckRecord*> by_kind;
  for (const CheckRecord& check : run.checks) {
    if (is_red(check.verdict.kind)) by_kind.push_back(&check);
  }
  std::stable_sort(by_kind.begin(), by_kind.end(), [](const CheckRecord* a, const CheckRecord* b) {
    return rank_of(a->verdict.kind) < rank_of(b->verdict.kind);
  });
  std::map<std::tuple<std::string, std::string, std::string>, int> seen;
  std::vector<std::pair<int, const CheckRecord*>> turns;
  turns.reserve(by_kind.size());
  for (const CheckRecord* check : by_kind)
    turns.emplace_back(seen[{check->kase, check->device, check->mode}]++, check);
  std::stable_sort(turns.begin(), turns.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  RedChecks red;
  red.worst_of_each = seen.size();
  for (const auto& [turn, check] : turns) red.all.push_back(check);
  return red;
}

}  // namespace relapse
