#pragma once

// The commands of `relapse`. Each adds its options to the parser and gives the function that runs it.

#include <CLI/CLI.hpp>
#include <functional>
#include <harness/report/style.hpp>
#include <harness/support/exit_code.hpp>

namespace relapse {

/// What every command knows.
struct Common {
  ColourChoice colour = ColourChoice::automatic;
  std::string worker;  ///< --worker; empty: beside this program
};

using Command = std::function<ExitCode()>;

Command add_run(CLI::App& app, const Common& common);
Command add_list(CLI::App& app, const Common& common);
Command add_lint(CLI::App& app, const Common& common);
Command add_show(CLI::App& app, const Common& common);
Command add_report(CLI::App& app, const Common& common);
Command add_bisect(CLI::App& app, const Common& common);
Command add_history(CLI::App& app, const Common& common);
Command add_audit(CLI::App& app, const Common& common);
Command add_doctor(CLI::App& app, const Common& common);
Command add_serve(CLI::App& app, const Common& common);

/// Prints `relapse: message` to stderr and gives the exit code of the error's kind.
struct Error;
ExitCode complain(const Error& error);

}  // namespace relapse
