#pragma once

// Reports that were asked for: files, and what GitHub Actions is told.

#include <CLI/CLI.hpp>
#include <harness/journal/record.hpp>
#include <harness/support/result.hpp>
#include <string>
#include <vector>

namespace relapse {

struct Outputs {
  std::vector<std::string>
      files;  ///< one place for each line of the table in outputs.cpp; empty: not asked for
  bool github = false;
};
void add_output_options(CLI::App& app, Outputs& outputs);
/// No report was asked for.
bool is_empty(const Outputs& outputs);
/// Where the report of this option (`--json`) goes; empty: it was not asked for.
std::string place_of(const Outputs& outputs, const std::string& option);
/// Writes one report; an empty path writes nothing, `-` is standard output.
Result<void> write_report(const std::string& path, const std::string& text);

/// Two reports in one place would lose one of them: that is refused before anything runs.
Result<void> check_outputs(const Outputs& outputs);

/// Whether a report goes to standard output, so that nothing else should.
bool to_standard_output(const Outputs& outputs);

/// Writes each that has a path (`-` is standard output), then tells GitHub. One that cannot be written does
/// not keep the others from it; the first trouble is given.
Result<void> write_outputs(const Outputs& outputs, const RunRecord& run);

/// GitHub takes printed lines for commands when they start with `::`, also those of a child's output. Between
/// start and end of its life this says that nothing is one.
class CommandShield {
 public:
  explicit CommandShield(bool on);
  ~CommandShield() { lift(); }
  CommandShield(const CommandShield&) = delete;
  CommandShield& operator=(const CommandShield&) = delete;
  void lift();

 private:
  std::string token_;  ///< empty: off
};

}  // namespace relapse
