#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <harness/report/failure_text.hpp>
#include <harness/report/importance.hpp>
#include <harness/report/places.hpp>
#include <harness/report/sarif.hpp>
#include <harness/support/text.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace relapse {
namespace {

using Json = nlohmann::ordered_json;

struct Rule {
  const char *id, *name, *what;
};
/// In this order they stand in the report; `ruleIndex` counts them.
constexpr std::array<Rule, 9> kRules{{
    {"relapsed", "IncidentIsBack", "The recorded symptom of the incident is back."},
    {"faulted", "AnotherFault", "Another error, device fault or crash than the recorded one."},
    {"timed_out", "TimeLimit", "The time limit ended the process."},
    {"broken", "ClauseBroken", "A clause of the contract did not hold."},
    {"unstable", "RepeatsDiffer", "Repeats of the same check in fresh processes differ."},
    {"no_verdict", "NoAnswer", "The process ended without its token, so nothing is known."},
    {"case_error", "CaseContradictsItself", "The case contradicts itself and cannot be judged."},
    {"infrastructure", "MachineAtFault", "The machine is at fault, not the case."},
    {"broken_file", "UnreadableCase", "The case file cannot be read or executed."},
}};

int index_of(std::string_view id) {
  const auto found =
      std::find_if(kRules.begin(), kRules.end(), [&](const Rule& rule) { return rule.id == id; });
  return static_cast<int>(found - kRules.begin());
}

Json location_of(const std::string& file, SourcePos pos) {
  Json artifact{{"uri", uri_of(file)}};
  if (file.rfind('/', 0) != 0) artifact["uriBaseId"] = "%SRCROOT%";
  Json physical{{"artifactLocation", std::move(artifact)}};
  if (pos.line > 0) {
    physical["region"]["startLine"] = pos.line;
    if (pos.column > 0) physical["region"]["startColumn"] = pos.column;
  }
  return {{"physicalLocation", std::move(physical)}};
}

/// SARIF 2.1.0, 3.11.5: braces are placeholders unless they are doubled.
std::string message_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    out += c;
    if (c == '{' || c == '}') out += c;
  }
  return out;
}

Json result_of(const char* rule, const std::string& message, const std::string& fingerprint) {
  return {{"ruleId", rule},
          {"ruleIndex", index_of(rule)},
          {"level", "error"},
          {"kind", "fail"},
          {"message", {{"text", message_text(message)}}},
          {"locations", Json::array()},
          {"partialFingerprints", {{"relapseCheck/v1", sha256_hex(fingerprint)}}}};
}

std::string first_line(const CheckRecord& check) {
  const std::string& text = !check.verdict.seen.empty() ? check.verdict.seen.front() : check.verdict.reason;
  return text.substr(0, text.find('\n'));
}

Json check_result(const RunRecord& run, const CheckRecord& check) {
  const FailureText text = failure_text(run, check);
  // A viewer's list shows the first sentence; the whole stands below it.
  Json result =
      result_of(std::string(to_string(check.verdict.kind)).c_str(),
                fmt::format("{} {}: {}\n\n{}", text.word, shown_id(check), first_line(check), body_of(text)),
                check.kase + "\n" + check.name + "\n" + check.verdict.signature);
  if (const CaseRecord* kase = case_of(run, check)) {
    Json location = location_of(kase->file, check.verdict.pos);
    location["logicalLocations"] = {{{"fullyQualifiedName", shown_id(check)}, {"kind", "member"}}};
    result["locations"].push_back(std::move(location));
    if (check.step && check.verdict.step >= 0 && check.step->pos.line > 0) {
      Json step = location_of(kase->file, check.step->pos);
      step["id"] = 1;
      step["message"]["text"] = message_text(fmt::format("step {}", step_text(*check.step)));
      result["relatedLocations"].push_back(std::move(step));
    }
    result["properties"]["title"] = kase->title;
    if (!kase->source.empty()) result["properties"]["incident"] = kase->source;
    result["properties"]["tags"] = kase->labels;
  }
  result["properties"]["device"] = check.device;
  result["properties"]["mode"] = check.mode;
  result["properties"]["signature"] = check.verdict.signature;
  if (!check.verdict.clause.empty()) result["properties"]["clause"] = check.verdict.clause;
  return result;
}

Json rules() {
  Json list = Json::array();
  for (const Rule& rule : kRules) {
    list.push_back({{"id", rule.id},
                    {"name", rule.name},
                    {"shortDescription", {{"text", rule.what}}},
                    {"defaultConfiguration", {{"level", "error"}}}});
  }
  return list;
}

Json notification(const std::string& level, const std::string& id, const std::string& text) {
  return {{"level", level}, {"descriptor", {{"id", id}}}, {"message", {{"text", message_text(text)}}}};
}

Json notifications(const RunRecord& run) {
  Json list = Json::array();
  for (const DeviceRecord& device : run.devices) {
    if (device.required && !device.present)
      list.push_back(notification("error", "missing_device",
                                  fmt::format("{} is required: {}", device.device, device.reason)));
  }
  if (!run.finished) {
    list.push_back(
        notification("error", "not_finished",
                     "the run did not end: its runner was stopped; what had not been judged is not run"));
  }
  if (run.interrupted) list.push_back(notification("error", "interrupted", "the run was interrupted"));
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> reasons;
  for (const CheckRecord& check : run.checks) {
    if (check.verdict.kind == VerdictKind::skipped || check.verdict.kind == VerdictKind::not_run ||
        check.verdict.kind == VerdictKind::quarantined)
      reasons[{std::string(to_string(check.verdict.kind)), check.verdict.reason}].push_back(shown_id(check));
  }
  for (const auto& [key, checks] : reasons) {
    Json one = notification(key.first == "skipped" ? "note" : "warning", key.first,
                            fmt::format("{} {}: {}", with_thousands(static_cast<std::int64_t>(checks.size())),
                                        checks.size() == 1 ? "check" : "checks", key.second));
    one["properties"]["checks"] = checks;
    list.push_back(std::move(one));
  }
  for (const std::string& note : run.notes) list.push_back(notification("note", "note", note));
  return list;
}

}  // namespace

std::string sarif_report(const RunRecord& run) {
  Json results = Json::array();
  for (const CheckRecord* check : red_by_importance(run).all) results.push_back(check_result(run, *check));
  for (const BrokenFile& file : run.broken_files) {
    for (const BrokenPlace& place : places_of(file)) {
      Json result =
          result_of("broken_file", place.text, file.id + "\n" + place.text.substr(0, place.text.find('\n')));
      result["locations"].push_back(location_of(file.file, place.pos));
      results.push_back(std::move(result));
    }
  }
  const ExitCode code = run.exit_code();
  const bool worked = run.finished && !run.interrupted && code != ExitCode::infrastructure;
  Json invocation{{"executionSuccessful", worked}, {"exitCode", static_cast<int>(code)}};
  if (!run.started.empty()) invocation["startTimeUtc"] = run.started;
  if (!run.ended.empty()) invocation["endTimeUtc"] = run.ended;
  invocation["toolExecutionNotifications"] = notifications(run);
  Json properties{{"torch", run.torch_version}, {"journal", run.journal}, {"clauses", run.clauses}};
  const Json log{
      {"$schema",
       "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"},
      {"version", "2.1.0"},
      {"runs",
       {{{"tool", {{"driver", {{"name", "relapse"}, {"version", run.version}, {"rules", rules()}}}}},
         {"invocations", Json::array({std::move(invocation)})},
         {"columnKind", "unicodeCodePoints"},
         {"results", std::move(results)},
         {"properties", std::move(properties)}}}}};
  return log.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace relapse
