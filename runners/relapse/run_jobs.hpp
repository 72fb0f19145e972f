#pragma once

// From the loaded cases and the devices of a run to the jobs that the scheduler runs.

#include <harness/schedule/machine.hpp>
#include <harness/schedule/scheduler.hpp>
#include <runners/relapse/load.hpp>
#include <runners/relapse/run_devices.hpp>
#include <string>
#include <vector>

namespace relapse {

/// Emits `case_broken` for files that cannot be run and `planned` for every job before it is given.
std::vector<Job> make_jobs(const Loaded& loaded, const std::vector<RunDevice>& devices,
                           const Machine& machine, const std::string& torch, const RunArguments& arguments,
                           const EventSink& emit);

/// Whether a need of any case depends on LibTorch's version; asking for it costs a start of the worker.
bool needs_torch_version(const Loaded& loaded);

}  // namespace relapse
