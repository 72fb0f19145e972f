#pragma once

// What the harness does to a device besides running a subject on it: seeds, numeric switches, waiting for it,
// and asking whether it still works. Nothing here asks whether CUDA is there when the device is the CPU: that
// question would start the driver, and the process could no longer be forked.

#include <c10/core/Device.h>

#include <cstdint>
#include <harness/case/case.hpp>
#include <harness/plan/observation.hpp>
#include <harness/support/result.hpp>
#include <string>
#include <utility>
#include <vector>

namespace relapse {

/// The default generators of the CPU and, if it is another, of the device. Not torch::manual_seed, which
/// seeds every device there is and so starts their drivers.
void seed_generators(c10::Device device, std::uint64_t seed);

using Settings = std::vector<std::pair<std::string, std::string>>;

/// Makes numbers comparable between devices and runs: threads, no TF32 and no reductions in reduced precision
/// unless the case asks for them, deterministic algorithms where it asks, denormals kept. Before the first
/// use of a device: cuBLAS reads its environment once. What was set, in words for the record of the run.
Settings apply_settings(const RunOptions& options, int threads);

/// A device of a kind (`cpu`, `cuda`, a name that a loaded backend registered): the first that this process
/// sees.
struct OpenedDevice {
  c10::Device device = c10::Device(c10::kCPU);
  std::string why;          ///< not empty: it cannot be used
  std::optional<int> code;  ///< of the accelerator's error, when that is why
};
/// Uses it once: what only looks present is not. Asking for another than the CPU starts its driver.
OpenedDevice open_device(const std::string& kind);

/// Waits for everything that was started on the device; throws what had gone wrong there. The CPU is never
/// waited for.
void synchronize(c10::Device device);

/// After an error: how the device answers when it is waited for, and whether it says the same once more. An
/// exception of a library or of the host may hide that the device was lost before. Never throws.
DeviceState state_after_error(c10::Device device) noexcept;

/// Why the device does not compute a sum that is known; empty: it does. Never throws.
std::string why_no_known_answer(c10::Device device) noexcept;
bool known_answer(c10::Device device) noexcept;

}  // namespace relapse
