#include <fmt/format.h>

#include <filesystem>
#include <harness/case/lint.hpp>
#include <harness/case/reader.hpp>
#include <harness/support/file.hpp>
#include <memory>
#include <runners/relapse/commands.hpp>
#include <runners/relapse/load.hpp>

namespace relapse {
namespace {

struct LintArguments {
  std::vector<std::string> words;
  std::string root;
  bool fix = false;
};

struct Counts {
  int errors = 0, warnings = 0, bad_files = 0, fixed = 0;
};

/// Rewrites the file in canonical form; an unreadable one is left alone, since its meaning is not known.
Result<void> fix(const LoadedCase& one, Counts& counts) {
  const Result<std::string> text = read_file(one.path);
  if (!text) return tl::make_unexpected(text.error());
  const std::string canonical = canonical_text(*text, *one.kase);
  if (canonical == *text) return {};
  if (Result<void> written = write_file_atomically(one.path, canonical); !written) return written;
  fmt::print("{}: rewritten in canonical form\n", one.path);
  ++counts.fixed;
  return {};
}

ExitCode lint(const LintArguments& arguments) {
  const Result<Loaded> loaded = load_cases(arguments.root, arguments.words);
  if (!loaded) return complain(loaded.error());
  for (const std::string& word : loaded->unmatched)
    std::fprintf(stderr, "relapse: \"%s\" names no case file\n", word.c_str());
  Counts counts;
  for (const LoadedCase& one : loaded->cases) {
    const ReadResult read = read_case_file(one.path, one.id);
    for (const Diagnostic& diagnostic : read.diagnostics) {
      const std::string text = format(diagnostic);
      fmt::print("{}{}", text, text.empty() || text.back() != '\n' ? "\n" : "");
      ++(diagnostic.severity == Severity::error ? counts.errors : counts.warnings);
    }
    if (!read.diagnostics.empty()) ++counts.bad_files;
    if (!arguments.fix || !one.kase) continue;
    if (const Result<void> fixed = fix(one, counts); !fixed) return complain(fixed.error());
  }
  const auto plural = [](int count, const char* word) {
    return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s");
  };
  if (counts.errors + counts.warnings == 0) {
    fmt::print("{} clean\n", plural(static_cast<int>(loaded->cases.size()), "file"));
  } else {
    fmt::print("{}, {} in {} of {}\n", plural(counts.errors, "error"), plural(counts.warnings, "warning"),
               counts.bad_files, plural(static_cast<int>(loaded->cases.size()), "file"));
  }
  if (counts.errors > 0 || !loaded->unmatched.empty()) return ExitCode::usage;
  return loaded->cases.empty() ? ExitCode::nothing_ran : ExitCode::held;
}

}  // namespace

Command add_lint(CLI::App& app, const Common&) {
  auto arguments = std::make_shared<LintArguments>();
  app.add_option("files", arguments->words,
                 "case files, folders, ids or patterns (default: all of the cases folder)");
  app.add_option("--cases", arguments->root, "the cases folder (default: ./cases)");
  app.add_flag("--fix", arguments->fix, "rewrite readable files in canonical form");
  return [arguments] { return lint(*arguments); };
}

}  // namespace relapse
