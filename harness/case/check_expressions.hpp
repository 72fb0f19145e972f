#pragma once

// Resolves the names of every expression of a case, each in the scope in which it stands.

#include <harness/case/check_names.hpp>

namespace relapse {

void check_expressions(ReadContext& context, const Symbols& symbols, NameResolver& resolver, Case& target);

/// Built-in steps, names of results and what may stand where among the steps.
void check_step(ReadContext& context, const Symbols& symbols, const Case& target, const Step& step,
                const Where& where);

}  // namespace relapse
