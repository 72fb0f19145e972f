#pragma once

// Which devices a run is for, and whether they are here.

#include <harness/schedule/machine.hpp>
#include <harness/support/result.hpp>
#include <runners/relapse/load.hpp>
#include <runners/relapse/run_arguments.hpp>
#include <string>
#include <vector>

namespace relapse {

/// A device of the run: whether it is here, and if it is not executed, why.
struct RunDevice {
  std::string kind;
  bool present = false, required = false;
  std::string reason;
};

/// The devices that the options and words mean; by default the CPU and CUDA. A kind that nobody knows is an
/// error.
Result<std::vector<RunDevice>> devices_of(const RunArguments& arguments, const Loaded& loaded,
                                          const Machine& machine);

}  // namespace relapse
