#pragma once

// CUDA's run-time error codes, with the words that LibTorch puts around them. Names and codes are those of
// driver_types.h, texts those of cudaGetErrorString (CUDA 13.0), the frame that of
// c10/cuda/CUDAException.cpp.

#include <string>

namespace sim {

enum CudaCode : int {
  kInitializationError = 3,
  kNoDevice = 100,
  kInvalidDevice = 101,
  kEccUncorrectable = 214,
  kIllegalAddress = 700,
  kAssert = 710,
  kMisalignedAddress = 716,
  kLaunchFailure = 719,
};

struct CodeFacts {
  int code;
  const char* name;
  const char* text;
  /// "The process must be terminated and relaunched": every later call fails with the same code.
  bool sticky;
};

/// Null for a code that the device does not play.
const CodeFacts* find_code(int code);

/// What LibTorch says about a code that a call returned.
std::string error_text(const CodeFacts& facts);

/// Throws the c10::AcceleratorError of a code. The code must be known.
[[noreturn]] void throw_code(int code);

}  // namespace sim
