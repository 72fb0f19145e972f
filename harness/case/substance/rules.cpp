#include <algorithm>
#include <array>
#include <harness/case/substance/all_rules.hpp>

namespace relapse {

namespace {

constexpr std::array kRules = {
    &kFailingInput, &kBatchInput, &kLooseDraw, &kStoredFile, &kUnusedInput, &kIdleSilence, &kMutant,
};

}  // namespace

std::span<const LintRule* const> lint_rules() {
  return kRules;
}

const LintRule* find_lint_rule(std::string_view id) {
  const auto found =
      std::find_if(kRules.begin(), kRules.end(), [&](const LintRule* rule) { return rule->id == id; });
  return found == kRules.end() ? nullptr : *found;
}

std::vector<std::string> lint_rule_ids() {
  std::vector<std::string> ids;
  for (const LintRule* rule : kRules) ids.emplace_back(rule->id);
  return ids;
}

}  // namespace relapse
