#pragma once

// `--resume` and `--failed`: a run that is made from the journal of an earlier one.

#include <CLI/CLI.hpp>
#include <harness/journal/record.hpp>
#include <harness/support/result.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <runners/relapse/run_arguments.hpp>
#include <string>
#include <vector>

namespace relapse {

/// The run that is taken up.
struct EarlierRun {
  RunRecord run;
  std::vector<nlohmann::json> events;
};

/// The options of a command line that were given, by name, each with its values: what the journal keeps, so
/// that a later run can be asked for in the same way.
nlohmann::json given_options(const CLI::App& app);

/// Reads the journal that `--resume` or `--failed` means and completes `arguments` by what its run was asked
/// for. `add_options` is the function that declares the options of `relapse run`.
Result<std::shared_ptr<EarlierRun>> take_up(RunArguments& arguments,
                                            void (*add_options)(CLI::App&, RunArguments&));

}  // namespace relapse
