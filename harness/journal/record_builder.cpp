#include <fmt/format.h>

#include <algorithm>
#include <harness/isolate/wire.hpp>
#include <harness/journal/event_json.hpp>
#include <harness/journal/record.hpp>

namespace relapse {
namespace {

using Json = nlohmann::json;

std::string key_of(const std::string& kase, const std::string& device, const std::string& mode,
                   const std::string& check) {
  return kase + "\n" + device + "\n" + mode + "\n" + check;
}

/// A red verdict in quarantine is reported apart; when the date has passed it is red and says so. What is
/// about the machine, or says that the case contradicts itself, is never put apart.
void put_in_quarantine(Verdict& verdict, const QuarantineRecord& quarantine) {
  if (!is_red(verdict.kind) || verdict.kind == VerdictKind::infrastructure ||
      verdict.kind == VerdictKind::case_error)
    return;
  const std::string who = fmt::format("{}, {}", quarantine.owner, quarantine.link);
  if (quarantine.expired) {
    verdict.reason = fmt::format("its quarantine ended on {} ({})", quarantine.until, who);
    return;
  }
  verdict.reason = fmt::format("{}, in quarantine until {} ({})",
                               verdict.signature.empty() ? to_string(verdict.kind) : verdict.signature,
                               quarantine.until, who);
  verdict.kind = VerdictKind::quarantined;
}

std::vector<std::string> strings(const Json& event, const char* member) {
  return event.value(member, std::vector<std::string>{});
}

std::vector<FileLine> file_lines(const Json& event, const char* member) {
  std::vector<FileLine> lines;
  for (const Json& line : event.value(member, Json::array()))
    lines.push_back(
        {line.value("side", ""), line.value("name", ""), line.value("text", ""), line.value("line", 0)});
  return lines;
}

/// A round that is told again replaces the one before: its child lost its word.
void take_round(CheckRecord& check, const Json& event) {
  RoundRecord round;
  round.round = event.value("round", 0);
  round.attempt = event.value("attempt", 0);
  round.seconds = event.value("seconds", 0.0);
  round.verdict = verdict_from(event.value("own", Json::object()));
  const auto place = std::lower_bound(check.rounds.begin(), check.rounds.end(), round.round,
                                      [](const RoundRecord& one, int number) { return one.round < number; });
  if (place != check.rounds.end() && place->round == round.round)
    *place = std::move(round);
  else
    check.rounds.insert(place, std::move(round));
}

}  // namespace

CheckRecord* RecordBuilder::find(const std::string& kase, const std::string& device, const std::string& mode,
                                 const std::string& check) {
  const auto found = index_.find(key_of(kase, device, mode, check));
  return found == index_.end() ? nullptr : &record_.checks[found->second];
}

void RecordBuilder::apply(const Json& event) {
  const std::string name = event.value("event", "");
  if (name == "run_started") {
    record_.version = event.value("relapse", "");
    record_.started = event.value("time", "");
    record_.root = event.value("root", "");
    record_.command = strings(event, "command");
    record_.plugins = strings(event, "plugins");
    record_.unfixed = event.value("unfixed", false);
    record_.jobs = event.value("jobs", 0);
    record_.cores = event.value("cores", 0);
    record_.id = event.value("id", "");
    record_.repeat = event.value("repeat", 1);
    record_.options = event.value("options", Json::object());
    record_.resumes = strings(event, "resumes");
    record_.set = event.value("set", "");
    const Json shard = event.value("shard", Json::object());
    record_.shard = {shard.value("index", 0), shard.value("count", 0), shard.value("from", "")};
  } else if (name == "device_found") {
    record_.devices.push_back({event.value("device", ""),
                               event.value("present", false),
                               event.value("required", false),
                               event.value("reason", ""),
                               strings(event, "names"),
                               {}});
  } else if (name == "canary") {
    for (CheckRecord& check : record_.checks) {
      if (check.open == "canary" && check.device == event.value("kind", "")) check.open.clear();
    }
    for (DeviceRecord& device : record_.devices) {
      if (device.device == event.value("kind", "") && !event.value("well", false))
        device.sick =
            fmt::format("the canary failed on {}: {}", event.value("device", ""), event.value("why", ""));
    }
  } else if (name == "case_broken") {
    record_.broken_files.push_back(
        {event.value("case", ""), event.value("file", ""), strings(event, "messages")});
  } else if (name == "elsewhere") {
    record_.elsewhere.push_back({event.value("case", ""), event.value("file", ""), event.value("device", ""),
                                 event.value("mode", ""), event.value("shard", 0), strings(event, "checks")});
  } else if (name == "planned") {
    CaseRecord kase{event.value("case", ""),
                    event.value("file", ""),
                    event.value("title", ""),
                    event.value("source", ""),
                    event.value("date", ""),
                    event.value("device", ""),
                    event.value("mode", ""),
                    strings(event, "labels"),
                    event.value("covers", ""),
                    event.value("hash", ""),
                    {},
                    event.value("cause", ""),
                    event.value("fix", ""),
                    file_lines(event, "subject"),
                    file_lines(event, "contract")};
    for (const Json& planned : event.value("checks", Json::array())) {
      CheckRecord check;
      check.kase = kase.id;
      check.device = kase.device;
      check.mode = kase.mode;
      check.owner = record_.cases.size();
      check.name = planned.value("name", "");
      check.kind = planned.value("kind", "");
      check.verdict.kind = VerdictKind::not_run;
      check.verdict.reason = "it was not reached";
      check.pos = {planned.value("line", 0), planned.value("column", 0)};
      check.verdict.pos = check.pos;
      check.after = strings(planned, "after");
      index_[key_of(kase.id, kase.device, kase.mode, check.name)] = record_.checks.size();
      kase.checks.push_back(record_.checks.size());
      record_.checks.push_back(std::move(check));
    }
    record_.cases.push_back(std::move(kase));
  } else if (name == "quarantined") {
    const QuarantineRecord quarantine{event.value("owner", ""), event.value("link", ""),
                                      event.value("until", ""), event.value("why", ""),
                                      event.value("expired", false)};
    for (const std::string& check : strings(event, "checks")) {
      CheckRecord* found =
          find(event.value("case", ""), event.value("device", ""), event.value("mode", ""), check);
      if (found) found->quarantine = quarantine;
    }
  } else if (name == "attempt_started") {
    AttemptRecord attempt;
    attempt.id = event.value("attempt", 0);
    attempt.kase = event.value("case", "");
    attempt.device = event.value("device", "");
    attempt.mode = event.value("mode", "");
    attempt.look = event.value("look", "");
    attempt.checks = strings(event, "checks");
    attempt.slots = strings(event, "slots");
    attempt.at = event.value("at", -1.0);
    record_.attempts[attempt.id] = std::move(attempt);
  } else if (name == "line") {
    const auto attempt = record_.attempts.find(event.value("attempt", 0));
    if (attempt != record_.attempts.end() && event.contains("line"))
      apply_line(attempt->second, event["line"]);
  } else if (name == "attempt_ended") {
    AttemptRecord& attempt = record_.attempts[event.value("attempt", 0)];
    attempt.ended = true;
    attempt.ending = ending_from(event.value("ending", Json::object()));
  } else if (name == "judged") {
    CheckRecord* check = find(event.value("case", ""), event.value("device", ""), event.value("mode", ""),
                              event.value("check", ""));
    if (!check) return;
    check->judged = true;
    check->open = event.value("open", "");
    check->verdict = verdict_from(event.value("verdict", Json::object()));
    if (check->quarantine) put_in_quarantine(check->verdict, *check->quarantine);
    check->seconds = event.value("seconds", check->seconds);
    check->attempt = event.value("attempt", check->attempt);
    if (event.contains("round")) take_round(*check, event);
  } else if (name == "finding") {
    record_.findings.push_back({event.value("kind", ""), event.value("case", ""), event.value("device", ""),
                                event.value("check", ""), event.value("text", "")});
  } else if (name == "note") {
    record_.notes.push_back(event.value("text", ""));
  } else if (name == "run_ended") {
    record_.finished = true;
    record_.interrupted = event.value("interrupted", false);
    record_.ended = event.value("time", "");
    record_.seconds = event.value("seconds", 0.0);
  }
}

void RecordBuilder::apply_line(AttemptRecord& attempt, const Json& line) {
  const ParsedLine parsed = parse_line(line.dump());
  const Message* message = std::get_if<Message>(&parsed.value);
  if (!message) return;
  if (const auto* hello = std::get_if<Hello>(message)) {
    record_.torch_version = hello->torch_version;
    attempt.environment = hello->environment;
    attempt.settings = hello->settings;
  } else if (!attempt.look.empty()) {
    // It has its verdict; what the look adds is the step to blame.
    if (const auto* step = std::get_if<StepStarted>(message)) {
      if (CheckRecord* check = find(attempt.kase, attempt.device, attempt.mode, step->check))
        check->step = step->step;
    }
  } else if (const auto* started = std::get_if<CheckStarted>(message)) {
    if (CheckRecord* check = find(attempt.kase, attempt.device, attempt.mode, started->check)) {
      check->started = true;
      check->attempt = attempt.id;
      check->step.reset();
      if (!check->judged) check->verdict.reason = "it had started when the run ended";
    }
  } else if (const auto* step = std::get_if<StepStarted>(message)) {
    if (CheckRecord* check = find(attempt.kase, attempt.device, attempt.mode, step->check))
      check->step = step->step;
  } else if (const auto* observed = std::get_if<Observed>(message)) {
    if (CheckRecord* check = find(attempt.kase, attempt.device, attempt.mode, observed->observation.check)) {
      check->seconds = observed->observation.seconds;
      record_.clauses += observed->observation.clauses_evaluated;
      check->observation = observed->observation;
    }
  }
}

}  // namespace relapse
