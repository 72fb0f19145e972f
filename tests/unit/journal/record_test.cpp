#include <gtest/gtest.h>

#include <csignal>
#include <harness/isolate/wire.hpp>
#include <harness/journal/event_json.hpp>
#include <harness/journal/record.hpp>

#include "../verdict/built.hpp"

namespace relapse {
namespace {

using Json = nlohmann::json;
using namespace test;

/// A run of one case with two checks, up to where attempt 1 has begun.
std::vector<Json> begun() {
  return {
      {{"event", "run_started"},
       {"schema", 1},
       {"relapse", "0.1.0"},
       {"time", "2026-12-01T10:15:02Z"},
       {"command", {"index"}},
       {"root", "cases"},
       {"jobs", 2},
       {"cores", 4}},
      {{"event", "device_found"}, {"device", "cpu"}, {"present", true}, {"required", false}, {"reason", ""}},
      {{"event", "planned"},
       {"case", "index/labels"},
       {"file", "cases/index/labels.yaml"},
       {"title", "Labels"},
       {"source", "https://example.org/1"},
       {"date", "2018-12-14"},
       {"device", "cpu"},
       {"mode", "blocking"},
       {"labels", {"loss"}},
       {"covers", "model"},
       {"checks",
        {{{"name", "failing"}, {"kind", "failing"}, {"line", 15}, {"column", 3}},
         {{"name", "batch-1"}, {"kind", "batch"}, {"line", 20}, {"column", 5}}}}},
      {{"event", "attempt_started"},
       {"attempt", 1},
       {"case", "index/labels"},
       {"device", "cpu"},
       {"mode", "blocking"},
       {"checks", {"failing", "batch-1"}},
       {"round", 0}},
  };
}
Json line(const Message& message, int attempt = 1) {
  return {{"event", "line"}, {"attempt", attempt}, {"line", to_json(message)}};
}
Json judged(const std::string& check, VerdictKind kind, int attempt = 1) {
  Verdict verdict;
  verdict.kind = kind;
  return {{"event", "judged"},          {"case", "index/labels"}, {"device", "cpu"},
          {"mode", "blocking"},         {"check", check},         {"attempt", attempt},
          {"verdict", to_json(verdict)}};
}
Json run_ended() {
  return {{"event", "run_ended"}, {"time", "2026-12-01T10:15:03Z"}, {"interrupted", false}, {"seconds", 1.5}};
}

TEST(Record, IsBuiltFromEvents) {
  std::vector<Json> events = begun();
  Hello hello;
  hello.torch_version = "2.15.0";
  hello.environment = {{"OMP_NUM_THREADS", "1"}};
  hello.settings = {{"tf32", "off"}};
  events.push_back(line(hello));
  events.push_back(line(CheckStarted{"failing"}));
  StepRecord step;
  step.index = 1;
  step.text = "loss = f(x)";
  events.push_back(line(StepStarted{"failing", step}));
  Observation observation = returned();
  observation.seconds = 0.25;
  events.push_back(line(Observed{observation}));
  events.push_back(judged("failing", VerdictKind::broken));
  Ending end = exited(0);
  end.done = true;
  end.err.text = "a warning";
  events.push_back({{"event", "attempt_ended"}, {"attempt", 1}, {"ending", to_json(end)}});
  events.push_back({{"event", "note"}, {"text", "the zygote died"}});
  events.push_back(run_ended());

  const RunRecord run = record_of(events);
  EXPECT_EQ(run.version, "0.1.0");
  EXPECT_EQ(run.started, "2026-12-01T10:15:02Z");
  EXPECT_EQ(run.command, Lines{"index"});
  EXPECT_EQ(run.jobs, 2);
  EXPECT_EQ(run.cores, 4);
  EXPECT_EQ(run.torch_version, "2.15.0");
  EXPECT_EQ(run.notes, Lines{"the zygote died"});
  EXPECT_EQ(run.clauses, 10);
  EXPECT_TRUE(run.finished);
  EXPECT_EQ(run.seconds, 1.5);
  ASSERT_EQ(run.cases.size(), 1u);
  EXPECT_EQ(run.cases[0].source, "https://example.org/1");
  EXPECT_EQ(run.cases[0].checks, (std::vector<std::size_t>{0, 1}));
  ASSERT_EQ(run.checks.size(), 2u);
  const CheckRecord& failing = run.checks[0];
  EXPECT_TRUE(failing.started && failing.judged);
  EXPECT_EQ(failing.verdict.kind, VerdictKind::broken);
  EXPECT_EQ(failing.seconds, 0.25);
  EXPECT_EQ(failing.attempt, 1);
  EXPECT_EQ(failing.step->text, "loss = f(x)");
  EXPECT_EQ(failing.pos, (SourcePos{15, 3}));
  const AttemptRecord& attempt = run.attempts.at(1);
  EXPECT_TRUE(attempt.ended);
  EXPECT_EQ(attempt.ending.err.text, "a warning");
  EXPECT_EQ(attempt.environment.front().second, "1");
  EXPECT_EQ(attempt.settings.front().first, "tf32");
}

TEST(Record, LeavesWhatWasNotJudgedNotRun) {
  std::vector<Json> events = begun();
  events.push_back(line(CheckStarted{"failing"}));
  const RunRecord killed_run = record_of(events);
  EXPECT_EQ(killed_run.checks[0].verdict.kind, VerdictKind::not_run);
  EXPECT_EQ(killed_run.checks[0].verdict.reason, "it had started when the run ended");
  EXPECT_EQ(killed_run.checks[1].verdict.reason, "it was not reached");
  EXPECT_FALSE(killed_run.finished);
  EXPECT_EQ(killed_run.exit_code(), ExitCode::interrupted) << "the runner was killed";

  events.push_back(judged("failing", VerdictKind::held));
  events.push_back(run_ended());
  EXPECT_EQ(record_of(events).exit_code(), ExitCode::nothing_ran) << "one check was never judged";
  events.insert(events.end() - 1, judged("batch-1", VerdictKind::held));
  EXPECT_EQ(record_of(events).exit_code(), ExitCode::held);
}

TEST(Record, TakesTheLastVerdictOfACheck) {
  std::vector<Json> events = begun();
  events.push_back(judged("failing", VerdictKind::held));
  events.push_back(judged("batch-1", VerdictKind::held));
  events.push_back(judged("batch-1", VerdictKind::no_verdict));
  events.push_back(run_ended());
  const RunRecord run = record_of(events);
  EXPECT_EQ(run.checks[1].verdict.kind, VerdictKind::no_verdict);
  EXPECT_EQ(run.tally().held, 1);
  EXPECT_EQ(run.exit_code(), ExitCode::failed);
}

TEST(Record, CountsBrokenFilesAndMissingDevices) {
  std::vector<Json> events = begun();
  events.push_back(judged("failing", VerdictKind::held));
  events.push_back(judged("batch-1", VerdictKind::held));
  events.push_back(run_ended());
  std::vector<Json> missing = events;
  missing.push_back({{"event", "device_found"}, {"device", "cuda"}, {"present", false}, {"required", true}});
  EXPECT_EQ(record_of(missing).exit_code(), ExitCode::infrastructure);
  events.push_back({{"event", "case_broken"}, {"case", "x"}, {"file", "x.yaml"}, {"messages", {"wrong"}}});
  EXPECT_EQ(record_of(events).exit_code(), ExitCode::usage);
  EXPECT_EQ(record_of(events).broken_files[0].messages, Lines{"wrong"});
}

TEST(Record, PassesOverWhatItDoesNotKnow) {
  std::vector<Json> events = begun();
  events.push_back({{"event", "moon_phase"}});
  events.push_back({{"event", "line"}, {"attempt", 9}, {"line", {{"event", "done"}}}});
  events.push_back({{"event", "line"}, {"attempt", 1}, {"line", "no object"}});
  events.push_back({{"event", "line"}, {"attempt", 1}, {"line", {{"event", "observation"}}}});
  events.push_back(judged("no such check", VerdictKind::held));
  const RunRecord run = record_of(events);
  EXPECT_EQ(run.checks.size(), 2u);
  EXPECT_EQ(run.tally().not_run, 2);
}

TEST(Record, StartsTheStepsOfACheckAnew) {
  std::vector<Json> events = begun();
  StepRecord step;
  step.text = "first";
  events.push_back(line(CheckStarted{"failing"}));
  events.push_back(line(StepStarted{"failing", step}));
  events.push_back(line(CheckStarted{"failing"}));
  EXPECT_FALSE(record_of(events).checks[0].step);
}

TEST(EventJson, TakesVerdictsThereAndBack) {
  Verdict verdict;
  verdict.kind = VerdictKind::relapsed;
  verdict.clause = "target.max";
  verdict.pos = {12, 7};
  verdict.promised = "rejected";
  verdict.seen = {"a", "b"};
  verdict.reason = "why";
  verdict.fault = FaultKind::hang;
  verdict.error = "index_error";
  verdict.step = 2;
  verdict.signature = "relapsed hang target.max";
  const Verdict back = verdict_from(to_json(verdict));
  EXPECT_EQ(back.kind, verdict.kind);
  EXPECT_EQ(back.clause, verdict.clause);
  EXPECT_EQ(back.pos, verdict.pos);
  EXPECT_EQ(back.promised, verdict.promised);
  EXPECT_EQ(back.seen, verdict.seen);
  EXPECT_EQ(back.reason, verdict.reason);
  EXPECT_EQ(back.fault, verdict.fault);
  EXPECT_EQ(back.error, verdict.error);
  EXPECT_EQ(back.step, verdict.step);
  EXPECT_EQ(back.signature, verdict.signature);
  EXPECT_EQ(to_json(verdict_from(to_json(Verdict{}))), to_json(Verdict{}));
}

TEST(EventJson, TakesNoUnknownVerdictForGreen) {
  EXPECT_EQ(verdict_from({{"kind", "splendid"}}).kind, VerdictKind::no_verdict);
  EXPECT_EQ(verdict_from(Json::object()).kind, VerdictKind::no_verdict);
}

TEST(EventJson, TakesEndingsThereAndBack) {
  for (const EndCause cause :
       {EndCause::by_itself, EndCause::deadline, EndCause::memory, EndCause::interrupted, EndCause::lost}) {
    Ending ending;
    ending.cause = cause;
    ending.signal = SIGKILL;
    ending.exit_status = 3;
    ending.core_dumped = ending.grace_ran_out = ending.unkillable = ending.done = true;
    ending.protocol_error = "half a line";
    ending.out = {"text", std::uint64_t{1} << 40, true};
    ending.err = {"more", 4, false};
    ending.leaks = {{17, "sleep 9"}};
    ending.seconds = 1.5;
    ending.cpu_seconds = 0.5;
    ending.max_rss = std::uint64_t{1} << 34;
    const Ending back = ending_from(to_json(ending));
    EXPECT_EQ(back.cause, cause);
    EXPECT_EQ(to_json(back), to_json(ending));
  }
  EXPECT_FALSE(ending_from(Json::object()).done);
}

TEST(Record, KeepsEachRoundOfRepeats) {
  std::vector<Json> events = begun();
  const auto round = [](int number, VerdictKind joined, VerdictKind own) {
    Json event = judged("failing", joined, number + 1);
    Verdict verdict;
    verdict.kind = own;
    event["round"] = number;
    event["own"] = to_json(verdict);
    return event;
  };
  events.push_back(round(1, VerdictKind::held, VerdictKind::held));
  events.push_back(round(0, VerdictKind::unstable, VerdictKind::broken));
  events.push_back(round(1, VerdictKind::unstable, VerdictKind::no_verdict));
  const RunRecord run = record_of(events);
  ASSERT_EQ(run.checks[0].rounds.size(), 2u);
  EXPECT_EQ(run.checks[0].rounds[0].verdict.kind, VerdictKind::broken);
  EXPECT_EQ(run.checks[0].rounds[0].attempt, 1);
  EXPECT_EQ(run.checks[0].rounds[1].verdict.kind, VerdictKind::no_verdict)
      << "a later word replaces an earlier one";
  EXPECT_TRUE(run.checks[1].rounds.empty());
}

}  // namespace
}  // namespace relapse
