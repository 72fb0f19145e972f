#pragma once

// Inputs and symbols that scenarios name, computed inputs that need each other, and the sizes of tensors.

#include <harness/case/check_names.hpp>

namespace relapse {

/// Inputs, dims and dtypes of scenarios must be those of the case.
void check_scenario_names(ReadContext& context, const Symbols& symbols, const NameSet& read_names,
                          const Case& target);
/// Computed inputs and views must not wait for each other.
void check_cycles(ReadContext& context, const Case& target);
/// Extents whose dims are known: none negative, none of more elements than the limit.
void check_extents(ReadContext& context, const Symbols& symbols, const Case& target);

}  // namespace relapse
