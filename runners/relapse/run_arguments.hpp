#pragma once

// What `relapse run` was asked for.

#include <harness/schedule/scheduler.hpp>
#include <runners/relapse/outputs.hpp>
#include <string>
#include <vector>

namespace relapse {

struct RunArguments {
  std::vector<std::string> words, devices, required, modes;
  std::string root, journal = ".relapse/runs", server = "auto", spawn = "fork";
  ScheduleOptions schedule;
  Outputs outputs;
  bool unfixed = false, quiet = false;
};

}  // namespace relapse
