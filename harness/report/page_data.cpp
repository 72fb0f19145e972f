// What the page shows, as JSON. Of green checks only what a row holds; of red ones all that helps to
// understand them, with the child's output once for each attempt.

#include <algorithm>
#include <harness/isolate/wire.hpp>
#include <harness/report/failure_text.hpp>
#include <harness/report/html.hpp>
#include <harness/report/importance.hpp>
#include <harness/report/totals.hpp>
#include <harness/support/text.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace relapse {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kOutputBytes = 24u << 10;  // of one descriptor; the journal has the rest

/// The end of what was printed, from a whole line on.
std::string last_part(const std::string& text) {
  if (text.size() <= kOutputBytes) return text;
  std::string part = text.substr(text.size() - kOutputBytes);
  const std::size_t line = part.find('\n');
  return line == std::string::npos ? part : part.substr(line + 1);
}

Json output_of(const Captured& captured) {
  Json json{{"text", last_part(captured.text)}, {"bytes", captured.bytes}};
  if (captured.truncated || captured.text.size() > kOutputBytes) json["cut"] = true;
  return json;
}

Json facts_of(const std::vector<TensorFacts>& facts) {
  Json list = Json::array();
  for (const TensorFacts& one : facts) list.push_back(Json(to_json(one)));
  return list;
}

const char* state_name(CaseState state) {
  switch (state) {
    case CaseState::held:
      return "held";
    case CaseState::partly:
      return "partly";
    case CaseState::red:
      return "red";
    case CaseState::quarantined:
      return "quarantined";
    case CaseState::skipped:
      return "skipped";
    case CaseState::not_run:
      return "not_run";
  }
  return "";
}

Json breach_json(const Breach& breach) {
  Json json{{"clause", breach.clause},
            {"line", breach.pos.line},
            {"promised", breach.promised},
            {"seen", breach.seen}};
  if (!breach.details.empty()) json["details"] = breach.details;
  if (breach.picture) json["picture"] = Json(to_json(*breach.picture));
  return json;
}

void add_red(const RunRecord& run, const CheckRecord& check, Json& json) {
  const FailureText text = failure_text(run, check);
  const Verdict& verdict = check.verdict;
  json["word"] = text.word;
  json["where"] = text.where;
  if (!verdict.promised.empty()) json["promised"] = verdict.promised;
  if (!verdict.clause.empty()) json["clause"] = verdict.clause;
  if (verdict.fault) json["fault"] = std::string(to_string(*verdict.fault));
  if (!verdict.error.empty()) json["error"] = verdict.error;
  for (const auto& [title, lines] : text.sections) {
    if (title == "seen" || title == "left" || title == "after") json[title] = lines;
    if (title == "rerun") json["rerun"] = join(lines, "\n");
  }
  if (check.step) {
    json["step"] = {{"index", check.step->index}, {"text", check.step->text}, {"line", check.step->pos.line}};
    if (!check.step->batch.empty()) json["step"]["batch"] = check.step->batch;
    json["step"]["failing"] = verdict.step >= 0;
    if (verdict.step >= 0) json["step"]["inputs"] = facts_of(check.step->inputs);
  }
  if (check.observation) {
    json["inputs"] = facts_of(check.observation->inputs);
    for (const Breach& breach : check.observation->broken) json["broken"].push_back(breach_json(breach));
  }
  for (const RoundRecord& round : check.rounds)
    json["rounds"].push_back({{"verdict", std::string(to_string(round.verdict.kind))},
                              {"seen", round.verdict.seen},
                              {"seconds", round.seconds}});
}

Json check_json(const RunRecord& run, const CheckRecord& check) {
  Json json{{"name", check.name},
            {"kind", check.kind},
            {"verdict", std::string(to_string(check.verdict.kind))},
            {"seconds", check.seconds},
            {"line", check.verdict.pos.line}};
  if (check.attempt > 0) json["attempt"] = check.attempt;
  if (!check.verdict.reason.empty()) json["reason"] = check.verdict.reason;
  if (check.quarantine)
    json["quarantine"] = {{"owner", check.quarantine->owner},
                          {"link", check.quarantine->link},
                          {"until", check.quarantine->until},
                          {"why", check.quarantine->why},
                          {"expired", check.quarantine->expired}};
  if (is_red(check.verdict.kind) || check.verdict.kind == VerdictKind::quarantined) add_red(run, check, json);
  return json;
}

Json lines_json(const std::vector<FileLine>& lines) {
  Json list = Json::array();
  for (const FileLine& line : lines)
    list.push_back({{"side", line.side}, {"name", line.name}, {"text", line.text}, {"line", line.line}});
  return list;
}

Json case_json(const RunRecord& run, const CaseRecord& kase) {
  Json json{{"id", kase.id},
            {"file", kase.file},
            {"title", kase.title},
            {"source", kase.source},
            {"date", kase.date},
            {"cause", kase.cause},
            {"fix", kase.fix},
            {"device", kase.device},
            {"mode", kase.mode},
            {"labels", kase.labels},
            {"state", state_name(state_of(run, kase))}};
  json["subject"] = lines_json(kase.subject);
  json["contract"] = lines_json(kase.contract);
  json["checks"] = Json::array();
  for (const std::size_t index : kase.checks) json["checks"].push_back(check_json(run, run.checks[index]));
  return json;
}

/// Positions in `cases`: red ones first, the most important of them first, then in the order of the run.
std::vector<std::size_t> case_order(const RunRecord& run) {
  std::vector<std::size_t> order;
  std::set<std::size_t> placed;
  const auto place = [&](std::size_t index) {
    if (index < run.cases.size() && placed.insert(index).second) order.push_back(index);
  };
  for (const CheckRecord* check : red_by_importance(run).all) {
    if (const CaseRecord* kase = case_of(run, *check))
      place(static_cast<std::size_t>(kase - run.cases.data()));
  }
  for (std::size_t i = 0; i < run.cases.size(); ++i) place(i);
  return order;
}

/// Attempts with the lane of their device that they ran in: the first that was free.
Json attempts_json(const RunRecord& run) {
  std::set<int> red;
  for (const CheckRecord& check : run.checks) {
    if (!is_red(check.verdict.kind)) continue;
    red.insert(check.attempt);
    for (const RoundRecord& round : check.rounds) {
      if (is_red(round.verdict.kind)) red.insert(round.attempt);
    }
  }
  std::vector<const AttemptRecord*> by_start;
  for (const auto& [id, attempt] : run.attempts) by_start.push_back(&attempt);
  std::stable_sort(by_start.begin(), by_start.end(),
                   [](const AttemptRecord* a, const AttemptRecord* b) { return a->at < b->at; });
  std::map<std::string, std::vector<double>> busy_until;
  Json list = Json::array();
  for (const AttemptRecord* attempt : by_start) {
    // A lane belongs to the device itself where the journal names it, else to its kind.
    const std::string& place = attempt->slots.empty() ? attempt->device : attempt->slots.front();
    Json json{{"id", attempt->id},
              {"case", attempt->kase},
              {"device", place},
              {"mode", attempt->mode},
              {"red", red.count(attempt->id) > 0}};
    if (attempt->at >= 0) {
      std::vector<double>& lanes = busy_until[place];
      const auto lane =
          std::find_if(lanes.begin(), lanes.end(), [&](double until) { return until <= attempt->at; });
      json["lane"] = lane - lanes.begin();
      json["at"] = attempt->at;
      json["seconds"] = attempt->ending.seconds;
      const double until = attempt->at + attempt->ending.seconds;
      lane == lanes.end() ? lanes.push_back(until) : void(*lane = until);
    }
    if (red.count(attempt->id) > 0 && attempt->ended) {
      if (!attempt->ending.out.text.empty()) json["out"] = output_of(attempt->ending.out);
      if (!attempt->ending.err.text.empty()) json["err"] = output_of(attempt->ending.err);
    }
    list.push_back(std::move(json));
  }
  return list;
}

/// Each name with the values that children saw.
Json values_json(const RunRecord& run,
                 std::vector<std::pair<std::string, std::string>> AttemptRecord::*member) {
  std::map<std::string, std::set<std::string>> all;
  for (const auto& [id, attempt] : run.attempts) {
    for (const auto& [name, value] : attempt.*member) all[name].insert(value);
  }
  Json json = Json::object();
  for (const auto& [name, values] : all) json[name] = values;
  return json;
}

}  // namespace

std::string page_data(const RunRecord& run) {
  const Tally tally = run.tally();
  Json json{{"relapse", run.version},
            {"torch", run.torch_version},
            {"started", run.started},
            {"ended", run.ended},
            {"seconds", run.seconds},
            {"finished", run.finished},
            {"interrupted", run.interrupted},
            {"unfixed", run.unfixed},
            {"exit", static_cast<int>(run.exit_code())},
            {"root", run.root},
            {"command", run.command},
            {"journal", run.journal},
            {"clauses", run.clauses},
            {"jobs", run.jobs},
            {"cores", run.cores},
            {"notes", run.notes}};
  json["totals"] = Json::object();
  for (int kind = 0; kind <= static_cast<int>(VerdictKind::left_out); ++kind) {
    const auto one = static_cast<VerdictKind>(kind);
    json["totals"][std::string(to_string(one))] = tally.of(one);
  }
  json["devices"] = Json::array();
  for (const DeviceRecord& device : run.devices)
    json["devices"].push_back({{"device", device.device},
                               {"present", device.present},
                               {"required", device.required},
                               {"reason", device.reason},
                               {"names", device.names},
                               {"sick", device.sick}});
  json["findings"] = Json::array();
  for (const Finding& finding : run.findings) {
    json["findings"].push_back({{"kind", finding.kind},
                                {"check", finding.kase + "@" + finding.device + "/" + finding.check},
                                {"text", finding.text}});
  }
  json["broken"] = Json::array();
  for (const BrokenFile& file : run.broken_files)
    json["broken"].push_back({{"id", file.id}, {"file", file.file}, {"messages", file.messages}});
  json["environment"] = values_json(run, &AttemptRecord::environment);
  json["settings"] = values_json(run, &AttemptRecord::settings);
  json["cases"] = Json::array();
  for (const std::size_t index : case_order(run)) json["cases"].push_back(case_json(run, run.cases[index]));
  json["attempts"] = attempts_json(run);
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) {
    if (c == '<')
      safe += "\\u003c";
    else if (c == '>')
      safe += "\\u003e";
    else if (c == '&')
      safe += "\\u0026";
    else
      safe += c;
  }
  return safe;
}

}  // namespace relapse
