#pragma once

// References from one part of a case to another: names under ensures, clauses in outcomes, names that are
// rebound.

#include <harness/case/check_symbols.hpp>
#include <harness/case/read_context.hpp>

namespace relapse {

/// Names under `ensures`, `unfixed` and `mutants` must be there.
void check_bound_names(ReadContext& context, const Symbols& symbols, const Case& target);
/// `rejected: target.max`, `wrong: loss.same_as`, `breaks: expect`, `unstable: y`, `boundaries: [rows]`.
void check_references(ReadContext& context, const Symbols& symbols, const Case& target);
/// `corrected` where an input must be rejected, and a subject that can be rebound.
void check_parts(ReadContext& context, const YamlNode& root, const Case& target);

}  // namespace relapse
