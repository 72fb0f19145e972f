#pragma once

// What `relapse lint` looks for beyond the format: cases that are well written and yet assert less than they
// seem to. One rule is one constant in a file of this folder and one line in rules.cpp.

#include <harness/case/case.hpp>
#include <harness/case/check_symbols.hpp>
#include <harness/case/substance/known_inputs.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace relapse {

/// One place that a rule found.
struct LintFinding {
  SourcePos pos;
  int length = 1;       ///< code points to underline
  std::string about;    ///< what a silence may name: an input, a scenario, a clause
  std::string message;  ///< what was expected, what was seen; one line
  std::string hint;     ///< what to do; may be empty
};

/// What rules look at: the case, and what several of them ask of it.
struct LintView {
  const Case& kase;
  Symbols symbols;
  StoredLookup stored = {};
};

struct LintRule {
  std::string_view id;           ///< kebab-case
  Severity severity;             ///< error: a run is certain to contradict the case
  std::string_view summary;      ///< one sentence: what is wrong
  std::string_view explanation;  ///< why it matters, with an example of wrong and right
  /// Adds what it finds. Null: another command finds it, and a silence of it must name what it is about.
  void (*check)(const LintView& view, std::vector<LintFinding>& findings);
};

/// Every rule, in the order of docs/lint.md.
std::span<const LintRule* const> lint_rules();
/// Null: there is none of this id.
const LintRule* find_lint_rule(std::string_view id);
std::vector<std::string> lint_rule_ids();

}  // namespace relapse
