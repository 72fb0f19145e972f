#include <gmock/gmock.h>
#include <signal.h>

#include <harness/journal/record.hpp>
#include <harness/schedule/scheduler.hpp>

#include "../journal/folder.hpp"
#include "../verdict/built.hpp"

namespace relapse {
namespace {

using testing::Each;
using testing::ElementsAre;
using namespace test;

/// Runs jobs with the stand-in worker of tests/children, whose checks do what their names say.
class SchedulerTest : public testing::Test {
 protected:
  SchedulerTest() {
    kase_.id = "by/checks";
    options_.timeout = 30;
  }

  void add_job(const std::vector<std::string>& names, const std::string& skip = {}) {
    Job job;
    job.kase = &kase_;
    job.skip = skip;
    for (const std::string& name : names) job.checks.push_back(check({returns()}, name));
    // Two jobs of one case differ by mode, as two entries of a run do.
    job.mode = jobs_.empty() ? "blocking" : "mode" + std::to_string(jobs_.size());
    jobs_.push_back(std::move(job));
  }

  void run(const std::function<void(const nlohmann::json&)>& seen = {},
           const std::string& worker = RELAPSE_CHILD_WORKER) {
    IsolatorOptions isolate;
    isolate.worker = worker;
    isolate.zygote_environment = {{"ASAN_OPTIONS", "handle_segv=0"}};
    Isolator isolator = std::move(Isolator::create(isolate).value());
    builder_.apply({{"event", "run_started"}, {"schema", 1}});
    for (const Job& job : jobs_) {
      nlohmann::json planned{{"event", "planned"}, {"case", kase_.id}, {"device", "cpu"}, {"mode", job.mode}};
      for (const Check& one : job.checks) planned["checks"].push_back({{"name", one.name}});
      builder_.apply(planned);
    }
    result_ = run_jobs(jobs_, isolator, options_, [&](const nlohmann::json& event) {
      events_.push_back(event);
      builder_.apply(event);
      if (seen) seen(event);
    });
    builder_.apply({{"event", "run_ended"}, {"interrupted", result_.interrupted}});
  }

  Lines verdicts() {
    Lines all;
    for (const CheckRecord& one : builder_.record().checks)
      all.push_back(one.name + ": " + std::string(to_string(one.verdict.kind)));
    return all;
  }
  const Verdict& verdict(std::size_t i) { return builder_.record().checks.at(i).verdict; }
  ExitCode exit_code() { return builder_.record().exit_code(); }
  int count(const std::string& event) {
    int n = 0;
    for (const nlohmann::json& one : events_) n += one["event"] == event ? 1 : 0;
    return n;
  }

  Case kase_;
  std::vector<Job> jobs_;
  ScheduleOptions options_;
  RecordBuilder builder_;
  std::vector<nlohmann::json> events_;
  ScheduleResult result_;
};

TEST_F(SchedulerTest, RunsAllChecksOfAJobInOneChild) {
  add_job({"hold 1", "break", "hold 2"});
  run();
  EXPECT_THAT(verdicts(), ElementsAre("hold 1: held", "break: broken", "hold 2: held"));
  EXPECT_EQ(count("attempt_started"), 1);
  EXPECT_EQ(count("attempt_ended"), 1);
  EXPECT_EQ(exit_code(), ExitCode::failed);
}

TEST_F(SchedulerTest, WritesEachLineBeforeItsVerdict) {
  add_job({"hold"});
  run();
  Lines order;
  for (const nlohmann::json& event : events_) {
    order.push_back(event["event"] == "line" ? event["line"]["event"].get<std::string>()
                                             : event["event"].get<std::string>());
  }
  EXPECT_THAT(order, ElementsAre("attempt_started", "hello", "check_started", "observation", "judged", "done",
                                 "attempt_ended"));
}

TEST_F(SchedulerTest, RunsWhatADeathLeftInANewChild) {
  add_job({"hold 1", "crash", "hold 2", "exit", "hold 3", "half", "hold 4"});
  run();
  EXPECT_THAT(verdicts(),
              ElementsAre("hold 1: held", "crash: faulted", "hold 2: held", "exit: no_verdict",
                          // The half line is a breach of the protocol, so nothing of that child counts.
                          "hold 3: no_verdict", "half: no_verdict", "hold 4: held"));
  EXPECT_EQ(count("attempt_started"), 4);
  EXPECT_THAT(verdict(1).seen, ElementsAre("died by SIGSEGV"));
  EXPECT_EQ(exit_code(), ExitCode::failed);
}

TEST_F(SchedulerTest, SkipsAJobAloud) {
  add_job({"hold", "crash"}, "no GPU here");
  run();
  EXPECT_THAT(verdicts(), ElementsAre("hold: skipped", "crash: skipped"));
  EXPECT_EQ(verdict(0).reason, "no GPU here");
  EXPECT_EQ(count("attempt_started"), 0);
  EXPECT_EQ(exit_code(), ExitCode::skipped);
}

TEST_F(SchedulerTest, DoesNotRunTheRestOfACaseAfterTwoTimeOuts) {
  options_.timeout = 0.2;
  add_job({"hold 1", "hang 1", "hold 2", "hang 2", "hold 3"});
  add_job({"hold 4"});
  run();
  EXPECT_THAT(verdicts(), ElementsAre("hold 1: held", "hang 1: timed_out", "hold 2: held",
                                      "hang 2: timed_out", "hold 3: not_run", "hold 4: held"));
  EXPECT_EQ(verdict(4).reason, "2 checks of this case timed out before it");
  EXPECT_EQ(exit_code(), ExitCode::failed);
}

TEST_F(SchedulerTest, GivesNoGreenToAChildThatHangsBehindItsLastAnswer) {
  options_.timeout = 0.2;
  add_job({"late"});
  run();
  EXPECT_THAT(verdicts(), ElementsAre("late: no_verdict"));
  EXPECT_EQ(exit_code(), ExitCode::failed);
}

TEST_F(SchedulerTest, StopsAtTheFirstRedWhereAsked) {
  options_.fail_fast = true;
  add_job({"break", "hold 1"});
  add_job({"hold 2"});
  run();
  EXPECT_EQ(verdicts()[0], "break: broken");
  EXPECT_EQ(verdicts()[2], "hold 2: not_run");
  EXPECT_EQ(verdict(2).reason, "an earlier check was red (--fail-fast)");
  EXPECT_FALSE(result_.interrupted);
  EXPECT_EQ(exit_code(), ExitCode::failed);
}

TEST_F(SchedulerTest, EndsTheRunAtItsDeadline) {
  options_.deadline = 0.3;
  add_job({"hold 1", "hang"});
  add_job({"hold 2"});
  run();
  EXPECT_THAT(verdicts(), ElementsAre("hold 1: held", "hang: not_run", "hold 2: not_run"));
  EXPECT_EQ(verdict(1).reason, "the deadline of 0.3 s for the whole run passed");
  EXPECT_EQ(verdict(2).reason, "the deadline of 0.3 s for the whole run passed");
  EXPECT_EQ(exit_code(), ExitCode::nothing_ran);
}

TEST_F(SchedulerTest, GivesNoGreenToAChildThatTheDeadlineOfTheRunEnds) {
  options_.deadline = 0.3;
  add_job({"late"});
  run();
  EXPECT_THAT(verdicts(), ElementsAre("late: not_run"));
  EXPECT_EQ(exit_code(), ExitCode::nothing_ran);
}

TEST_F(SchedulerTest, EndsAtAnInterrupt) {
  add_job({"hold 1", "hang"});
  add_job({"hold 2"});
  bool sent = false;
  run([&](const nlohmann::json& event) {
    // The second check has begun.
    if (sent || event["event"] != "line" || event["line"].value("check", "") != "hang") return;
    sent = true;
    ::raise(SIGINT);
  });
  EXPECT_TRUE(result_.interrupted);
  EXPECT_THAT(verdicts(), ElementsAre("hold 1: held", "hang: not_run", "hold 2: not_run"));
  EXPECT_EQ(verdict(2).reason, "the run was interrupted");
  EXPECT_EQ(exit_code(), ExitCode::interrupted);
}

TEST_F(SchedulerTest, RepeatsInFreshProcesses) {
  options_.repeat = 3;
  add_job({"hold", "break"});
  run();
  EXPECT_THAT(verdicts(), ElementsAre("hold: held", "break: broken"));
  EXPECT_EQ(count("attempt_started"), 3);
  EXPECT_EQ(count("judged"), 6);
}

TEST_F(SchedulerTest, CallsAChangingCheckUnstable) {
  const Folder folder;
  options_.repeat = 3;
  add_job({"turn " + folder.path() + "/made"});
  run();
  EXPECT_EQ(verdict(0).kind, VerdictKind::unstable);
  EXPECT_THAT(verdict(0).seen, ElementsAre("broken y.same_as in 2 of 3 fresh processes",
                                           "held in 1 of 3 fresh processes", "0 where 1 was due"));
  EXPECT_EQ(exit_code(), ExitCode::failed);
}

// The rounds that --fail-fast leaves out used to take the red away.
TEST_F(SchedulerTest, KeepsTheRedOfAnEarlierRoundWhereLaterOnesAreNotRun) {
  options_.repeat = 3;
  options_.fail_fast = true;
  add_job({"break"});
  run();
  EXPECT_EQ(verdict(0).kind, VerdictKind::broken);
  EXPECT_EQ(exit_code(), ExitCode::failed);
}

TEST_F(SchedulerTest, LeavesNoGreenWhereARoundWasNotRun) {
  options_.repeat = 2;
  options_.fail_fast = true;
  add_job({"hold", "break"});
  run();
  EXPECT_THAT(verdicts(), ElementsAre("hold: not_run", "break: broken"));
}

// A withdrawn answer is no second verdict of its round.
TEST_F(SchedulerTest, TakesAWithdrawnAnswerForNoInstability) {
  options_.repeat = 2;
  add_job({"hold", "half"});
  run();
  EXPECT_THAT(verdicts(), ElementsAre("hold: no_verdict", "half: no_verdict"));
}

TEST_F(SchedulerTest, BlamesNoCaseWhereTheWorkerCannotStart) {
  add_job({"hold 1"});
  add_job({"hold 2"});
  run({}, "/no/such/worker");
  EXPECT_EQ(verdict(0).kind, VerdictKind::infrastructure);
  EXPECT_NE(verdict(0).reason.find("/no/such/worker"), std::string::npos) << verdict(0).reason;
  EXPECT_EQ(exit_code(), ExitCode::infrastructure);
}

TEST_F(SchedulerTest, RunsSeveralAttemptsAtOnce) {
  options_.jobs = 3;
  for (int i = 0; i < 7; ++i) add_job({"hold " + std::to_string(i)});
  run();
  EXPECT_EQ(builder_.record().tally().held, 7);
  EXPECT_EQ(exit_code(), ExitCode::held);
}

TEST_F(SchedulerTest, DoesNothingWithoutJobs) {
  run();
  EXPECT_EQ(events_.size(), 0u);
  EXPECT_EQ(exit_code(), ExitCode::nothing_ran);
}

}  // namespace
}  // namespace relapse
