#pragma once

// Looks at a whole case with every rule, and leaves out what the case silences with a reason.

#include <harness/case/case.hpp>
#include <harness/case/substance/known_inputs.hpp>
#include <harness/support/diagnostic.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace relapse {

struct SilencedFinding {
  Diagnostic diagnostic;
  std::string reason;
};

struct Substance {
  std::vector<Diagnostic> findings;  ///< in the order of the file; each with the id of its rule
  std::vector<SilencedFinding> silenced;
};

/// `text` is the file that `target` was read from: its lines are shown below the messages. `stored` reads the
/// files beside the case; without it nothing is known of their inputs.
Substance substance_of(const Case& target, std::string_view text, StoredLookup stored = {});

/// The silence that excuses a finding: the first of this id that names `about` or nothing. Null: none.
const Silence* find_silence(const Case& target, std::string_view id, std::string_view about);

/// `unused-input (warning)`, its summary and its explanation, for a terminal.
std::string explain_rule(std::string_view id);

/// docs/lint.md: every rule with its explanation.
std::string lint_reference();

}  // namespace relapse
