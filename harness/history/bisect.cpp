#include <fmt/format.h>

#include <harness/history/bisect.hpp>
#include <vector>

namespace relapse {

Shown shown_by(const RunRecord& run, const std::string& check_id) {
  for (const CheckRecord& check : run.checks) {
    if (check.kase + "@" + check.device + "/" + check.name != check_id) continue;
    const Verdict& verdict = check.verdict;
    switch (verdict.kind) {
      case VerdictKind::held:
        return {"held", {}};
      case VerdictKind::broken:
      case VerdictKind::relapsed:
      case VerdictKind::faulted:
      case VerdictKind::timed_out:
        return {verdict.signature.empty() ? std::string(to_string(verdict.kind)) : verdict.signature, {}};
      default: {
        std::string why(to_string(verdict.kind));
        const std::string more = !verdict.reason.empty() ? verdict.reason
                                 : !verdict.seen.empty() ? verdict.seen.front()
                                                         : "";
        return {{}, more.empty() ? why : why + ": " + more};
      }
    }
  }
  return {{}, "it has no such check"};
}

Bisected bisect(std::size_t versions, const std::function<Shown(std::size_t)>& ask) {
  Bisected out;
  if (versions == 0) return out;
  std::size_t low = 0, high = versions - 1;
  const Shown first = ask(low), last = high == low ? first : ask(high);
  out.first = first.signature;
  out.last = last.signature;
  out.before = low;
  out.after = high;
  if (first.signature.empty()) out.untold[low] = first.why;
  if (last.signature.empty()) out.untold[high] = last.why;
  if (!out.untold.empty()) return out;
  if (first.signature == last.signature) {
    out.kind = Bisected::Kind::same;
    return out;
  }
  std::map<std::size_t, std::string> untold;
  for (;;) {
    // The nearest to the middle of those that were not asked yet.
    const std::size_t middle = low + (high - low) / 2;
    std::size_t next = low;
    for (std::size_t i = low + 1; i < high; ++i) {
      const auto distance = [&](std::size_t one) { return one > middle ? one - middle : middle - one; };
      if (untold.count(i) == 0 && (next == low || distance(i) < distance(next))) next = i;
    }
    if (next == low) break;
    const Shown shown = ask(next);
    if (shown.signature == out.first) {
      low = next;
    } else if (shown.signature == out.last) {
      high = next;
    } else {
      untold[next] = shown.signature.empty() ? shown.why : "another symptom: " + shown.signature;
    }
  }
  out.before = low;
  out.after = high;
  for (const auto& [version, why] : untold) {
    if (version > low && version < high) out.untold[version] = why;
  }
  out.kind = high - low == 1 ? Bisected::Kind::changes : Bisected::Kind::cannot_tell;
  return out;
}

}  // namespace relapse
