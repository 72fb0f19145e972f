#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <harness/history/audit.hpp>
#include <harness/history/history.hpp>
#include <harness/history/journals.hpp>
#include <harness/journal/journal.hpp>
#include <harness/plan/plan.hpp>
#include <harness/support/text.hpp>
#include <memory>
#include <runners/relapse/commands.hpp>
#include <runners/relapse/load.hpp>
#include <runners/relapse/outputs.hpp>
#include <runners/relapse/run_quarantine.hpp>

namespace relapse {
namespace {

using Json = nlohmann::json;

struct HistoryArguments {
  std::vector<std::string> words, journals;
  std::string root, json, quarantine, today;
  int days = 30;
};

/// The history of these journals, oldest first, read one by one; broken ones are told and passed over.
Result<History> history_of(const std::vector<std::string>& words, int& unread) {
  const Result<std::vector<std::string>> paths = journals_of(words);
  if (!paths) return tl::make_unexpected(paths.error());
  HistoryBuilder builder;
  for (const std::string& path : *paths) {
    const Result<RunRecord> run = read_run(path);
    if (run) {
      builder.add(*run);
    } else {
      std::fprintf(stderr, "relapse: %s; it is passed over\n", run.error().message.c_str());
      ++unread;
    }
  }
  return std::move(builder).finish();
}

std::string day(const std::string& time) {
  return time.empty() ? "never" : time.substr(0, 10);
}

Json history_json(const History& history) {
  Json json{{"schema", 1},
            {"runs", history.runs},
            {"first", history.first},
            {"last", history.last},
            {"cases", Json::array()}};
  for (const CaseHistory& one : history.cases) {
    json["cases"].push_back({{"id", one.id},
                             {"device", one.device},
                             {"runs", one.runs},
                             {"held", one.held},
                             {"red", one.red},
                             {"skipped", one.skipped},
                             {"last", to_string(one.last)},
                             {"last_run", one.last_run},
                             {"last_held", one.last_held},
                             {"last_held_torch", one.torch_at_last_held},
                             {"last_red", one.last_red},
                             {"last_symptom", one.last_symptom},
                             {"skip_reason", one.skip_reason},
                             {"changes", one.changes},
                             {"unstable", one.unstable()}});
  }
  return json;
}

std::string detail_of(const CaseHistory& one, const Style& style) {
  std::string detail;
  if (one.last == CaseOutcome::red || one.last == CaseOutcome::quarantined) {
    detail = one.last_symptom;
  } else if (one.last == CaseOutcome::skipped) {
    detail = one.skip_reason;
  }
  if (!one.unstable()) return detail;
  const std::string why = one.repeats_differ
                              ? "unstable: its repeats differed"
                              : fmt::format("unstable: changed {} times without a reason", one.changes);
  return (detail.empty() ? "" : detail + " · ") + style.yellow(why);
}

ExitCode history(const Common& common, const HistoryArguments& arguments) {
  int unread = 0;
  const Result<History> history = history_of(arguments.journals, unread);
  if (!history) return complain(history.error());
  const Style style = style_of(STDOUT_FILENO, common.colour);
  if (arguments.json != "-") {
    std::size_t width = 4;
    for (const CaseHistory& one : history->cases)
      width = std::max(width, one.id.size() + 1 + one.device.size());
    fmt::print("{} runs from {} to {}\n\n", history->runs, day(history->first), day(history->last));
    fmt::print("{:<{}}  {:<10}  {:<8}  {:<13}  {:>4}  {:>4}  {:>4}\n", "case", width, "last held", "LibTorch",
               "last", "held", "red", "skip");
    for (const CaseHistory& one : history->cases) {
      const std::string word = fmt::format("{:<13}", to_string(one.last));
      const bool good = one.last == CaseOutcome::held || one.last == CaseOutcome::partly;
      const std::string line =
          fmt::format("{:<{}}  {:<10}  {:<8}  {}  {:>4}  {:>4}  {:>4}  {}", one.id + "@" + one.device, width,
                      day(one.last_held), one.torch_at_last_held,
                      good                           ? style.green(word)
                      : one.last == CaseOutcome::red ? style.red(word)
                                                     : style.yellow(word),
                      one.held, one.red, one.skipped, detail_of(one, style));
      fmt::print("{}\n", line.substr(0, line.find_last_not_of(' ') + 1));
    }
  }
  const std::string text = history_json(*history).dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
  if (const Result<void> written = write_report(arguments.json, text); !written)
    return complain(written.error());
  if (unread > 0) return ExitCode::infrastructure;
  return history->cases.empty() ? ExitCode::nothing_ran : ExitCode::held;
}

AuditedCase audited(const LoadedCase& one) {
  AuditedCase kase{one.id, one.path, one.hash, true, true, {}};
  const std::vector<std::string>& devices = one.kase->needs.devices;
  kase.on_gpu = devices.empty() || std::any_of(devices.begin(), devices.end(),
                                               [](const std::string& kind) { return kind != "cpu"; });
  if (one.kase->unfixed.kind == UnfixedKind::none) {
    kase.can_be_armed = false;
    kase.why_not = one.kase->unfixed.reason;
  } else if (steps_for(*one.kase, Role::unfixed).size() == one.kase->subject.steps.size() &&
             one.kase->unfixed.kind == UnfixedKind::automatic) {
    kase.can_be_armed = false;
    kase.why_not = "the subject has no guard() and the case no `unfixed`";
  }
  return kase;
}

ExitCode audit_cases(const Common& common, const HistoryArguments& arguments) {
  const Result<Loaded> loaded = load_cases(arguments.root, arguments.words);
  if (!loaded) return complain(loaded.error());
  for (const std::string& word : loaded->unmatched)
    std::fprintf(stderr, "relapse: \"%s\" is no id, label, path or pattern of a case\n", word.c_str());
  if (!loaded->unmatched.empty()) return ExitCode::usage;
  const Result<Quarantine> quarantine = load_quarantine(arguments.quarantine, loaded->root);
  if (!quarantine) return complain(quarantine.error());
  int unread = 0;
  const Result<History> history = history_of(arguments.journals, unread);
  if (!history) return complain(history.error());
  if (!arguments.today.empty() && !is_date(arguments.today))
    return complain({ErrorKind::usage,
                     "--today: expected a date such as 2026-12-01, got " + relapse::quoted(arguments.today)});
  std::vector<AuditedCase> cases;
  int broken = 0;
  for (const LoadedCase& one : loaded->cases) {
    if (one.kase) {
      cases.push_back(audited(one));
    } else {
      ++broken;
      fmt::print("broken        {}: relapse lint {}\n", one.id, one.path);
    }
  }
  AuditOptions options;
  options.today = arguments.today.empty() ? utc_now().substr(0, 10) : arguments.today;
  options.gpu_days = arguments.days;
  const std::vector<AuditFinding> findings = audit(cases, *history, quarantine->entries, options);
  const Style style = style_of(STDOUT_FILENO, common.colour);
  for (const AuditFinding& one : findings)
    fmt::print("{}  {}: {}\n", style.yellow(fmt::format("{:<12}", one.kind)), one.what, one.text);
  fmt::print("{}{} findings in {} cases, by {} runs from {} to {}\n", findings.empty() ? "" : "\n",
             findings.size(), cases.size(), history->runs, day(history->first), day(history->last));
  Json json{{"schema", 1}, {"findings", Json::array()}};
  for (const AuditFinding& one : findings)
    json["findings"].push_back({{"kind", one.kind}, {"what", one.what}, {"text", one.text}});
  if (const Result<void> written =
          write_report(arguments.json, json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
      !written)
    return complain(written.error());
  if (broken > 0) return ExitCode::usage;
  if (unread > 0) return ExitCode::infrastructure;
  if (cases.empty()) return ExitCode::nothing_ran;
  return findings.empty() ? ExitCode::held : ExitCode::failed;
}

}  // namespace

Command add_history(CLI::App& app, const Common& common) {
  auto arguments = std::make_shared<HistoryArguments>();
  app.add_option("journals", arguments->journals,
                 "journals or folders with journals below them (default: .relapse/runs)");
  app.add_option("--json", arguments->json, "as JSON to this file (- is standard output)");
  return [arguments, &common] {
    if (arguments->journals.empty()) arguments->journals = {".relapse/runs"};
    return history(common, *arguments);
  };
}

Command add_audit(CLI::App& app, const Common& common) {
  auto arguments = std::make_shared<HistoryArguments>();
  HistoryArguments& a = *arguments;
  app.add_option("cases", a.words, "ids, globs, labels, files or folders");
  app.add_option("--cases", a.root, "the cases folder (default: ./cases)");
  app.add_option("--journals", a.journals,
                 "journals or folders with journals below them (default: .relapse/runs)");
  app.add_option("--days", a.days, "a case must have run on a GPU within so many days (default: 30)")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--quarantine", a.quarantine,
                 "the quarantine file (default: quarantine.yaml beside the cases folder)");
  app.add_option("--today", a.today, "judge as of this date");
  app.add_option("--json", a.json, "the findings as JSON to this file");
  return [arguments, &common] {
    if (arguments->journals.empty()) arguments->journals = {".relapse/runs"};
    return audit_cases(common, *arguments);
  };
}

}  // namespace relapse
