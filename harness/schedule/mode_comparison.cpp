#include <fmt/format.h>

#include <harness/schedule/mode_comparison.hpp>
#include <harness/support/text.hpp>

namespace relapse {
namespace {

const std::string kBlocking(to_string(Mode::blocking)), kAsync(to_string(Mode::async));

bool has_results(const Verdict& verdict) {
  return verdict.kind == VerdictKind::held || verdict.kind == VerdictKind::broken;
}

std::string in_words(const Verdict& verdict) {
  return verdict.step < 0 ? verdict.signature
                          : fmt::format("{} in step {}", verdict.signature, verdict.step + 1);
}

std::vector<std::string> different_results(const std::vector<ResultDigest>& one,
                                           const std::vector<ResultDigest>& other) {
  std::vector<std::string> names;
  for (const ResultDigest& digest : one) {
    for (const ResultDigest& twin : other) {
      if (twin.facts.name == digest.facts.name && twin.hash != digest.hash)
        names.push_back(digest.facts.name);
    }
  }
  return names;
}

}  // namespace

std::optional<std::string> ModeComparison::add(const std::string& check_id, const std::string& mode,
                                               const Verdict& verdict, std::vector<ResultDigest> results) {
  if (mode != kBlocking && mode != kAsync) return std::nullopt;
  // What never ran says nothing about an order.
  if (!is_red(verdict.kind) && verdict.kind != VerdictKind::held) return std::nullopt;
  std::map<std::string, Seen>& modes = seen_[check_id];
  modes[mode] = {verdict, std::move(results)};
  if (modes.size() < 2) return std::nullopt;
  const Seen &blocking = modes.at(kBlocking), &async = modes.at(kAsync);
  if (blocking.verdict.signature != async.verdict.signature)
    return fmt::format("{} with blocking launches, {} with asynchronous ones", in_words(blocking.verdict),
                       in_words(async.verdict));
  if (!has_results(blocking.verdict)) return std::nullopt;
  const std::vector<std::string> names = different_results(blocking.results, async.results);
  if (names.empty()) return std::nullopt;
  return fmt::format("{} {} other bits with asynchronous launches than with blocking ones", join(names, ", "),
                     names.size() == 1 ? "has" : "have");
}

Verdict disagreement_verdict(const Agreement& agreement, const Check& check, const std::string& how) {
  Verdict verdict;
  verdict.kind = VerdictKind::broken;
  verdict.clause = "agrees.async";
  verdict.pos = agreement.pos.line > 0 ? agreement.pos : check.pos;
  verdict.promised = "agrees.async: the same results";
  verdict.seen = {how};
  verdict.signature = "broken agrees.async";
  return verdict;
}

}  // namespace relapse
