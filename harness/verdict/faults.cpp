#include <algorithm>
#include <array>
#include <harness/verdict/assert_lines.hpp>
#include <harness/verdict/faults.hpp>
#include <string_view>

namespace relapse {
namespace {

struct CodeName {
  int code;
  const char* text;
  std::optional<FaultKind> fault;
};

// From CUDA 13.0's driver_types.h: those after which "the process must be terminated and relaunched", and
// those that are met most often besides.
constexpr CodeName kCodes[] = {
    {1, "invalid value", {}},
    {2, "out of memory", {}},
    {3, "initialization error", {}},
    {9, "invalid configuration argument", {}},
    {35, "driver too old", {}},
    {46, "device busy or unavailable", {}},
    {98, "invalid device function", {}},
    {100, "no device", {}},
    {101, "invalid device ordinal", {}},
    {209, "no kernel image for this device", {}},
    {214, "uncorrectable ECC error", FaultKind::launch_failure},
    {220, "NVLink error", FaultKind::launch_failure},
    {226, "contained memory error", FaultKind::launch_failure},
    {700, "illegal memory access", FaultKind::illegal_access},
    {701, "too many resources requested for launch", {}},
    {702, "launch timed out", FaultKind::launch_timeout},
    {710, "device-side assert", FaultKind::device_assert},
    {714, "hardware stack error", FaultKind::illegal_instruction},
    {715, "illegal instruction", FaultKind::illegal_instruction},
    {716, "misaligned address", FaultKind::misaligned_address},
    {717, "invalid address space", FaultKind::illegal_access},
    {718, "invalid program counter", FaultKind::illegal_instruction},
    {719, "unspecified launch failure", FaultKind::launch_failure},
    {721, "tensor memory leak", FaultKind::launch_failure},
    {810, "MPS client terminated", FaultKind::launch_failure},
    {911, "external device error", FaultKind::launch_failure},
};

const CodeName* known(int code) {
  const auto found =
      std::find_if(std::begin(kCodes), std::end(kCodes), [&](const CodeName& c) { return c.code == code; });
  return found == std::end(kCodes) ? nullptr : found;
}

bool holds_any(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return text.find(part) != std::string_view::npos; });
}

/// What the ROCm runtime prints before it ends the process: it reports no code.
std::optional<FaultKind> fault_of_rocm_text(std::string_view printed) {
  if (holds_any(printed, {"Memory access fault by GPU"})) return FaultKind::illegal_access;
  if (holds_any(printed, {"HSA_STATUS_ERROR_EXCEPTION", "HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION"}))
    return FaultKind::launch_failure;
  return std::nullopt;
}

}  // namespace

std::optional<FaultKind> fault_of_code(int code) {
  const CodeName* entry = known(code);
  return entry ? entry->fault : std::nullopt;
}

std::string code_text(int code) {
  const CodeName* entry = known(code);
  return entry ? entry->text : "error " + std::to_string(code);
}

std::optional<FaultKind> fault_of(const Observation& observation, const std::string& printed) {
  if (!observation.raised) return std::nullopt;
  for (const std::optional<int>& code :
       {observation.raised->code, observation.device ? observation.device->code : std::optional<int>{}}) {
    if (!code) continue;
    if (const std::optional<FaultKind> fault = fault_of_code(*code)) return fault;
  }
  if (observation.kind != ObservedKind::sticky_fault) {
    // The device goes on; then a library's own status is all there is.
    if (observation.device &&
        holds_any(observation.raised->text,
                  {"CUBLAS_STATUS_", "CUDNN_STATUS_", "cuDNN error", "CUSOLVER_STATUS_", "CUSPARSE_STATUS_",
                   "CUFFT_", "cuFFT error", "HIPBLAS_STATUS_", "MIOPEN_STATUS"}))
      return FaultKind::library_error;
    return std::nullopt;
  }
  if (!kernel_asserts(printed).empty()) return FaultKind::device_assert;
  if (const auto fault = fault_of_rocm_text(printed)) return fault;
  return FaultKind::launch_failure;
}

std::string printed_by(const Ending& ending) {
  return ending.out.text + "\n" + ending.err.text;
}

std::optional<FaultKind> fault_of(const Ending& ending) {
  if (ending.cause == EndCause::deadline) return FaultKind::hang;
  if (ending.cause != EndCause::by_itself || ending.signal == 0) return std::nullopt;
  const std::string printed = printed_by(ending);
  // Destructors of device objects end the process when the device is lost; what it printed before says why.
  if (!kernel_asserts(printed).empty()) return FaultKind::device_assert;
  if (const auto fault = fault_of_rocm_text(printed)) return fault;
  return FaultKind::crash;
}

}  // namespace relapse
