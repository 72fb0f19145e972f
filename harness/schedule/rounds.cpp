#include <fmt/format.h>

#include <harness/schedule/rounds.hpp>

namespace relapse {

Verdict Rounds::join(const std::string& key, int round, const Check& check, Verdict verdict) {
  if (count_ <= 1) return verdict;
  std::map<int, Verdict>& rounds = verdicts_[key];
  rounds.insert_or_assign(round, verdict);
  std::map<std::string, int> signatures;
  const Verdict *ran = nullptr, *not_run = nullptr;
  for (const auto& [number, one] : rounds) {
    if (one.kind == VerdictKind::not_run) {
      not_run = &one;
      continue;
    }
    ran = &one;
    ++signatures[one.signature];
  }
  if (signatures.size() < 2) {
    if (ran && (!not_run || is_red(ran->kind))) return *ran;
    return not_run ? *not_run : verdict;
  }
  Verdict unstable = no_run(VerdictKind::unstable, "", check);
  for (const auto& [signature, count] : signatures) {
    unstable.seen.push_back(fmt::format("{} in {} of {} fresh processes", signature, count, count_));
  }
  unstable.seen.insert(unstable.seen.end(), ran->seen.begin(), ran->seen.end());
  return unstable;
}

}  // namespace relapse
