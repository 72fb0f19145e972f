#include <unistd.h>

#include <harness/history/diff.hpp>
#include <harness/history/diff_text.hpp>
#include <harness/history/journals.hpp>
#include <harness/history/merge.hpp>
#include <harness/journal/journal.hpp>
#include <harness/journal/record.hpp>
#include <harness/report/console.hpp>
#include <harness/verdict/summary.hpp>
#include <memory>
#include <runners/relapse/commands.hpp>
#include <runners/relapse/outputs.hpp>

namespace relapse {
namespace {

struct ReportArguments {
  std::vector<std::string> words;
  std::string folder = ".relapse/runs";
  bool merge = false, diff = false;
  Outputs outputs;
};

void print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

/// The journals that were named, or the newest one.
Result<std::vector<std::string>> wanted_journals(const ReportArguments& arguments) {
  if (!arguments.words.empty()) return journals_of(arguments.words);
  Result<std::string> newest = newest_journal(arguments.folder);
  if (!newest) return tl::make_unexpected(newest.error());
  return std::vector<std::string>{std::move(*newest)};
}

ExitCode report_one(const Common& common, const ReportArguments& arguments, const RunRecord& run) {
  if (!to_standard_output(arguments.outputs)) {
    const CommandShield shield(arguments.outputs.github);
    print(console_report(run, style_of(STDOUT_FILENO, common.colour)));
  }
  if (const Result<void> written = write_outputs(arguments.outputs, run); !written)
    return complain(written.error());
  return run.exit_code();
}

ExitCode report_diff(const Common& common, const ReportArguments& arguments) {
  if (arguments.words.size() != 2) {
    return complain({ErrorKind::usage,
                     "--diff compares two journals, or two folders of which the journals "
                     "are merged: give the earlier one, then the later one"});
  }
  Outputs others = arguments.outputs;
  const std::string json = place_of(others, "--json");
  for (std::string& file : others.files) {
    if (file == json) file.clear();
  }
  if (!is_empty(others))
    return complain(
        {ErrorKind::usage, "--diff has one report besides the printed one: --json writes what changed"});
  std::vector<RunRecord> sides;
  for (const std::string& word : arguments.words) {
    const Result<std::vector<std::string>> paths = journals_of({word});
    if (!paths) return complain(paths.error());
    Result<std::vector<RunRecord>> runs = read_runs(*paths);
    if (!runs) return complain(runs.error());
    if (runs->size() == 1) {
      sides.push_back(std::move(runs->front()));
      continue;
    }
    Result<RunRecord> merged = merge_runs(std::move(*runs));
    if (!merged) return complain(merged.error());
    sides.push_back(std::move(*merged));
  }
  const RunDiff diff = diff_runs(sides[0], sides[1]);
  if (json != "-") print(diff_text(sides[0], sides[1], diff, style_of(STDOUT_FILENO, common.colour)));
  if (const Result<void> written = write_report(json, diff_json(sides[0], sides[1], diff)); !written)
    return complain(written.error());
  if (sides[0].checks.empty() && sides[1].checks.empty()) return ExitCode::nothing_ran;
  return diff.count(Change::worse) > 0 ? ExitCode::failed : ExitCode::held;
}

ExitCode report(const Common& common, const ReportArguments& arguments) {
  if (const Result<void> good = check_outputs(arguments.outputs); !good) return complain(good.error());
  if (arguments.diff) return report_diff(common, arguments);
  const Result<std::vector<std::string>> paths = wanted_journals(arguments);
  if (!paths) return complain(paths.error());
  if (arguments.merge) {
    Result<std::vector<RunRecord>> runs = read_runs(*paths);
    if (!runs) return complain(runs.error());
    const Result<RunRecord> merged = merge_runs(std::move(*runs));
    return merged ? report_one(common, arguments, *merged) : complain(merged.error());
  }
  if (paths->size() > 1 && !is_empty(arguments.outputs)) {
    return complain(
        {ErrorKind::usage, "several journals and one report file: --merge makes one report of all of them"});
  }
  // Each in turn; of several exit codes the first of 5, 2, 3, 1, 4, 77, 0 counts.
  ExitCode code = ExitCode::held;
  bool first = true;
  for (const std::string& path : *paths) {
    const Result<RunRecord> run = read_run(path);
    if (!run) return complain(run.error());
    if (!first) print("\n");
    const ExitCode one = report_one(common, arguments, *run);
    code = first ? one : graver(code, one);
    first = false;
  }
  return code;
}

}  // namespace

Command add_report(CLI::App& app, const Common& common) {
  auto arguments = std::make_shared<ReportArguments>();
  app.add_option("journals", arguments->words,
                 "journals, runs' folders, or folders with journals below them (default: the newest)");
  app.add_option("--journals", arguments->folder, "folder to look for the newest in");
  CLI::Option* merge = app.add_flag("--merge", arguments->merge,
                                    "all of them as one run: the shards of a run, several devices");
  app.add_flag("--diff", arguments->diff, "what changed its verdict from the first journal to the second")
      ->excludes(merge);
  add_output_options(app, arguments->outputs);
  return [arguments, &common] { return report(common, *arguments); };
}

}  // namespace relapse
