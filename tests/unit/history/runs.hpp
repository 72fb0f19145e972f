#pragma once

// Runs for the tests of merging and comparing: each built from the events that a journal would hold.

#include <gtest/gtest.h>

#include <harness/history/resume.hpp>
#include <harness/journal/event_json.hpp>
#include <harness/journal/record.hpp>
#include <string>
#include <vector>

namespace relapse::test {

using Json = nlohmann::json;

/// Writes a run case by case: every check is answered by one attempt for its case.
class RunWriter {
 public:
  explicit RunWriter(const std::string& id, const Json& more = Json::object()) {
    Json started{{"event", "run_started"},
                 {"schema", 1},
                 {"id", id},
                 {"relapse", "0.1.0"},
                 {"root", "cases"},
                 {"time", "2026-12-01T10:15:02Z"},
                 {"cores", 2},
                 {"command", Json::array()}};
    started.update(more);
    events_.push_back(started);
    device("cpu");
  }

  RunWriter& device(const std::string& name, bool present = true, const std::string& reason = "",
                    bool required = false) {
    events_.push_back({{"event", "device_found"},
                       {"device", name},
                       {"present", present},
                       {"required", required},
                       {"reason", reason}});
    return *this;
  }

  /// Plans a case, runs all of its checks in one attempt that ends well, and gives the verdicts.
  RunWriter& kase(const std::string& id, const std::vector<std::pair<std::string, VerdictKind>>& checks,
                  const std::string& on = "cpu", const std::string& hash = "h1") {
    plan(id, checks, on, hash);
    start(id, checks, on);
    for (const auto& [name, kind] : checks) judge(id, name, kind, on);
    return end();
  }

  RunWriter& plan(const std::string& id, const std::vector<std::pair<std::string, VerdictKind>>& checks,
                  const std::string& on = "cpu", const std::string& hash = "h1") {
    Json planned{{"event", "planned"},
                 {"case", id},
                 {"file", "cases/" + id + ".yaml"},
                 {"device", on},
                 {"hash", hash},
                 {"mode", "blocking"},
                 {"source", "https://example.org"},
                 {"title", id},
                 {"labels", {"loss"}},
                 {"checks", Json::array()}};
    for (const auto& [name, kind] : checks)
      planned["checks"].push_back({{"name", name}, {"kind", "batch"}, {"line", 20}, {"column", 5}});
    events_.push_back(std::move(planned));
    return *this;
  }
  RunWriter& start(const std::string& id, const std::vector<std::pair<std::string, VerdictKind>>& checks,
                   const std::string& on = "cpu", int round = 0) {
    Json started{{"event", "attempt_started"},
                 {"attempt", ++attempt_},
                 {"case", id},
                 {"device", on},
                 {"mode", "blocking"},
                 {"round", round},
                 {"checks", Json::array()}};
    for (const auto& [name, kind] : checks) started["checks"].push_back(name);
    events_.push_back(std::move(started));
    events_.push_back({{"event", "line"},
                       {"attempt", attempt_},
                       {"line",
                        {{"event", "hello"},
                         {"protocol", 1},
                         {"nonce", "n"},
                         {"torch_version", torch_},
                         {"worker_version", "0.1.0"},
                         {"device", on},
                         {"environment", Json::array()},
                         {"settings", Json::array()}}}});
    return *this;
  }
  RunWriter& judge(const std::string& id, const std::string& check, VerdictKind kind,
                   const std::string& on = "cpu", const std::string& symptom = "") {
    Verdict verdict;
    verdict.kind = kind;
    verdict.signature = std::string(to_string(kind)) + (symptom.empty() ? "" : " " + symptom);
    events_.push_back({{"event", "judged"},
                       {"case", id},
                       {"device", on},
                       {"mode", "blocking"},
                       {"check", check},
                       {"attempt", attempt_},
                       {"seconds", 0.25},
                       {"verdict", to_json(verdict)}});
    return *this;
  }
  RunWriter& end(bool done = true, const std::string& cause = "by_itself") {
    Ending ending;
    ending.done = done;
    ending.exit_status = 0;
    ending.seconds = 0.5;
    Json json = to_json(ending);
    json["cause"] = cause;
    events_.push_back({{"event", "attempt_ended"}, {"attempt", attempt_}, {"ending", json}});
    return *this;
  }
  RunWriter& elsewhere(const std::string& id, int shard, const std::vector<std::string>& checks,
                       const std::string& on = "cpu") {
    events_.push_back({{"event", "elsewhere"},
                       {"case", id},
                       {"file", "cases/" + id + ".yaml"},
                       {"device", checks.empty() ? "" : on},
                       {"mode", checks.empty() ? "" : "blocking"},
                       {"shard", shard},
                       {"checks", checks}});
    return *this;
  }
  RunWriter& event(const Json& json) {
    events_.push_back(json);
    return *this;
  }
  RunWriter& torch(const std::string& version) {
    torch_ = version;
    return *this;
  }
  RunWriter& finish(bool interrupted = false) {
    events_.push_back({{"event", "run_ended"},
                       {"time", "2026-12-01T10:15:09Z"},
                       {"interrupted", interrupted},
                       {"seconds", 1.5}});
    return *this;
  }

  const std::vector<Json>& events() const { return events_; }
  RunRecord run(const std::string& journal = "a.jsonl") const {
    RunRecord run = record_of(events_);
    run.journal = journal;
    return run;
  }
  std::string text() const {
    std::string out;
    for (const Json& event : events_) out += event.dump() + "\n";
    return out;
  }

 private:
  std::vector<Json> events_;
  int attempt_ = 0;
  std::string torch_ = "2.15.0";
};

inline Json shard(int index, int count, const std::string& set = "s") {
  return {{"shard", {{"index", index}, {"count", count}, {"from", "--shard"}}}, {"set", set}};
}

/// `index/a@cpu/failing: held`.
inline std::vector<std::string> verdict_lines(const RunRecord& run) {
  std::vector<std::string> lines;
  for (const CaseRecord& kase : run.cases) {
    for (const std::size_t index : kase.checks) {
      const CheckRecord& check = run.checks.at(index);
      lines.push_back(check.kase + "@" + check.device + "/" + check.name + ": " +
                      std::string(to_string(check.verdict.kind)));
    }
  }
  return lines;
}

}  // namespace relapse::test
