#pragma once

// What only the whole file can tell: whether names exist, clauses are there, computed inputs can be ordered.

#include <harness/case/read_context.hpp>

namespace relapse {

/// Reports what contradicts itself, and turns `gru.input(...)`, whose `gru` is no name of the case, from a
/// method into the operator it means.
void check_case(ReadContext& context, const YamlNode& root, Case& target);

}  // namespace relapse
