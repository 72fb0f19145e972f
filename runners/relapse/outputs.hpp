#pragma once

// Report files that were asked for.

#include <CLI/CLI.hpp>
#include <harness/journal/record.hpp>
#include <harness/support/result.hpp>
#include <string>

namespace relapse {

struct Outputs {
  std::string junit, json;
};
void add_output_options(CLI::App& app, Outputs& outputs);
/// Writes each that has a path; `-` is standard output.
Result<void> write_outputs(const Outputs& outputs, const RunRecord& run);

}  // namespace relapse
