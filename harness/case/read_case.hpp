#pragma once

// The table of top-level keys, for the editor schema and the canonical form. Cases are read by reader.hpp.

#include <harness/case/read_context.hpp>

namespace relapse {

Level case_level();

}  // namespace relapse
