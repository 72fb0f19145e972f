#pragma once

// What `--data-only` refuses in a case file before anything of it is run.

#include <runners/relapse/load.hpp>
#include <string>
#include <vector>

namespace relapse {

/// Formatted errors for libraries, code of other kinds and files outside of the case's folder (links
/// resolved); none: the case is data.
std::vector<std::string> data_only_refusals(const LoadedCase& loaded);

}  // namespace relapse
