#pragma once

// Exceptions as the format's error classes.

#include <exception>
#include <harness/plan/observation.hpp>

namespace relapse {

/// Class, C++ type, text without the backtrace, and the code of an accelerator's error. Must not be null.
Raised classify(const std::exception_ptr& exception);

/// The first line of its text and its code: what follows in errors of CUDA is advice.
std::string in_one_line(const Raised& raised);

}  // namespace relapse
