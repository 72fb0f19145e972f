#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <harness/support/text.hpp>
#include <harness/verdict/sanitizer_report.hpp>

namespace relapse {
namespace {

constexpr std::string_view kMark = "=========";

bool starts_with(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

/// A first line of a finding, without its severity; empty for other lines.
std::string_view headline(std::string_view text) {
  for (const std::string_view severity : {"Error: ", "Warning: "}) {
    if (!starts_with(text, severity)) continue;
    text.remove_prefix(severity.size());
    return starts_with(text, "Race reported") || starts_with(text, "Potential ") ? text : std::string_view();
  }
  for (const std::string_view start :
       {"Invalid ", "Uninitialized ", "Misaligned ", "Leaked ", "Barrier error", "Program hit "}) {
    if (starts_with(text, start)) return text;
  }
  return {};
}

/// The first number of `ERROR SUMMARY: 3 errors` or `RACECHECK SUMMARY: 1 hazard displayed (1 error, 0
/// warnings)`.
int first_number(std::string_view text) {
  const std::size_t digits = text.find_first_of("0123456789");
  int number = 0;
  if (digits != std::string_view::npos)
    std::from_chars(text.data() + digits, text.data() + text.size(), number);
  return number;
}

}  // namespace

SanitizerReport read_sanitizer_report(std::string_view printed) {
  SanitizerReport report;
  SanitizerFinding current;
  const auto close = [&] {
    if (current.what.empty()) return;
    const auto known = std::find_if(
        report.findings.begin(), report.findings.end(),
        [&](const SanitizerFinding& one) { return one.what == current.what && one.where == current.where; });
    if (known != report.findings.end())
      ++known->count;
    else
      report.findings.push_back(current);
    current = {};
  };
  while (!printed.empty()) {
    const std::size_t end = std::min(printed.find('\n'), printed.size());
    std::string_view line = printed.substr(0, end);
    printed.remove_prefix(std::min(end + 1, printed.size()));
    if (!starts_with(line, kMark)) continue;
    const std::string_view text = trim(line.substr(kMark.size()));
    if (const std::size_t summary = text.find("SUMMARY:"); summary != std::string_view::npos) {
      close();
      report.complete = true;
      report.errors += first_number(text.substr(summary));
    } else if (const std::string_view head = headline(text); !head.empty()) {
      close();
      current.what = head;
      current.count = 1;
    } else if (text.empty()) {
      close();
    } else if (!current.what.empty()) {
      if (current.where.empty() && (starts_with(text, "at ") || starts_with(text, "and ")))
        current.where = text;
      if (current.who.empty() && starts_with(text, "by thread ")) current.who = text;
    }
  }
  close();
  return report;
}

std::string to_string(const SanitizerFinding& finding) {
  std::string text = finding.what;
  if (!finding.where.empty()) text += " " + finding.where;
  if (!finding.who.empty()) text += " " + finding.who;
  if (finding.count > 1) text += fmt::format(" ({} times)", with_thousands(finding.count));
  return text;
}

}  // namespace relapse
