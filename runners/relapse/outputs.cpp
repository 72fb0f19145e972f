#include <cstdio>
#include <harness/report/json_report.hpp>
#include <harness/report/junit.hpp>
#include <harness/support/file.hpp>
#include <runners/relapse/outputs.hpp>

namespace relapse {
namespace {

Result<void> write_one(const std::string& path, const std::string& text) {
  if (path.empty()) return {};
  if (path == "-") {
    std::fwrite(text.data(), 1, text.size(), stdout);
    return {};
  }
  return write_file_atomically(path, text);
}

}  // namespace

void add_output_options(CLI::App& app, Outputs& outputs) {
  app.add_option("--junit", outputs.junit, "write JUnit XML to this file (- is standard output)");
  app.add_option("--json", outputs.json, "write the JSON report to this file (- is standard output)");
}

Result<void> write_outputs(const Outputs& outputs, const RunRecord& run) {
  if (!outputs.junit.empty()) {
    if (Result<void> done = write_one(outputs.junit, junit_report(run)); !done) return done;
  }
  if (!outputs.json.empty()) return write_one(outputs.json, json_report(run));
  return {};
}

}  // namespace relapse
