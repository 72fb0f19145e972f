#include <algorithm>
#include <harness/history/resume.hpp>
#include <harness/verdict/verdict.hpp>
#include <utility>

namespace relapse {
namespace {

using Json = nlohmann::json;

struct Attempt {
  JobKey job;
  int round = 0;
  bool ended = false, done = false, settled = false;
  std::string cause;
  std::set<std::string> answered;  ///< checks that it gave a lasting kind of verdict
};

/// One that another look or the canary of its device may still change does not.
bool lasts(const Json& event) {
  if (event.contains("open")) return false;
  const std::optional<VerdictKind> kind =
      verdict_kind_from(event.value("verdict", Json::object()).value("kind", ""));
  return kind && *kind != VerdictKind::not_run && *kind != VerdictKind::skipped &&
         *kind != VerdictKind::infrastructure;
}

std::map<int, Attempt> attempts_of(const std::vector<Json>& events) {
  std::map<int, Attempt> attempts;
  int ending = 0;  // the attempt whose end is being judged
  for (const Json& event : events) {
    const std::string name = event.value("event", "");
    const int number = event.value("attempt", 0);
    // An end and the verdicts it decides are written in one go: whatever follows shows that they are all
    // here.
    if (ending != 0 && !(name == "judged" && number == ending)) {
      attempts[ending].settled = true;
      ending = 0;
    }
    if (name == "attempt_started") {
      Attempt& attempt = attempts[number];
      attempt.job = {event.value("case", ""), event.value("device", ""), event.value("mode", "")};
      attempt.round = event.value("round", 0);
    } else if (name == "attempt_ended") {
      Attempt& attempt = attempts[number];
      const Json end = event.value("ending", Json::object());
      attempt.ended = true;
      attempt.cause = end.value("cause", "");
      attempt.done = end.value("done", false) && end.value("protocol_error", "").empty();
      attempt.settled = attempt.done;
      ending = number;
    } else if (name == "judged" && number > 0) {
      const std::string check = event.value("check", "");
      if (lasts(event)) {
        attempts[number].answered.insert(check);
      } else {
        attempts[number].answered.erase(check);
      }
    }
  }
  return attempts;
}

std::string check_of_line(const Json& event) {
  const Json line = event.value("line", Json::object());
  if (!line.is_object()) return {};
  if (line.contains("observation") && line["observation"].is_object())
    return line["observation"].value("check", "");
  return line.value("check", "");
}

}  // namespace

Lasting what_lasts(const std::vector<Json>& events,
                   const std::function<bool(const std::string&)>& unchanged) {
  Lasting lasting;
  const std::map<int, Attempt> attempts = attempts_of(events);
  int repeat = 1;
  for (const Json& event : events) {
    if (event.value("event", "") == "run_started") repeat = event.value("repeat", 1);
  }
  const auto counts = [&](const Attempt& attempt) {
    return attempt.ended && attempt.settled && unchanged(std::get<0>(attempt.job));
  };
  std::map<CheckKey, std::set<int>> rounds;
  for (const auto& [number, attempt] : attempts) {
    lasting.attempts = std::max(lasting.attempts, number);
    if (!counts(attempt)) continue;
    if (attempt.cause == "deadline") ++lasting.time_outs[attempt.job];
    for (const std::string& check : attempt.answered)
      rounds[std::tuple_cat(attempt.job, std::tuple(check))].insert(attempt.round);
  }
  for (const auto& [key, answered] : rounds) {
    if (static_cast<int>(answered.size()) >= repeat) lasting.checks.insert(key);
  }
  const auto kept = [&](const Attempt& attempt, const std::string& check) {
    return lasting.checks.count(std::tuple_cat(attempt.job, std::tuple(check))) > 0;
  };
  for (const Json& event : events) {
    const auto found = attempts.find(event.value("attempt", 0));
    if (found == attempts.end() || !counts(found->second)) continue;
    const Attempt& attempt = found->second;
    const bool any = std::any_of(attempt.answered.begin(), attempt.answered.end(),
                                 [&](const std::string& check) { return kept(attempt, check); });
    if (!any) continue;
    const std::string name = event.value("event", "");
    const std::string check = name == "line" ? check_of_line(event) : event.value("check", "");
    if ((name == "line" && !check.empty()) || name == "judged") {
      if (!kept(attempt, check)) continue;
    }
    lasting.events.push_back(event);
  }
  return lasting;
}

}  // namespace relapse
