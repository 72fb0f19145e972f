#include <fmt/format.h>

#include <algorithm>
#include <harness/case/source_text.hpp>
#include <harness/case/substance/lint_rule.hpp>
#include <harness/case/substance/substance.hpp>
#include <set>

namespace relapse {

namespace {

Diagnostic diagnostic_of(const Case& target, const SourceText& source, const LintRule& rule,
                         const LintFinding& finding) {
  Diagnostic diagnostic;
  diagnostic.severity = rule.severity;
  diagnostic.file = target.file;
  diagnostic.pos = finding.pos;
  diagnostic.length = finding.length;
  diagnostic.message = finding.message;
  diagnostic.hint = finding.hint;
  diagnostic.source_line = std::string(source.line(finding.pos.line));
  diagnostic.id = rule.id;
  return diagnostic;
}

std::string_view severity_text(Severity severity) {
  return severity == Severity::error ? "error" : "warning";
}

}  // namespace

const Silence* find_silence(const Case& target, std::string_view id, std::string_view about) {
  for (const Silence& silence : target.silences) {
    if (silence.id == id && (silence.about.empty() || silence.about == about)) return &silence;
  }
  return nullptr;
}

Substance substance_of(const Case& target, std::string_view text, StoredLookup stored) {
  const SourceText source(text);
  const LintView view{target, collect_symbols(target), std::move(stored)};
  Substance substance;
  std::set<const Silence*> used;
  for (const LintRule* rule : lint_rules()) {
    if (rule->check == nullptr) continue;
    std::vector<LintFinding> findings;
    rule->check(view, findings);
    for (const LintFinding& finding : findings) {
      Diagnostic diagnostic = diagnostic_of(target, source, *rule, finding);
      const Silence* silence = find_silence(target, rule->id, finding.about);
      if (silence == nullptr) {
        substance.findings.push_back(std::move(diagnostic));
        continue;
      }
      used.insert(silence);
      substance.silenced.push_back({std::move(diagnostic), silence->reason});
    }
  }
  for (const Silence& silence : target.silences) {
    const LintRule* rule = find_lint_rule(silence.id);
    if (rule == nullptr || rule->check == nullptr || used.count(&silence) > 0) continue;
    const std::string name = silence.id + (silence.about.empty() ? "" : " " + silence.about);
    LintFinding finding{silence.pos, static_cast<int>(name.size()), name, "", "take it out"};
    finding.message = fmt::format("lint: \"{}\" silences nothing: the rule finds nothing here", name);
    substance.findings.push_back(diagnostic_of(target, source, *find_lint_rule("idle-silence"), finding));
  }
  std::stable_sort(substance.findings.begin(), substance.findings.end(),
                   [](const Diagnostic& a, const Diagnostic& b) { return a.pos < b.pos; });
  return substance;
}

std::string explain_rule(std::string_view id) {
  const LintRule* rule = find_lint_rule(id);
  if (rule == nullptr) return "";
  return fmt::format("{} ({})\n{}\n\n{}", rule->id, severity_text(rule->severity), rule->summary,
                     rule->explanation);
}

std::string lint_reference() {
  std::string text =
      "# What lint looks for\n\n"
      "`relapse lint` says what breaks the format, and then what is well written and yet asserts less than "
      "it "
      "seems to. Each of the\nlatter has an id; `relapse lint --explain ID` shows what stands here.\n\n"
      "An *error* is a contradiction that a run is certain to meet: exit 2, as for a broken file. A "
      "*warning* is a "
      "doubt: exit 0, or 1\nwith `--strict`. Either is silenced in the file, with a reason, for the whole "
      "case or "
      "for one name:\n\n"
      "```yaml\n"
      "lint:\n"
      "  unused-input: the caller hands it over and the fixed code ignores it\n"
      "  mutant loss.off: one element less than the tolerance is what float16 rounds away\n"
      "```\n\n"
      "A silence of a rule that does not exist is an error, one that silences nothing is a finding "
      "itself.\n\n"
      "| id | | finds |\n| --- | --- | --- |\n";
  for (const LintRule* rule : lint_rules()) {
    text += fmt::format("| [`{}`](#{}) | {} | {} |\n", rule->id, rule->id, severity_text(rule->severity),
                        rule->summary);
  }
  for (const LintRule* rule : lint_rules())
    text += fmt::format("\n## {}\n\n{}\n\n{}", rule->id, rule->summary, rule->explanation);
  return text;
}

}  // namespace relapse
