#pragma once

// The canonical form of a case file: one order of the top-level keys, one spacing, the fewest quotes,
// expressions as to_string() spells them. Comments are kept: a part whose comments would be lost stays as it
// is. What the case means never changes. docs/case-format.md says what the form is.

#include <harness/case/case.hpp>
#include <string>
#include <string_view>

namespace relapse {

/// Flow collections that fit into this many columns stay on one line.
inline constexpr int kCanonicalColumns = 110;

/// The text again in canonical form; `yaml_text` must have been read as `target`. Idempotent.
std::string canonical_text(std::string_view yaml_text, const Case& target);

}  // namespace relapse
