#include <unistd.h>

#include <harness/journal/journal.hpp>
#include <harness/journal/record.hpp>
#include <harness/report/console.hpp>
#include <memory>
#include <runners/relapse/commands.hpp>
#include <runners/relapse/outputs.hpp>

namespace relapse {
namespace {

struct ReportArguments {
  std::string journal, folder = ".relapse/runs";
  Outputs outputs;
};

ExitCode report(const Common& common, const ReportArguments& arguments) {
  if (const Result<void> good = check_outputs(arguments.outputs); !good) return complain(good.error());
  std::string path = arguments.journal;
  if (path.empty()) {
    const Result<std::string> newest = newest_journal(arguments.folder);
    if (!newest) return complain(newest.error());
    path = *newest;
  }
  const Result<std::vector<nlohmann::json>> events = read_journal(path);
  if (!events) return complain(events.error());
  RunRecord run = record_of(*events);
  run.journal = path;
  if (!to_standard_output(arguments.outputs)) {
    const CommandShield shield(arguments.outputs.github);
    const std::string text = console_report(run, style_of(STDOUT_FILENO, common.colour));
    std::fwrite(text.data(), 1, text.size(), stdout);
  }
  if (const Result<void> written = write_outputs(arguments.outputs, run); !written)
    return complain(written.error());
  return run.exit_code();
}

}  // namespace

Command add_report(CLI::App& app, const Common& common) {
  auto arguments = std::make_shared<ReportArguments>();
  app.add_option("journal", arguments->journal, "a journal.jsonl (default: the newest)");
  app.add_option("--journals", arguments->folder, "folder to look for the newest in");
  add_output_options(app, arguments->outputs);
  return [arguments, &common] { return report(common, *arguments); };
}

}  // namespace relapse
