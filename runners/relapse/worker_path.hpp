#pragma once

#include <string>

namespace relapse {

/// The worker to use: as given, else beside this program, else in ../libexec/relapse of it. It need not
/// exist.
std::string worker_path(const std::string& given);

}  // namespace relapse
