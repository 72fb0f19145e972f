#pragma once

#include <string>

namespace relapse {

/// `SIGSEGV`, or `signal 64` for one without a name.
std::string signal_name(int signal);

}  // namespace relapse
