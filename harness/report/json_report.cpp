#include <harness/isolate/wire.hpp>
#include <harness/journal/event_json.hpp>
#include <harness/report/failure_text.hpp>
#include <harness/report/json_report.hpp>

namespace relapse {
namespace {

using Json = nlohmann::json;

Json check_json(const RunRecord& run, const CheckRecord& check) {
  Json json{{"id", id_of(check)},
            {"case", check.kase},
            {"device", check.device},
            {"mode", check.mode},
            {"check", check.name},
            {"kind", check.kind},
            {"verdict", to_json(check.verdict)},
            {"seconds", check.seconds}};
  if (const CaseRecord* kase = case_of(run, check)) json["file"] = kase->file;
  if (check.pos.line > 0) json["line"] = check.pos.line;
  if (check.attempt > 0) json["attempt"] = check.attempt;
  for (const RoundRecord& round : check.rounds) {
    json["rounds"].push_back({{"round", round.round},
                              {"attempt", round.attempt},
                              {"seconds", round.seconds},
                              {"verdict", to_json(round.verdict)}});
  }
  if (check.observation) json["observation"] = to_json(*check.observation);
  if (!check.after.empty()) json["after"] = check.after;
  if (check.step) json["last_step"] = to_json(*check.step);
  return json;
}

Json lines_json(const std::vector<FileLine>& lines) {
  Json list = Json::array();
  for (const FileLine& line : lines) {
    Json entry{{"text", line.text}, {"line", line.line}};
    if (!line.name.empty()) {
      entry["side"] = line.side;
      entry["name"] = line.name;
    }
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace

std::string json_report(const RunRecord& run) {
  const Tally tally = run.tally();
  Json json{{"schema", kJsonReportVersion},
            {"relapse", run.version},
            {"torch", run.torch_version},
            {"started", run.started},
            {"ended", run.ended},
            {"command", run.command},
            {"root", run.root},
            {"seconds", run.seconds},
            {"finished", run.finished},
            {"interrupted", run.interrupted},
            {"exit", static_cast<int>(run.exit_code())},
            {"clauses", run.clauses},
            {"journal", run.journal},
            {"notes", run.notes}};
  for (int kind = 0; kind <= static_cast<int>(VerdictKind::left_out); ++kind) {
    json["totals"][std::string(to_string(static_cast<VerdictKind>(kind)))] =
        tally.of(static_cast<VerdictKind>(kind));
  }
  for (const char* list : {"devices", "cases", "checks", "attempts", "broken_files", "findings"})
    json[list] = Json::array();
  for (const DeviceRecord& device : run.devices) {
    json["devices"].push_back({{"device", device.device},
                               {"present", device.present},
                               {"required", device.required},
                               {"reason", device.reason},
                               {"names", device.names},
                               {"sick", device.sick}});
  }
  for (const Finding& finding : run.findings) {
    json["findings"].push_back({{"kind", finding.kind},
                                {"case", finding.kase},
                                {"device", finding.device},
                                {"check", finding.check},
                                {"text", finding.text}});
  }
  for (const CaseRecord& kase : run.cases) {
    json["cases"].push_back({{"id", kase.id},
                             {"file", kase.file},
                             {"title", kase.title},
                             {"source", kase.source},
                             {"date", kase.date},
                             {"cause", kase.cause},
                             {"fix", kase.fix},
                             {"device", kase.device},
                             {"mode", kase.mode},
                             {"labels", kase.labels},
                             {"covers", kase.covers}});
  }
  for (std::size_t i = 0; i < run.cases.size(); ++i) {
    json["cases"][i]["subject"] = lines_json(run.cases[i].subject);
    json["cases"][i]["contract"] = lines_json(run.cases[i].contract);
  }
  for (const CheckRecord& check : run.checks) json["checks"].push_back(check_json(run, check));
  for (const auto& [id, attempt] : run.attempts) {
    Json entry{{"id", id},
               {"case", attempt.kase},
               {"device", attempt.device},
               {"mode", attempt.mode},
               {"checks", attempt.checks}};
    if (!attempt.slots.empty()) entry["slots"] = attempt.slots;
    if (attempt.at >= 0) entry["at"] = attempt.at;
    for (const auto& [name, value] : attempt.environment) entry["environment"][name] = value;
    for (const auto& [name, value] : attempt.settings) entry["settings"][name] = value;
    if (attempt.ended) entry["ending"] = to_json(attempt.ending);
    json["attempts"].push_back(std::move(entry));
  }
  for (const BrokenFile& file : run.broken_files) {
    json["broken_files"].push_back({{"id", file.id}, {"file", file.file}, {"messages", file.messages}});
  }
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace relapse
