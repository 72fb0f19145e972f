#include <fmt/format.h>

#include <algorithm>
#include <harness/journal/modes.hpp>
#include <harness/report/failure_text.hpp>
#include <harness/support/text.hpp>

namespace relapse {
namespace {

constexpr std::size_t kOutputLines = 12;

std::string numbers(const std::vector<std::int64_t>& values) {
  std::string out = "[";
  for (std::size_t i = 0; i < values.size(); ++i) out += (i ? ", " : "") + std::to_string(values[i]);
  return out + "]";
}

std::string facts_line(const TensorFacts& facts, std::size_t name_width) {
  std::string line = fmt::format("{:<{}}  ", facts.name, name_width);
  if (facts.dtype.empty()) return line + facts.text;
  line += fmt::format("{:<8} {}", facts.dtype, numbers(facts.shape));
  line += fmt::format("  strides {}", numbers(facts.strides));
  if (!facts.min.empty()) line += fmt::format("  min {}  max {}", facts.min, facts.max);
  if (facts.nans > 0) line += fmt::format("  {} NaN", with_thousands(facts.nans));
  if (facts.finite) line += *facts.finite ? "  finite" : "  not finite";
  if (facts.requires_grad) line += "  requires grad";
  return line;
}

std::vector<std::string> facts_lines(const std::vector<TensorFacts>& facts) {
  std::size_t width = 0;
  for (const TensorFacts& one : facts) width = std::max(width, one.name.size());
  std::vector<std::string> lines;
  for (const TensorFacts& one : facts) lines.push_back(facts_line(one, width));
  return lines;
}

/// The last lines of what the child printed, told apart by descriptor.
std::vector<std::string> last_output(const Captured& captured) {
  std::vector<std::string> lines = split(captured.text, '\n');
  while (!lines.empty() && trim(lines.back()).empty()) lines.pop_back();
  if (lines.size() > kOutputLines) {
    lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(kOutputLines));
    lines.insert(lines.begin(), "...");
  }
  if (captured.truncated) {
    lines.push_back(
        fmt::format("(of {} written, the first and the last part are kept)", bytes_text(captured.bytes)));
  }
  return lines;
}

void add_attempt(const RunRecord& run, const CheckRecord& check, FailureText& text) {
  const auto found = run.attempts.find(check.attempt);
  if (found == run.attempts.end() || !found->second.ended) return;
  const Ending& ending = found->second.ending;
  for (const auto& [name, captured] : {std::pair{"stdout", &ending.out}, std::pair{"stderr", &ending.err}}) {
    std::vector<std::string> lines = last_output(*captured);
    if (!lines.empty()) text.sections.emplace_back(name, std::move(lines));
  }
  std::vector<std::string> leaks;
  for (const Leak& leak : ending.leaks)
    leaks.push_back(fmt::format("process {} ({}) was left behind and ended", leak.pid, leak.command));
  if (!leaks.empty()) text.sections.emplace_back("left", std::move(leaks));
}

/// A word as a shell takes it.
std::string shell_word(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./@:=,+%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string quoted_word = "'";
  for (const char c : word) quoted_word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted_word + "'";
}

/// One command that runs just this check again, the same way.
std::string rerun_of(const RunRecord& run, const CheckRecord& check) {
  std::string command = "relapse run ";
  if (!run.root.empty() && run.root != "cases") command += "--cases " + shell_word(run.root) + " ";
  if (run.unfixed) command += "--unfixed ";
  if (check.device != "cpu" && check.device != "cuda") {
    for (const std::string& plugin : run.plugins) command += "--device-plugin " + shell_word(plugin) + " ";
  }
  if (!is_usual_mode(check.mode)) command += "--mode " + check.mode + " ";
  return command + shell_word(id_of(check));
}

}  // namespace

std::string headline_word(VerdictKind kind) {
  switch (kind) {
    case VerdictKind::timed_out:
      return "TIMED OUT";
    case VerdictKind::no_verdict:
      return "NO VERDICT";
    case VerdictKind::case_error:
      return "CASE ERROR";
    case VerdictKind::not_run:
      return "NOT RUN";
    default:
      break;
  }
  std::string word(to_string(kind));
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return word;
}

std::string id_of(const CheckRecord& check) {
  return check.kase + "@" + check.device + "/" + check.name;
}

std::string shown_id(const CheckRecord& check) {
  const bool usual = is_usual_mode(check.mode);
  return usual ? id_of(check) : id_of(check) + " (" + check.mode + ")";
}

const CaseRecord* case_of(const RunRecord& run, const CheckRecord& check) {
  const auto is_its = [&](const CaseRecord& kase) {
    return kase.id == check.kase && kase.device == check.device && kase.mode == check.mode;
  };
  if (check.owner < run.cases.size() && is_its(run.cases[check.owner])) return &run.cases[check.owner];
  const auto found = std::find_if(run.cases.begin(), run.cases.end(), is_its);
  return found == run.cases.end() ? nullptr : &*found;
}

std::string step_text(const StepRecord& step) {
  const std::string of = step.batch.empty() ? "" : " of " + step.batch;
  return fmt::format("{}{}: {}", step.index + 1, of, step.text);
}

FailureText failure_text(const RunRecord& run, const CheckRecord& check) {
  const Verdict& verdict = check.verdict;
  const CaseRecord* kase = case_of(run, check);
  FailureText text;
  text.word = headline_word(verdict.kind);
  text.what = fmt::format("{} @{} · {}", check.kase, check.device, check.name);
  if (!is_usual_mode(check.mode)) text.what += " · " + check.mode;
  if (kase) {
    text.where = verdict.pos.line > 0 ? fmt::format("{}:{}", kase->file, verdict.pos.line) : kase->file;
    if (verdict.kind == VerdictKind::relapsed && !kase->source.empty()) {
      text.incident = kase->date.empty() || kase->date == "unknown"
                          ? fmt::format("the incident is back: {}", kase->source)
                          : fmt::format("the incident of {} is back: {}", kase->date, kase->source);
    } else if (!kase->source.empty()) {
      text.incident = fmt::format("incident {}", kase->source);
    }
  }
  if (!verdict.reason.empty()) text.sections.emplace_back("reason", split(verdict.reason, '\n'));
  if (!verdict.promised.empty())
    text.sections.emplace_back("promised", std::vector<std::string>{verdict.promised});
  std::vector<std::string> seen;
  for (const std::string& line : verdict.seen) {
    for (const std::string& part : split(line, '\n')) seen.push_back(part);
  }
  if (!seen.empty()) text.sections.emplace_back("seen", std::move(seen));
  if (verdict.step >= 0 && check.step) {
    text.sections.emplace_back("step", std::vector<std::string>{step_text(*check.step)});
  }
  if (!check.after.empty())
    text.sections.emplace_back(
        "after", std::vector<std::string>{join(check.after, ", ") + ", first in the same process"});
  if (check.step && !check.step->inputs.empty() && verdict.step >= 0) {
    text.sections.emplace_back("inputs", facts_lines(check.step->inputs));
  } else if (check.observation && !check.observation->inputs.empty()) {
    text.sections.emplace_back("inputs", facts_lines(check.observation->inputs));
  }
  add_attempt(run, check, text);
  text.sections.emplace_back("rerun", std::vector<std::string>{rerun_of(run, check)});
  return text;
}

std::string body_of(const FailureText& text) {
  std::string out;
  if (!text.incident.empty()) out += "  " + text.incident + "\n\n";
  for (const auto& [title, lines] : text.sections) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      out += fmt::format("  {:<10} {}\n", i == 0 ? title : "", lines[i]);
    }
  }
  return out;
}

}  // namespace relapse
