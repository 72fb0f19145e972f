#pragma once

// The script that ctest includes when it starts: one add_test() for each case and device.
// ci/RelapseCases.cmake asks for it.

#include <runners/relapse/load.hpp>
#include <string>
#include <vector>

namespace relapse {

struct CTestOptions {
  std::string prefix = "relapse.";   ///< of test names
  std::vector<std::string> devices;  ///< kinds
  std::vector<std::string> command;  ///< of one test, to which the case's id@device is added
  std::string fixture;               ///< FIXTURES_REQUIRED; empty: none
  std::string working_folder;
  std::vector<std::string> labels;  ///< for every test
};

/// Labels, TIMEOUT above the runner's own, SKIP_RETURN_CODE, RESOURCE_GROUPS for devices other than the CPU.
/// A broken file becomes a test that fails with its messages.
std::string ctest_file(const Loaded& loaded, const CTestOptions& options);

}  // namespace relapse
