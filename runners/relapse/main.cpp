// The command line. Never loads LibTorch and never touches a GPU, so it starts in milliseconds and outlives
// every child.

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <harness/support/result.hpp>
#include <runners/relapse/commands.hpp>
#include <string_view>
#include <vector>

namespace relapse {

ExitCode complain(const Error& error) {
  std::fprintf(stderr, "relapse: %s\n", error.message.c_str());
  return error.kind == ErrorKind::infrastructure ? ExitCode::infrastructure : ExitCode::usage;
}

}  // namespace relapse

namespace relapse {
namespace {

/// A process that starts with 0, 1 or 2 closed (cron, some daemons) would open its journal as one of them,
/// and prints would go into it.
void occupy_standard_descriptors() {
  int fd = open("/dev/null", O_RDWR);
  while (fd >= 0 && fd <= 2) fd = open("/dev/null", O_RDWR);
  if (fd > 2) close(fd);
}

/// What was printed has reached its reader or disk; a full disk or a closed pipe is told and never counts as
/// success.
ExitCode with_written_output(ExitCode code) {
  const bool failed = std::fflush(stdout) != 0 || std::ferror(stdout) != 0;
  if (!failed) return code;
  std::fputs("relapse: standard output could not be written: a full disk, or a pipe that was closed\n",
             stderr);
  return code == ExitCode::held ? ExitCode::infrastructure : code;
}

/// `git bisect run` takes every other code for "bad", also that of a mistyped option or a case that is not
/// there yet.
int for_bisect(int code) {
  return code == 0 || code == 1 ? code : static_cast<int>(ExitCode::cannot_tell);
}

int run_program(int argc, char** argv) {
  occupy_standard_descriptors();
  // A reader that goes away (`| head`) must not cost the reports: writes fail instead of ending the process.
  std::signal(SIGPIPE, SIG_IGN);
  CLI::App app{
      "Regression tests for GPU incidents: minimal failing inputs and the contracts that must hold."};
  app.set_version_flag("--version", "relapse " RELAPSE_VERSION);
  app.require_subcommand(1);
  app.fallthrough();
  Common common;
  std::string colour = "auto";
  app.add_option("--color", colour, "auto, always or never (NO_COLOR is heeded)")
      ->check(CLI::IsMember({"auto", "always", "never"}));
  app.add_option("--worker", common.worker, "relapse-worker to use (default: beside this program)")
      ->envname("RELAPSE_WORKER");
  app.footer(
      "Exit codes: 0 every check held, 1 a case failed, 2 wrong usage or a broken case file, 3 "
      "infrastructure,\n"
      "4 nothing was selected or nothing ran, 5 interrupted, 77 everything selected was skipped.");

  struct Entry {
    CLI::App* app;
    Command run;
  };
  std::vector<Entry> entries;
  const auto add = [&](const char* name, const char* what, Command (*make)(CLI::App&, const Common&)) {
    CLI::App* sub = app.add_subcommand(name, what);
    entries.push_back({sub, make(*sub, common)});
  };
  add("run", "run cases on every device present", add_run);
  add("list", "list cases, labels, devices and checks", add_list);
  add("lint", "say everything wrong with case files", add_lint);
  add("show", "show an operator's installed schemas, or a case with the facts of its inputs", add_show);
  add("report", "write any report again from a journal", add_report);
  add("doctor", "say what this machine has and what is missing", add_doctor);
  add("history", "say when each case last held, and on what", add_history);
  add("audit", "say what is wrong with the cases although runs are green", add_audit);
  add("bisect", "find the version at which a case changes its verdict", add_bisect);
  add("serve", "start one warm server that many ctest entries share", add_serve);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);
    return code == 0 ? 0 : static_cast<int>(ExitCode::usage);
  }
  common.colour = colour == "always"  ? ColourChoice::always
                  : colour == "never" ? ColourChoice::never
                                      : ColourChoice::automatic;
  for (const Entry& entry : entries) {
    if (!entry.app->parsed()) continue;
    try {
      return static_cast<int>(with_written_output(entry.run()));
    } catch (const std::exception& error) {
      std::fprintf(stderr, "relapse: %s\n", error.what());
      return static_cast<int>(ExitCode::infrastructure);
    }
  }
  return static_cast<int>(ExitCode::usage);
}

}  // namespace
}  // namespace relapse

int main(int argc, char** argv) {
  const bool bisects = std::any_of(argv + 1, argv + argc,
                                   [](const char* word) { return std::string_view(word) == "--bisect"; });
  const int code = relapse::run_program(argc, argv);
  return bisects ? relapse::for_bisect(code) : code;
}
