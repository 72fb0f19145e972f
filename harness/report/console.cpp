#include <fmt/format.h>

#include <algorithm>
#include <harness/journal/modes.hpp>
#include <harness/report/console.hpp>
#include <harness/report/failure_text.hpp>
#include <harness/report/totals.hpp>
#include <harness/support/text.hpp>
#include <map>
#include <set>

namespace relapse {
namespace {

std::string plural(std::int64_t count, std::string_view one, std::string_view many = {}) {
  const std::string word = count == 1     ? std::string(one)
                           : many.empty() ? std::string(one) + "s"
                                          : std::string(many);
  return with_thousands(count) + " " + word;
}

std::size_t case_count(const RunRecord& run) {
  std::set<std::string> ids;
  for (const CaseRecord& kase : run.cases) ids.insert(kase.id);
  for (const BrokenFile& file : run.broken_files) ids.insert(file.id);
  return ids.size();
}

std::string counts(const DeviceTotals& line, const Style& style) {
  std::vector<std::string> parts;
  if (line.held > 0) parts.push_back(style.green(fmt::format("{} held", line.held)));
  if (line.partly > 0) parts.push_back(style.yellow(fmt::format("{} held in part", line.partly)));
  if (line.red > 0) parts.push_back(style.red(fmt::format("{} red", line.red)));
  if (line.quarantined > 0) parts.push_back(style.yellow(fmt::format("{} in quarantine", line.quarantined)));
  if (line.skipped > 0) parts.push_back(style.yellow(fmt::format("{} skipped", line.skipped)));
  if (line.not_run > 0) parts.push_back(style.yellow(fmt::format("{} not run", line.not_run)));
  return join(parts, ", ");
}

std::string skip_lines(const RunRecord& run) {
  // Grouped by reason: "no driver" said once for 22 cases, not 22 times.
  std::map<std::pair<std::string, std::string>, std::set<std::string>> reasons;
  for (const CheckRecord& check : run.checks) {
    if (check.verdict.kind != VerdictKind::skipped && check.verdict.kind != VerdictKind::not_run &&
        check.verdict.kind != VerdictKind::quarantined)
      continue;
    reasons[{std::string(to_string(check.verdict.kind)), check.verdict.reason}].insert(check.kase + " @" +
                                                                                       check.device);
  }
  std::string out;
  for (const auto& [key, cases] : reasons) {
    const std::string word = key.first == "not_run" ? "not run" : key.first;
    const std::string who = cases.size() <= 2 ? join({cases.begin(), cases.end()}, ", ")
                                              : plural(static_cast<std::int64_t>(cases.size()), "case");
    out += fmt::format("{:<8} {}: {}\n", word, who, key.second);
  }
  return out;
}

std::string seconds_text(double seconds) {
  return seconds < 10 ? fmt::format("{:.2f} s", seconds) : fmt::format("{:.0f} s", seconds);
}

/// `cuda (NVIDIA H200)`; names that only repeat the kind say nothing.
std::string device_text(const DeviceRecord& device, int cores) {
  if (device.device == "cpu") return fmt::format("cpu ({})", plural(cores, "core"));
  std::vector<std::string> names;
  for (const std::string& name : device.names) {
    if (name.rfind(device.device + ":", 0) != 0) names.push_back(name);
  }
  return names.empty() ? device.device : fmt::format("{} ({})", device.device, join(names, ", "));
}

}  // namespace

std::string console_head(const RunRecord& run, const Style& style) {
  std::vector<std::string> present;
  for (const DeviceRecord& device : run.devices) {
    if (device.present) present.push_back(device_text(device, run.cores));
  }
  std::string out = fmt::format("relapse {} · {} · {} from {}\n", run.version,
                                present.empty() ? "no device" : join(present, ", "),
                                plural(static_cast<std::int64_t>(case_count(run)), "case"), run.root);
  if (run.shard.count > 0) {
    std::set<std::string> others;
    for (const ElsewhereRecord& one : run.elsewhere) others.insert(one.kase);
    out += fmt::format("  shard {}/{} (by {}): {} of {}; the others are left to the other shards\n",
                       run.shard.index, run.shard.count, run.shard.from, case_count(run),
                       plural(static_cast<std::int64_t>(case_count(run) + others.size()), "case"));
  }
  for (const DeviceRecord& device : run.devices) {
    if (device.present) continue;
    const std::string line = fmt::format("  {}: {}; {}\n", device.device, device.reason,
                                         device.required ? "it is required" : "its checks are skipped");
    out += device.required ? style.red(line) : line;
  }
  for (const BrokenFile& file : run.broken_files) {
    for (const std::string& message : file.messages)
      out += message + (message.empty() || message.back() != '\n' ? "\n" : "");
  }
  return out;
}

std::string console_failure(const RunRecord& run, const CheckRecord& check, const Style& style) {
  const FailureText text = failure_text(run, check);
  return fmt::format("{}  {}   {}\n{}\n", style.bold(style.red(fmt::format("{:<9}", text.word))),
                     style.bold(text.what), style.dim(text.where), body_of(text));
}

std::string console_tail(const RunRecord& run, const Style& style) {
  const Tally tally = run.tally();
  std::string out = skip_lines(run);
  std::string line;
  for (const DeviceTotals& totals : totals_of(run)) {
    const std::string device =
        is_usual_mode(totals.mode) ? totals.device : totals.device + " (" + totals.mode + ")";
    line += fmt::format("{}{} {}", line.empty() ? "" : " · ", device, counts(totals, style));
  }
  if (!run.broken_files.empty()) {
    line += (line.empty() ? "" : " · ") +
            style.red(plural(static_cast<std::int64_t>(run.broken_files.size()), "broken file"));
  }
  if (line.empty())
    line = run.is_empty_shard() ? "this shard is empty: the others hold all cases" : "nothing was selected";
  out += line;
  if (tally.all() > 0) {
    out += fmt::format(" · {} · {} · {}", plural(tally.held + tally.red(), "check"),
                       plural(run.clauses, "clause"), seconds_text(run.seconds));
  }
  if (!run.torch_version.empty()) out += " · LibTorch " + run.torch_version;
  if (tally.left_out > 0) out += fmt::format(" · {} left out", plural(tally.left_out, "probe"));
  out += "\n";
  for (const Finding& finding : run.findings) {
    out += style.yellow(fmt::format("{:<8} {}@{}/{}: {}\n",
                                    finding.kind == "order_dependent" ? "order" : finding.kind, finding.kase,
                                    finding.device, finding.check, finding.text));
  }
  for (const std::string& note : run.notes) out += "note: " + note + "\n";
  if (!run.finished)
    out += style.yellow("the run did not end: its runner was stopped; what had not been judged is not run\n");
  if (run.interrupted) out += style.yellow("interrupted\n");
  if (!run.journal.empty()) out += style.dim("journal " + run.journal) + "\n";
  const ExitCode code = run.exit_code();
  if (code != ExitCode::held) out += fmt::format("exit {}\n", static_cast<int>(code));
  return out;
}

std::string console_report(const RunRecord& run, const Style& style) {
  std::string out = console_head(run, style) + "\n";
  for (const CheckRecord& check : run.checks) {
    if (is_red(check.verdict.kind)) out += console_failure(run, check, style);
  }
  return out + console_tail(run, style);
}

}  // namespace relapse
