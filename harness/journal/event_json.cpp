#include <harness/journal/event_json.hpp>

namespace relapse {
namespace {

constexpr std::pair<EndCause, const char*> kCauses[] = {{EndCause::by_itself, "by_itself"},
                                                        {EndCause::deadline, "deadline"},
                                                        {EndCause::memory, "memory"},
                                                        {EndCause::interrupted, "interrupted"},
                                                        {EndCause::lost, "lost"}};

nlohmann::json to_json(const Captured& captured) {
  return {{"text", captured.text}, {"bytes", captured.bytes}, {"truncated", captured.truncated}};
}

Captured captured_from(const nlohmann::json& json) {
  return {json.value("text", ""), json.value("bytes", std::uint64_t{0}), json.value("truncated", false)};
}

}  // namespace

nlohmann::json to_json(const Verdict& verdict) {
  nlohmann::json json{{"kind", to_string(verdict.kind)}, {"signature", verdict.signature}};
  if (!verdict.clause.empty()) json["clause"] = verdict.clause;
  if (verdict.pos.line > 0) {
    json["line"] = verdict.pos.line;
    json["column"] = verdict.pos.column;
  }
  if (!verdict.promised.empty()) json["promised"] = verdict.promised;
  if (!verdict.seen.empty()) json["seen"] = verdict.seen;
  if (!verdict.reason.empty()) json["reason"] = verdict.reason;
  if (verdict.fault) json["fault"] = to_string(*verdict.fault);
  if (!verdict.error.empty()) json["error"] = verdict.error;
  if (verdict.step >= 0) json["step"] = verdict.step;
  return json;
}

Verdict verdict_from(const nlohmann::json& json) {
  Verdict verdict;
  verdict.kind = verdict_kind_from(json.value("kind", "")).value_or(VerdictKind::no_verdict);
  verdict.signature = json.value("signature", "");
  verdict.clause = json.value("clause", "");
  verdict.pos = {json.value("line", 0), json.value("column", 0)};
  verdict.promised = json.value("promised", "");
  verdict.seen = json.value("seen", std::vector<std::string>{});
  verdict.reason = json.value("reason", "");
  verdict.error = json.value("error", "");
  verdict.step = json.value("step", -1);
  for (int kind = 0; kind <= static_cast<int>(FaultKind::hang); ++kind) {
    if (to_string(static_cast<FaultKind>(kind)) == json.value("fault", ""))
      verdict.fault = static_cast<FaultKind>(kind);
  }
  return verdict;
}

nlohmann::json to_json(const Ending& ending) {
  nlohmann::json json{
      {"done", ending.done},        {"exit_status", ending.exit_status}, {"signal", ending.signal},
      {"seconds", ending.seconds},  {"cpu_seconds", ending.cpu_seconds}, {"max_rss", ending.max_rss},
      {"out", to_json(ending.out)}, {"err", to_json(ending.err)}};
  for (const auto& [cause, name] : kCauses) {
    if (cause == ending.cause) json["cause"] = name;
  }
  if (ending.core_dumped) json["core_dumped"] = true;
  if (ending.grace_ran_out) json["grace_ran_out"] = true;
  if (ending.unkillable) json["unkillable"] = true;
  if (!ending.protocol_error.empty()) json["protocol_error"] = ending.protocol_error;
  for (const Leak& leak : ending.leaks)
    json["leaks"].push_back({{"pid", leak.pid}, {"command", leak.command}});
  return json;
}

Ending ending_from(const nlohmann::json& json) {
  Ending ending;
  for (const auto& [cause, name] : kCauses) {
    if (json.value("cause", "") == name) ending.cause = cause;
  }
  ending.done = json.value("done", false);
  ending.exit_status = json.value("exit_status", -1);
  ending.signal = json.value("signal", 0);
  ending.core_dumped = json.value("core_dumped", false);
  ending.grace_ran_out = json.value("grace_ran_out", false);
  ending.unkillable = json.value("unkillable", false);
  ending.protocol_error = json.value("protocol_error", "");
  ending.out = captured_from(json.value("out", nlohmann::json::object()));
  ending.err = captured_from(json.value("err", nlohmann::json::object()));
  for (const nlohmann::json& leak : json.value("leaks", nlohmann::json::array())) {
    ending.leaks.push_back({leak.value("pid", 0), leak.value("command", "")});
  }
  ending.seconds = json.value("seconds", 0.0);
  ending.cpu_seconds = json.value("cpu_seconds", 0.0);
  ending.max_rss = json.value("max_rss", std::uint64_t{0});
  return ending;
}

}  // namespace relapse
