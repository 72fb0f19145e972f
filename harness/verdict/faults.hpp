#pragma once

// What kind of fault an error on a device was, by evidence: the code of the error, then the code that waiting
// for the device gave, then what kernels printed, then text.

#include <harness/case/case.hpp>
#include <harness/isolate/ending.hpp>
#include <harness/plan/observation.hpp>
#include <optional>
#include <string>

namespace relapse {

/// The kind of a code of cudaError_t (CUDA Runtime API reference, "Error handling"; HIP uses the same numbers
/// for these). Codes that a process survives, such as 2 (memory) or 98 (no such kernel), are no faults:
/// nothing.
std::optional<FaultKind> fault_of_code(int code);

/// `device-side assert`, in CUDA's words; `error 12` for a code without a name here.
std::string code_text(int code);

/// The fault that an observation tells of; nothing when its error is one of the host. `printed`: what the
/// process wrote to 1 and 2.
std::optional<FaultKind> fault_of(const Observation& observation, const std::string& printed);

/// Everything that a process wrote to 1 and 2, as far as it was kept.
std::string printed_by(const Ending& ending);

/// The fault behind the end of a process that did not answer: a hang, a crash, or what it printed before it
/// died.
std::optional<FaultKind> fault_of(const Ending& ending);

}  // namespace relapse
