#include <gmock/gmock.h>

#include <harness/history/resume.hpp>

#include "runs.hpp"

namespace relapse {
namespace {

using namespace test;
using testing::ElementsAre;
using testing::IsEmpty;
constexpr VerdictKind kHeld = VerdictKind::held, kBroken = VerdictKind::broken;
using Checks = std::vector<std::pair<std::string, VerdictKind>>;

const Checks kTwo{{"failing", kHeld}, {"batch-1", kHeld}};

std::vector<std::string> lasting(const RunWriter& run, const std::string& changed = "") {
  std::vector<std::string> names;
  for (const CheckKey& key :
       what_lasts(run.events(), [&](const std::string& kase) { return kase != changed; }).checks)
    names.push_back(std::get<0>(key) + "/" + std::get<3>(key));
  return names;
}

TEST(Resume, KeepsGreenAndRed) {
  RunWriter run("1");
  run.kase("a", {{"failing", kHeld}, {"batch-1", kBroken}});
  EXPECT_THAT(lasting(run), ElementsAre("a/batch-1", "a/failing"));
}

TEST(Resume, KeepsNothingOfAnAttemptThatWasStillGoingOn) {
  RunWriter run("1");
  run.plan("a", kTwo).start("a", kTwo).judge("a", "failing", kHeld);
  EXPECT_THAT(lasting(run), IsEmpty());
}

// The answer of a child that ends without its token is withdrawn, by a line that may not have been written.
TEST(Resume, KeepsNothingWhereTheWithdrawalMayBeMissing) {
  RunWriter run("1");
  run.plan("a", kTwo).start("a", kTwo).judge("a", "failing", kHeld).end(false);
  EXPECT_THAT(lasting(run), IsEmpty());
  run.judge("a", "failing", VerdictKind::no_verdict);
  EXPECT_THAT(lasting(run), IsEmpty()) << "another one may follow";
  run.event({{"event", "note"}, {"text", "the run went on"}});
  EXPECT_THAT(lasting(run), ElementsAre("a/failing"));
}

TEST(Resume, RunsSkipsAndTroubleOfTheMachineAgain) {
  RunWriter run("1");
  run.kase("a", {{"failing", VerdictKind::skipped},
                 {"batch-1", VerdictKind::infrastructure},
                 {"batch-2", VerdictKind::not_run},
                 {"batch-3", VerdictKind::left_out},
                 {"batch-4", VerdictKind::unstable}});
  EXPECT_THAT(lasting(run), ElementsAre("a/batch-3", "a/batch-4"));
}

TEST(Resume, WaitsForALookThatMayChangeAVerdict) {
  RunWriter run("1");
  run.plan("a", kTwo).start("a", kTwo).judge("a", "failing", kHeld);
  Json open = run.events().back();
  open["open"] = "canary";
  run.event(open).end();
  EXPECT_THAT(lasting(run), IsEmpty());
  open.erase("open");
  EXPECT_THAT(lasting(run.event(open)), ElementsAre("a/failing"));
}

TEST(Resume, RunsChangedCasesAgain) {
  RunWriter run("1");
  run.kase("a", kTwo).kase("b", {{"failing", kHeld}});
  EXPECT_THAT(lasting(run, "a"), ElementsAre("b/failing"));
}

TEST(Resume, NeedsEveryRound) {
  RunWriter run("1", {{"repeat", 2}});
  run.plan("a", kTwo)
      .start("a", kTwo, "cpu", 0)
      .judge("a", "failing", kHeld)
      .judge("a", "batch-1", kHeld)
      .end();
  EXPECT_THAT(lasting(run), IsEmpty());
  run.start("a", kTwo, "cpu", 1).judge("a", "failing", kHeld).end();
  EXPECT_THAT(lasting(run), ElementsAre("a/failing"));
}

TEST(Resume, CountsAttemptsAndTimeOuts) {
  RunWriter run("1");
  run.plan("a", kTwo).start("a", kTwo).end(false, "deadline").judge("a", "failing", VerdictKind::timed_out);
  run.start("a", {{"batch-1", kHeld}});
  const Lasting what = what_lasts(run.events(), [](const std::string&) { return true; });
  EXPECT_EQ(what.attempts, 2);
  EXPECT_EQ(what.time_outs.at({"a", "cpu", "blocking"}), 1);
}

TEST(Resume, RepeatsOnlyWhatIsOfKeptChecks) {
  RunWriter run("1");
  run.plan("a", kTwo).start("a", kTwo);
  run.event(
      {{"event", "line"}, {"attempt", 1}, {"line", {{"event", "check_started"}, {"check", "failing"}}}});
  run.judge("a", "failing", kHeld);
  run.event(
      {{"event", "line"}, {"attempt", 1}, {"line", {{"event", "check_started"}, {"check", "batch-1"}}}});
  run.judge("a", "batch-1", VerdictKind::infrastructure).end();
  const Lasting what = what_lasts(run.events(), [](const std::string&) { return true; });
  std::vector<std::string> order;
  for (const Json& event : what.events) order.push_back(event["event"]);
  EXPECT_THAT(order, ElementsAre("attempt_started", "line", "line", "judged", "attempt_ended"));
}

}  // namespace
}  // namespace relapse
