#pragma once

// Libraries that are loaded by name at run time: LibTorch's CUDA half, backends of other accelerators,
// operators of users.

#include <harness/support/result.hpp>
#include <string>

namespace relapse {

/// LibTorch's CUDA half, beside the libtorch_cpu that this program is linked to. One worker serves machines
/// with and without it.
inline constexpr const char* kTorchCuda = "libtorch_cuda.so";

/// Whether this process has it already.
bool is_loaded(const std::string& path);

/// Loads a library; a second time costs nothing. A name without a slash is looked for where LibTorch lies.
/// The error names the library, says what the loader said and what to do. What its registration throws ends
/// the process.
Result<void> load_library(const std::string& path);

}  // namespace relapse
