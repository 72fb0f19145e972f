#pragma once

// Which devices a run is for, and whether they are here.

#include <harness/isolate/isolator.hpp>
#include <harness/schedule/device_pool.hpp>
#include <harness/schedule/machine.hpp>
#include <harness/support/result.hpp>
#include <optional>
#include <runners/relapse/load.hpp>
#include <runners/relapse/run_arguments.hpp>
#include <string>
#include <vector>

namespace relapse {

/// A device as written: `cuda`, or `cuda:1` for one of them.
struct DeviceWord {
  std::string kind;
  std::optional<int> index;
};
std::optional<DeviceWord> parse_device(const std::string& word);

/// A kind of device of the run: whether it is here, and if it is not, why.
struct RunDevice {
  std::string kind;
  bool present = false, required = false;
  std::string reason;
  std::vector<std::string> names;  ///< of the devices, as their driver calls them
  DeviceKind use;                  ///< what the scheduler needs of it; not of the CPU
};

/// The devices that the options and words mean; by default the CPU and CUDA. Kinds besides the CPU are asked
/// of a probe child, which may start their driver; what it says goes into `machine`. A kind that nobody knows
/// is an error, and so is one device of a kind that has fewer.
Result<std::vector<RunDevice>> devices_of(const RunArguments& arguments, const Loaded& loaded,
                                          Isolator& isolator, Machine& machine);

}  // namespace relapse
