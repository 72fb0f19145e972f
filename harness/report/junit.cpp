#include <fmt/format.h>

#include <algorithm>
#include <harness/journal/modes.hpp>
#include <harness/report/failure_text.hpp>
#include <harness/report/junit.hpp>
#include <harness/support/text.hpp>
#include <pugixml.hpp>
#include <sstream>
#include <utility>

namespace relapse {
namespace {

enum class Element { pass, failure, error, skipped };

Element element_of(VerdictKind kind) {
  switch (kind) {
    case VerdictKind::held:
      return Element::pass;
    case VerdictKind::broken:
    case VerdictKind::relapsed:
    case VerdictKind::unstable:
      return Element::failure;
    case VerdictKind::faulted:
    case VerdictKind::timed_out:
    case VerdictKind::no_verdict:
    case VerdictKind::case_error:
    case VerdictKind::infrastructure:
      return Element::error;
    case VerdictKind::skipped:
    case VerdictKind::not_run:
    case VerdictKind::quarantined:
    case VerdictKind::left_out:
      return Element::skipped;
  }
  return Element::error;
}

/// A fault that broke a promise by raising is a failure of the test; a death of the process is an error of
/// it.
Element element_of(const Verdict& verdict) {
  if (verdict.kind == VerdictKind::faulted && verdict.fault != FaultKind::crash) return Element::failure;
  return element_of(verdict.kind);
}

void set(pugi::xml_node node, const char* name, const std::string& value) {
  node.append_attribute(name).set_value(legal_in_xml(value).c_str());
}

void put_text(pugi::xml_node node, const std::string& text) {
  node.append_child(pugi::node_pcdata).set_value(legal_in_xml(text).c_str());
}

struct Counts {
  int tests = 0, failures = 0, errors = 0, skipped = 0;
  double seconds = 0;
};

void put_counts(pugi::xml_node node, const Counts& counts) {
  set(node, "tests", std::to_string(counts.tests));
  set(node, "failures", std::to_string(counts.failures));
  set(node, "errors", std::to_string(counts.errors));
  set(node, "skipped", std::to_string(counts.skipped));
  set(node, "time", fmt::format("{:.3f}", counts.seconds));
}

std::string message_of(const Verdict& verdict) {
  const std::string first = !verdict.seen.empty() ? verdict.seen.front() : verdict.reason;
  return headline_word(verdict.kind) + ": " + first;
}

const AttemptRecord* attempt_of(const RunRecord& run, int id) {
  const auto found = run.attempts.find(id);
  return found == run.attempts.end() || !found->second.ended ? nullptr : &found->second;
}

/// What the child printed: of a red check that ended it, or of a round.
void put_output(pugi::xml_node node, const RunRecord& run, int attempt) {
  const AttemptRecord* record = attempt_of(run, attempt);
  if (!record) return;
  for (const auto& [name, captured] :
       {std::pair{"system-out", &record->ending.out}, std::pair{"system-err", &record->ending.err}}) {
    if (!captured->text.empty()) put_text(node.append_child(name), captured->text);
  }
}

/// The other attempts of `--repeat` in Maven Surefire's words. A check that held in some rounds is flaky; one
/// that never did was run again in vain. Either way `failure` or `error` stays: repeats take no red away.
void put_rounds(pugi::xml_node test, const RunRecord& run, const CheckRecord& check) {
  const bool held_once = std::any_of(check.rounds.begin(), check.rounds.end(), [](const RoundRecord& round) {
    return round.verdict.kind == VerdictKind::held;
  });
  bool first = true;
  // Surefire's order: failures before errors.
  for (const Element wanted : {Element::failure, Element::error}) {
    for (const RoundRecord& round : check.rounds) {
      const Element element = element_of(round.verdict);
      if (element != wanted) continue;
      // The first red round of a check that never held is the failure itself.
      if (!held_once && std::exchange(first, false)) continue;
      const bool failure = element == Element::failure;
      pugi::xml_node node = test.append_child(held_once ? (failure ? "flakyFailure" : "flakyError")
                                                        : (failure ? "rerunFailure" : "rerunError"));
      set(node, "message", message_of(round.verdict));
      set(node, "type", round.verdict.signature);
      put_text(node.append_child("stackTrace"), fmt::format("round {}, {:.3f} s\n{}", round.round + 1,
                                                            round.seconds, join(round.verdict.seen, "\n")));
      put_output(node, run, round.attempt);
    }
  }
}

/// `index/labels@cuda`, and the mode where it is not the usual one: suites of two modes are two.
std::string suite_name(const CaseRecord& kase) {
  const bool usual = is_usual_mode(kase.mode);
  return kase.id + "@" + kase.device + (usual ? "" : " (" + kase.mode + ")");
}

void put_check(pugi::xml_node suite, const RunRecord& run, const CaseRecord& kase, const CheckRecord& check,
               Counts& counts) {
  pugi::xml_node test = suite.append_child("testcase");
  set(test, "name", check.name);
  set(test, "classname", suite_name(kase));
  set(test, "file", kase.file);
  if (check.verdict.pos.line > 0) set(test, "line", std::to_string(check.verdict.pos.line));
  set(test, "time", fmt::format("{:.3f}", check.seconds));
  ++counts.tests;
  counts.seconds += check.seconds;
  const Element element = element_of(check.verdict);
  if (element == Element::pass) return;
  if (element == Element::skipped) {
    ++counts.skipped;
    set(test.append_child("skipped"), "message",
        std::string(to_string(check.verdict.kind)) + ": " + check.verdict.reason);
    return;
  }
  ++(element == Element::failure ? counts.failures : counts.errors);
  const FailureText text = failure_text(run, check);
  pugi::xml_node red = test.append_child(element == Element::failure ? "failure" : "error");
  set(red, "message", message_of(check.verdict));
  set(red, "type", check.verdict.signature);
  put_text(red, text.where + "\n" + body_of(text));
  put_rounds(test, run, check);
  if (element == Element::error) put_output(test, run, check.attempt);
}

}  // namespace

std::string legal_in_xml(const std::string& text) {
  // XML 1.0 allows tab, line feed and carriage return of the control characters, and neither U+FFFE nor
  // U+FFFF.
  const std::string valid = to_valid_utf8(text);
  std::string out;
  out.reserve(valid.size());
  for (std::size_t i = 0; i < valid.size(); ++i) {
    const auto byte = static_cast<unsigned char>(valid[i]);
    if (byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') continue;
    if (byte == 0xef && i + 2 < valid.size() && static_cast<unsigned char>(valid[i + 1]) == 0xbf &&
        static_cast<unsigned char>(valid[i + 2]) >= 0xbe) {
      i += 2;
      continue;
    }
    out += valid[i];
  }
  return out;
}

std::string junit_report(const RunRecord& run) {
  pugi::xml_document document;
  pugi::xml_node declaration = document.append_child(pugi::node_declaration);
  set(declaration, "version", "1.0");
  set(declaration, "encoding", "UTF-8");
  pugi::xml_node suites = document.append_child("testsuites");
  set(suites, "name", "relapse");
  Counts all;
  for (const CaseRecord& kase : run.cases) {
    pugi::xml_node suite = suites.append_child("testsuite");
    set(suite, "name", suite_name(kase));
    set(suite, "timestamp", run.started);
    set(suite, "file", kase.file);
    pugi::xml_node properties = suite.append_child("properties");
    for (const auto& [name, value] : {std::pair{"title", kase.title}, std::pair{"incident", kase.source},
                                      std::pair{"device", kase.device}, std::pair{"mode", kase.mode},
                                      std::pair{"torch", run.torch_version}}) {
      pugi::xml_node property = properties.append_child("property");
      set(property, "name", name);
      set(property, "value", value);
    }
    Counts counts;
    for (const std::size_t index : kase.checks) put_check(suite, run, kase, run.checks[index], counts);
    put_counts(suite, counts);
    all.tests += counts.tests;
    all.failures += counts.failures;
    all.errors += counts.errors;
    all.skipped += counts.skipped;
    all.seconds += counts.seconds;
  }
  for (const BrokenFile& file : run.broken_files) {
    pugi::xml_node suite = suites.append_child("testsuite");
    set(suite, "name", file.id);
    pugi::xml_node test = suite.append_child("testcase");
    set(test, "name", "reading");
    set(test, "classname", file.id);
    set(test, "file", file.file);
    set(test, "time", "0.000");
    pugi::xml_node red = test.append_child("error");
    set(red, "message",
        fmt::format("{} mistake{} in the case file", file.messages.size(),
                    file.messages.size() == 1 ? "" : "s"));
    set(red, "type", "broken_file");
    put_text(red, join(file.messages, "\n"));
    put_counts(suite, {1, 0, 1, 0, 0});
    ++all.tests;
    ++all.errors;
  }
  put_counts(suites, all);
  std::ostringstream out;
  document.save(out, "  ", pugi::format_default, pugi::encoding_utf8);
  return out.str();
}

}  // namespace relapse
