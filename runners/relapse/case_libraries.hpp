#pragma once

// The operator libraries that a case names, as paths.

#include <harness/case/case.hpp>
#include <harness/support/result.hpp>
#include <string>
#include <vector>

namespace relapse {

/// Each is a file beside the case, or a name that `--library NAME=PATH` (or RELAPSE_LIBRARIES, separated by
/// `;`) gives a path: CMake hands targets over so. The error names what is neither.
Result<std::vector<std::string>> library_paths(const std::vector<std::string>& named,
                                               const std::string& case_file,
                                               const std::vector<std::string>& given);

}  // namespace relapse
