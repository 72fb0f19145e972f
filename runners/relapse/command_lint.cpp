#include <fmt/format.h>

#include <harness/case/lint.hpp>
#include <harness/case/reader.hpp>
#include <harness/case/substance/lint_rule.hpp>
#include <harness/case/substance/substance.hpp>
#include <harness/support/file.hpp>
#include <harness/support/text.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <runners/relapse/commands.hpp>
#include <runners/relapse/load.hpp>
#include <runners/relapse/stored_inputs.hpp>

namespace relapse {
namespace {

using Json = nlohmann::json;

struct LintArguments {
  std::vector<std::string> words;
  std::string root;
  bool fix = false, strict = false, json = false;
  CLI::Option* explain = nullptr;
};

struct Counts {
  int errors = 0, warnings = 0, silenced = 0, bad_files = 0;
};

/// What is said of one file.
struct LintedFile {
  std::vector<Diagnostic> findings;
  std::vector<SilencedFinding> silenced;
  std::optional<std::string> canonical;  ///< where it differs from the file
};

LintedFile lint_file(const LoadedCase& one) {
  LintedFile linted;
  const Result<std::string> text = read_file(one.path, ReadLimits{}.file_bytes + 1);
  if (!text) {
    Diagnostic diagnostic;
    diagnostic.file = one.path;
    diagnostic.message = text.error().message;
    linted.findings.push_back(std::move(diagnostic));
    return linted;
  }
  ReadResult read = read_case(*text, one.path, one.id);
  linted.findings = std::move(read.diagnostics);
  // Of a file that could not be read in full, what follows from the rest is guesswork.
  if (!read.value) return linted;
  Substance substance = substance_of(*read.value, *text, stored_inputs_of(one.path));
  linted.findings.insert(linted.findings.end(), substance.findings.begin(), substance.findings.end());
  linted.silenced = std::move(substance.silenced);
  std::string canonical = canonical_text(*text, *read.value);
  if (canonical != *text) linted.canonical = std::move(canonical);
  return linted;
}

void count(const LintedFile& file, Counts& counts) {
  for (const Diagnostic& finding : file.findings)
    ++(finding.severity == Severity::error ? counts.errors : counts.warnings);
  counts.silenced += static_cast<int>(file.silenced.size());
  if (!file.findings.empty()) ++counts.bad_files;
}

std::string plural(int number, const char* word) {
  return fmt::format("{} {}{}", number, word, number == 1 ? "" : "s");
}

void print(const LintedFile& file) {
  for (const Diagnostic& finding : file.findings) {
    const std::string text = format(finding);
    fmt::print("{}{}", text, text.empty() || text.back() != '\n' ? "\n" : "");
  }
}

void print_summary(const Counts& counts, int files) {
  const std::string silenced = counts.silenced == 0 ? "" : fmt::format(", {} silenced", counts.silenced);
  if (counts.errors + counts.warnings == 0) {
    fmt::print("{} clean{}\n", plural(files, "file"), silenced);
  } else {
    fmt::print("{}, {} in {} of {}{}\n", plural(counts.errors, "error"), plural(counts.warnings, "warning"),
               counts.bad_files, plural(files, "file"), silenced);
  }
}

Json finding_json(const Diagnostic& finding) {
  Json json{{"severity", finding.severity == Severity::error ? "error" : "warning"},
            {"line", finding.pos.line},
            {"column", finding.pos.column},
            {"length", finding.length},
            {"message", finding.message}};
  if (!finding.id.empty()) json["rule"] = finding.id;
  if (!finding.hint.empty()) json["hint"] = finding.hint;
  return json;
}

Json file_json(const LoadedCase& one, const LintedFile& file) {
  Json json{{"file", one.path}, {"id", one.id}, {"findings", Json::array()}, {"silenced", Json::array()}};
  for (const Diagnostic& finding : file.findings) json["findings"].push_back(finding_json(finding));
  for (const SilencedFinding& silenced : file.silenced) {
    Json entry = finding_json(silenced.diagnostic);
    entry["reason"] = silenced.reason;
    json["silenced"].push_back(std::move(entry));
  }
  return json;
}

ExitCode explain(const std::string& id) {
  if (id.empty()) {
    for (const LintRule* rule : lint_rules())
      fmt::print("{:<24} {:<8} {}\n", rule->id, rule->severity == Severity::error ? "error" : "warning",
                 rule->summary);
    return ExitCode::held;
  }
  const std::string text = explain_rule(id);
  if (text.empty()) {
    return complain(
        {ErrorKind::usage, fmt::format("no rule is called {}{}: relapse lint --explain lists them",
                                       quoted(id, 60), did_you_mean(id, lint_rule_ids()))});
  }
  fmt::print("{}", text);
  return ExitCode::held;
}

ExitCode lint(const LintArguments& arguments) {
  if (arguments.explain->count() > 0) return explain(arguments.explain->as<std::string>());
  const Result<Loaded> loaded = load_cases(arguments.root, arguments.words);
  if (!loaded) return complain(loaded.error());
  for (const std::string& word : loaded->unmatched)
    std::fprintf(stderr, "relapse: \"%s\" names no case file\n", word.c_str());
  Counts counts;
  Json files = Json::array();
  for (const LoadedCase& one : loaded->cases) {
    const LintedFile file = lint_file(one);
    count(file, counts);
    if (arguments.json)
      files.push_back(file_json(one, file));
    else
      print(file);
    if (!arguments.fix || !file.canonical) continue;
    if (Result<void> written = write_file_atomically(one.path, *file.canonical); !written)
      return complain(written.error());
    if (!arguments.json) fmt::print("{}: rewritten in canonical form\n", one.path);
  }
  if (arguments.json) {
    const Json report{
        {"schema", 1}, {"files", std::move(files)}, {"errors", counts.errors}, {"warnings", counts.warnings}};
    fmt::print("{}\n", report.dump(1, ' ', false, Json::error_handler_t::replace));
  } else {
    print_summary(counts, static_cast<int>(loaded->cases.size()));
  }
  if (counts.errors > 0 || !loaded->unmatched.empty()) return ExitCode::usage;
  if (loaded->cases.empty()) return ExitCode::nothing_ran;
  return arguments.strict && counts.warnings > 0 ? ExitCode::failed : ExitCode::held;
}

}  // namespace

Command add_lint(CLI::App& app, const Common&) {
  auto arguments = std::make_shared<LintArguments>();
  app.add_option("files", arguments->words,
                 "case files, folders, ids or patterns (default: all of the cases folder)");
  app.add_option("--cases", arguments->root, "the cases folder (default: ./cases)");
  app.add_flag("--fix", arguments->fix, "rewrite readable files in canonical form");
  app.add_flag("--strict", arguments->strict, "exit 1 with warnings");
  app.add_flag("--json", arguments->json, "as JSON, schema version 1");
  arguments->explain =
      app.add_option("--explain", "say what a rule finds and why; without an id, list all rules")
          ->expected(0, 1)
          ->type_name("ID");
  return [arguments] { return lint(*arguments); };
}

}  // namespace relapse
