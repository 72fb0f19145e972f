#pragma once

#include <string>

namespace relapse {

/// A program on PATH; empty when it is not there.
std::string find_on_path(const std::string& program);

/// compute-sanitizer: RELAPSE_COMPUTE_SANITIZER, on PATH, in the CUDA toolkit (CUDA_HOME, CUDA_PATH,
/// /usr/local/cuda), or in the Python package nvidia-cuda-sanitizer-api. Empty when it is nowhere. Looked for
/// once.
const std::string& find_compute_sanitizer();

}  // namespace relapse
