#include <fmt/format.h>

#include <algorithm>
#include <harness/report/failure_text.hpp>
#include <harness/report/github.hpp>
#include <harness/report/importance.hpp>
#include <harness/report/markdown.hpp>
#include <harness/report/totals.hpp>
#include <harness/support/text.hpp>
#include <map>
#include <set>

namespace relapse {
namespace {

constexpr std::size_t kTitleBytes = 250;         // GitHub cuts titles at 255
constexpr std::size_t kMessageBytes = 4u << 10;  // what a person still reads in a diff
constexpr std::size_t kBlockBytes = 12u << 10;   // of one failure in the summary

/// At most `limit` bytes, cut between code points.
std::string cut(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return std::string(text);
  std::size_t end = limit;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return std::string(text.substr(0, end));
}

std::string plural(std::int64_t count, std::string_view one) {
  return with_thousands(count) + " " + std::string(one) + (count == 1 ? "" : "s");
}

struct Annotation {
  std::string level = "error", file, title, message;
  SourcePos pos;
};

std::string line_of(const Annotation& annotation, const PathContext& paths) {
  std::string properties;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty())
      properties += fmt::format("{}{}={}", properties.empty() ? "" : ",", name, escaped_property(value));
  };
  if (!annotation.file.empty()) add("file", path_in_workspace(annotation.file, paths));
  if (annotation.pos.line > 0) add("line", std::to_string(annotation.pos.line));
  if (annotation.pos.line > 0 && annotation.pos.column > 0) add("col", std::to_string(annotation.pos.column));
  add("title", cut(annotation.title, kTitleBytes));
  return fmt::format("::{} {}::{}\n", annotation.level, properties,
                     escaped_message(cut(annotation.message, kMessageBytes)));
}

/// What was promised and seen, without what only a terminal has room for.
std::string message_of(const RunRecord& run, const CheckRecord& check) {
  const FailureText text = failure_text(run, check);
  std::string message = text.incident.empty() ? "" : text.incident + "\n";
  for (const auto& [title, lines] : text.sections) {
    if (title == "stdout" || title == "stderr" || title == "left") continue;
    for (std::size_t i = 0; i < lines.size(); ++i)
      message += fmt::format("{:<9} {}\n", i == 0 ? title : "", lines[i]);
  }
  return message;
}

/// What concerns the run as a whole and makes it red.
std::vector<Annotation> of_the_run(const RunRecord& run) {
  std::vector<Annotation> all;
  for (const DeviceRecord& device : run.devices) {
    if (device.required && !device.present)
      all.push_back({"error", "", fmt::format("{} is required", device.device), device.reason, {}});
  }
  if (!run.finished) {
    all.push_back({"error",
                   "",
                   "The run did not end",
                   "Its runner was stopped; what had not been judged is not run.",
                   {}});
  } else if (run.interrupted) {
    all.push_back({"error", "", "The run was interrupted", "What had not been judged is not run.", {}});
  }
  return all;
}

std::vector<Annotation> of_checks(const RunRecord& run) {
  std::vector<Annotation> all, broken;
  for (const BrokenFile& file : run.broken_files) {
    for (BrokenPlace& place : places_of(file))
      broken.push_back({"error", file.file, "Broken case file", std::move(place.text), place.pos});
  }
  const RedChecks red = red_by_importance(run);
  for (const CheckRecord* check : red.all) {
    const CaseRecord* kase = case_of(run, *check);
    all.push_back({"error", kase ? kase->file : "",
                   fmt::format("{}: {}", headline_word(check->verdict.kind), shown_id(*check)),
                   message_of(run, *check), check->verdict.pos});
  }
  all.insert(all.begin() + static_cast<std::ptrdiff_t>(red.worst_of_each), broken.begin(), broken.end());
  return all;
}

std::optional<Annotation> of_not_run(const RunRecord& run) {
  std::set<std::string> reasons;
  for (const CheckRecord& check : run.checks) {
    if (check.verdict.kind == VerdictKind::not_run) reasons.insert(check.verdict.reason);
  }
  const int count = run.tally().not_run;
  if (count == 0 || !run.finished || run.interrupted) return std::nullopt;
  return Annotation{"warning",
                    "",
                    plural(count, "check") + (count == 1 ? " was not run" : " were not run"),
                    join({reasons.begin(), reasons.end()}, "\n"),
                    {}};
}

/// Grows up to a number of bytes and tells what did not fit.
class Bounded {
 public:
  Bounded(std::size_t limit, std::size_t reserve) : room_(limit > reserve ? limit - reserve : 0) {}
  bool add(const std::string& text) {
    if (text_.size() + text.size() > room_) return false;
    text_ += text;
    return true;
  }
  void close(const std::string& text) { text_ += text; }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
  std::size_t room_;
};

std::string failure_block(const RunRecord& run, const CheckRecord& check) {
  const FailureText text = failure_text(run, check);
  std::string block = fmt::format("#### {} {}\n\n", text.word, markdown_code(text.what));
  if (const CaseRecord* kase = case_of(run, check)) {
    block += markdown_text(cut(kase->title, 500)) + "\n\n" + markdown_code(text.where);
    if (!kase->source.empty())
      block += " · " + markdown_link("incident", cut(kase->source, 1000)) +
               (kase->date.empty() ? "" : " of " + markdown_text(cut(kase->date, 40)));
    block += "\n\n";
  }
  FailureText body = text;
  body.incident.clear();
  std::string shown = body_of(body);
  if (shown.size() > kBlockBytes) shown = cut(shown, kBlockBytes) + "\n(cut; the journal holds all of it)";
  return block + markdown_block(shown) + "\n";
}

std::string broken_block(const BrokenFile& file) {
  std::string shown = join(file.messages, "\n");
  if (shown.size() > kBlockBytes) shown = cut(shown, kBlockBytes) + "\n(cut)";
  return fmt::format("#### BROKEN FILE {}\n\n", markdown_code(cut(file.file, 1000))) + markdown_block(shown) +
         "\n";
}

std::string head_of(const RunRecord& run) {
  const Tally tally = run.tally();
  const ExitCode code = run.exit_code();
  std::string head = "## relapse: ";
  if (tally.red() > 0 || !run.broken_files.empty()) {
    std::vector<std::string> parts;
    if (tally.red() > 0) parts.push_back(fmt::format("{} red", plural(tally.red(), "check")));
    if (!run.broken_files.empty())
      parts.push_back(plural(static_cast<std::int64_t>(run.broken_files.size()), "broken file"));
    head += join(parts, ", ");
  } else if (code == ExitCode::held) {
    head += "every check held";
  } else if (code == ExitCode::skipped) {
    head += "everything was skipped";
  } else {
    head += "no verdict on the whole";
  }
  head += fmt::format("\n\n{} · {} · {:.1f} s", plural(tally.held + tally.red(), "check"),
                      plural(run.clauses, "clause"), run.seconds);
  if (!run.torch_version.empty()) head += " · LibTorch " + markdown_text(run.torch_version);
  head += fmt::format(" · exit {}\n\n", static_cast<int>(code));
  if (!run.finished)
    head += "**The run did not end**: its runner was stopped; what had not been judged is not run.\n\n";
  if (run.interrupted) head += "**Interrupted.**\n\n";
  for (const DeviceRecord& device : run.devices) {
    if (device.required && !device.present)
      head += fmt::format("**{} is required**: {}\n\n", markdown_text(device.device),
                          markdown_text(cut(device.reason, 500)));
  }
  const std::vector<DeviceTotals> totals = totals_of(run);
  if (totals.empty()) return head;
  const bool any = std::any_of(totals.begin(), totals.end(),
                               [](const DeviceTotals& line) { return line.quarantined > 0; });
  head += fmt::format(
      "| cases on | held | in part | red |{} skipped | not run |\n| --- | ---: | ---: | ---: |{} ---: | ---: "
      "|\n",
      any ? " in quarantine |" : "", any ? " ---: |" : "");
  for (const DeviceTotals& line : totals)
    head += fmt::format("| {} | {} | {} | {} |{} {} | {} |\n",
                        markdown_code(line.mode.empty() ? line.device : line.device + " " + line.mode),
                        line.held, line.partly, line.red, any ? fmt::format(" {} |", line.quarantined) : "",
                        line.skipped, line.not_run);
  return head + "\n";
}

std::vector<std::string> skip_lines(const RunRecord& run) {
  std::map<std::pair<std::string, std::string>, std::set<std::string>> reasons;
  for (const CheckRecord& check : run.checks) {
    const VerdictKind kind = check.verdict.kind;
    if (kind != VerdictKind::skipped && kind != VerdictKind::not_run && kind != VerdictKind::quarantined)
      continue;
    const std::string word = kind == VerdictKind::not_run ? "not run" : std::string(to_string(kind));
    reasons[{word, check.verdict.reason}].insert(check.kase + " @" + check.device);
  }
  std::vector<std::string> lines;
  for (const auto& [key, cases] : reasons) {
    lines.push_back(fmt::format("- {}: {}: {}\n", key.first,
                                cases.size() == 1 ? markdown_code(*cases.begin())
                                                  : plural(static_cast<std::int64_t>(cases.size()), "case"),
                                markdown_text(cut(key.second, 500))));
  }
  return lines;
}

}  // namespace

std::string escaped_message(std::string_view text) {
  std::string out;
  for (const char c : to_valid_utf8(text)) {
    if (c == '%')
      out += "%25";
    else if (c == '\r')
      out += "%0D";
    else if (c == '\n')
      out += "%0A";
    else if (static_cast<unsigned char>(c) >= 0x20 || c == '\t')
      out += c;
  }
  return out;
}

std::string escaped_property(std::string_view text) {
  std::string out;
  for (const char c : escaped_message(text)) {
    if (c == ':')
      out += "%3A";
    else if (c == ',')
      out += "%2C";
    else
      out += c;
  }
  return out;
}

std::string github_annotations(const RunRecord& run, const PathContext& paths) {
  std::vector<Annotation> all = of_the_run(run);
  for (Annotation& one : of_checks(run)) all.push_back(std::move(one));
  if (std::optional<Annotation> warning = of_not_run(run)) all.push_back(std::move(*warning));
  std::string out;
  const bool too_many = all.size() > kAnnotations;
  const std::size_t shown = too_many ? kAnnotations - 1 : all.size();
  for (std::size_t i = 0; i < shown; ++i) out += line_of(all[i], paths);
  if (too_many) {
    const std::size_t more = all.size() - shown;
    Annotation last;
    last.title = fmt::format("{} more", with_thousands(static_cast<std::int64_t>(more)));
    last.message =
        fmt::format("GitHub shows {} annotations of a step; {} more are in the job summary{}", kAnnotations,
                    with_thousands(static_cast<std::int64_t>(more)),
                    run.journal.empty() ? "" : " and in the journal: relapse report " + run.journal);
    out += line_of(last, paths);
  }
  return out;
}

std::string github_summary(const RunRecord& run, std::size_t limit) {
  constexpr std::size_t kReserve = 2048;  // for the lines that say what did not fit
  Bounded out(limit, kReserve);
  if (!out.add(head_of(run))) return {};
  const RedChecks red = red_by_importance(run);
  if (!red.all.empty() || !run.broken_files.empty()) out.add("### Red\n\n");
  std::size_t left_out = 0;
  const auto add = [&](auto make) {
    // Once one did not fit, a smaller and less important one does not jump the queue.
    if (left_out > 0 || !out.add(make())) ++left_out;
  };
  for (std::size_t i = 0; i <= red.all.size(); ++i) {
    if (i == red.worst_of_each) {
      for (const BrokenFile& file : run.broken_files) add([&] { return broken_block(file); });
    }
    if (i < red.all.size()) add([&] { return failure_block(run, *red.all[i]); });
  }
  const std::string pointer =
      run.journal.empty() ? ""
                          : "; " + markdown_code("relapse report " + cut(run.journal, 800)) + " shows all";
  if (left_out > 0) {
    out.close(fmt::format("**{} more red** did not fit into a job summary{}.\n\n",
                          with_thousands(static_cast<std::int64_t>(left_out)), pointer));
  }
  std::size_t lines_left = 0;
  const std::vector<std::string> skips = skip_lines(run);
  if (!skips.empty() && !out.add("### Not run\n\n")) lines_left = skips.size();
  for (const std::string& line : skips) {
    if (lines_left > 0 || !out.add(line)) ++lines_left;
  }
  if (lines_left > 0) out.close("\nMore reasons of skips did not fit.\n");
  if (!skips.empty()) out.close("\n");
  for (const std::string& note : run.notes) out.add("- note: " + markdown_text(cut(note, 500)) + "\n");
  if (!run.journal.empty()) out.close("\njournal " + markdown_code(cut(run.journal, 800)) + "\n");
  return out.take();
}

}  // namespace relapse
