#include "cuda_codes.hpp"

#include <c10/util/Exception.h>

#include <array>

namespace sim {

namespace {

constexpr std::array<CodeFacts, 21> kCodes = {{
    {1, "cudaErrorInvalidValue", "invalid argument", false},
    {kInitializationError, "cudaErrorInitializationError", "initialization error", true},
    {9, "cudaErrorInvalidConfiguration", "invalid configuration argument", false},
    {46, "cudaErrorDevicesUnavailable", "CUDA-capable device(s) is/are busy or unavailable", true},
    {98, "cudaErrorInvalidDeviceFunction", "invalid device function", false},
    {kNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected", true},
    {kInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal", false},
    {209, "cudaErrorNoKernelImageForDevice", "no kernel image is available for execution on the device",
     false},
    {kEccUncorrectable, "cudaErrorECCUncorrectable", "uncorrectable ECC error encountered", true},
    {220, "cudaErrorNvlinkUncorrectable", "uncorrectable NVLink error detected during the execution", true},
    {kIllegalAddress, "cudaErrorIllegalAddress", "an illegal memory access was encountered", true},
    {701, "cudaErrorLaunchOutOfResources", "too many resources requested for launch", false},
    {702, "cudaErrorLaunchTimeout", "the launch timed out and was terminated", true},
    {kAssert, "cudaErrorAssert", "device-side assert triggered", true},
    {714, "cudaErrorHardwareStackError", "hardware stack error", true},
    {715, "cudaErrorIllegalInstruction", "an illegal instruction was encountered", true},
    {kMisalignedAddress, "cudaErrorMisalignedAddress", "misaligned address", true},
    {717, "cudaErrorInvalidAddressSpace", "operation not supported on global/shared address space", true},
    {718, "cudaErrorInvalidPc", "invalid program counter", true},
    {kLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure", true},
    {999, "cudaErrorUnknown", "unknown error", true},
}};

bool may_be_late(int code) {
  return code == kLaunchFailure || code == kIllegalAddress || code == kAssert || code == 715 ||
         code == kMisalignedAddress;
}

}  // namespace

const CodeFacts* find_code(int code) {
  for (const CodeFacts& facts : kCodes) {
    if (facts.code == code) return &facts;
  }
  return nullptr;
}

std::string error_text(const CodeFacts& facts) {
  std::string text = std::string("CUDA error: ") + facts.text + "\n";
  if (facts.code == kInvalidDevice) {
    text += "GPU device may be out of range, do you have enough GPUs?\n";
  } else {
    text += std::string("Search for `") + facts.name +
            "' in https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html for more "
            "information.\n";
  }
  if (may_be_late(facts.code)) {
    text +=
        "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below "
        "might "
        "be incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\n";
  } else {
    text += "For more detailed error information, run with CUDA_LOG_FILE=stderr\n";
  }
  return text + "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n";
}

void throw_code(int code) {
  const CodeFacts* facts = find_code(code);
  TORCH_INTERNAL_ASSERT(facts != nullptr, "the simulated device has no code ", code);
  throw c10::AcceleratorError({__func__, __FILE__, static_cast<std::uint32_t>(__LINE__)}, code,
                              error_text(*facts));
}

}  // namespace sim
