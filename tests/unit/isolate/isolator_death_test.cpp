// How attempts die, and what they leave: alike in forked and in exec'd ones.

#include <fcntl.h>
#include <algorithm>
#include <csignal>

#include "isolation.hpp"

namespace relapse {
namespace {

class Deaths : public testing::TestWithParam<SpawnMode> {
 protected:
  Isolator isolator = make_isolator(GetParam());
};

INSTANTIATE_TEST_SUITE_P(Isolator, Deaths, testing::Values(SpawnMode::fork, SpawnMode::exec), mode_name);

std::vector<std::string> commands(const Ending& ending) {
  std::vector<std::string> out;
  for (const Leak& leak : ending.leaks) out.push_back(leak.command);
  std::sort(out.begin(), out.end());
  return out;
}

TEST_P(Deaths, AnAttemptThatAnswersEndsWithItsTokenAndNothingElse) {
  Seen seen = run(isolator, request_for("", {"failing", "corrected"}));
  ASSERT_TRUE(seen.ended) << seen.why_not_started;
  EXPECT_EQ(seen.order, "slllllle") << "started, hello, two checks with their observations, done, ended";
  EXPECT_EQ(seen.ending.cause, EndCause::by_itself);
  EXPECT_EQ(seen.ending.exit_status, 0);
  EXPECT_EQ(seen.ending.signal, 0);
  EXPECT_TRUE(seen.ending.done);
  EXPECT_EQ(seen.ending.protocol_error, "");
  EXPECT_EQ(seen.ending.out.bytes, 0u);
  EXPECT_TRUE(seen.ending.leaks.empty());
  EXPECT_GT(seen.ending.seconds, 0);
  EXPECT_GT(seen.ending.max_rss, 0u);
  EXPECT_TRUE(is_gone(seen.pid));
}

TEST_P(Deaths, AnExitStatusIsToldAsItIs) {
  Seen seen = run(isolator, request_for("exit 7"));
  EXPECT_EQ(seen.ending.exit_status, 7);
  EXPECT_EQ(seen.ending.signal, 0);
  EXPECT_FALSE(seen.ending.done);
}

TEST_P(Deaths, AnExitWithStatusZeroBeforeTheAnswerIsNoToken) {
  Seen seen = run(isolator, request_for("exit-early"));
  EXPECT_EQ(seen.ending.exit_status, 0);
  EXPECT_FALSE(seen.ending.done);
  EXPECT_EQ(seen.ending.protocol_error, "");
  EXPECT_EQ(seen.lines.size(), 2u);
}

TEST_P(Deaths, ACrashIsToldByItsSignal) {
  Seen seen = run(isolator, request_for("segfault"));
  EXPECT_EQ(seen.ending.signal, SIGSEGV);
  EXPECT_EQ(seen.ending.exit_status, -1);
  EXPECT_EQ(seen.ending.cause, EndCause::by_itself);
}

TEST_P(Deaths, WhatWasPrintedBeforeAnAbortIsKept) {
  Seen seen = run(isolator, request_for("abort"));
  EXPECT_EQ(seen.ending.signal, SIGABRT);
  EXPECT_EQ(seen.ending.out.text, "about to abort");
}

TEST_P(Deaths, AHangEndsAtItsTimeLimitByTheFirstSignal) {
  Seen seen = run(isolator, request_for("hang"), limits_of(200, 20'000));
  EXPECT_EQ(seen.ending.cause, EndCause::deadline);
  EXPECT_EQ(seen.ending.signal, SIGTERM);
  EXPECT_FALSE(seen.ending.grace_ran_out);
  EXPECT_GE(seen.ending.seconds, 0.15);
  EXPECT_TRUE(is_gone(seen.pid));
}

TEST_P(Deaths, AnAttemptThatIgnoresTheFirstSignalIsKilledWhenGraceEnds) {
  Seen seen = run(isolator, request_for("ignore-term"), limits_of(300, 100));
  EXPECT_EQ(seen.ending.cause, EndCause::deadline);
  EXPECT_EQ(seen.ending.signal, SIGKILL);
  EXPECT_TRUE(seen.ending.grace_ran_out);
  EXPECT_FALSE(seen.ending.unkillable);
}

TEST_P(Deaths, AnAttemptThatStopsItselfIsWokenToDie) {
  Seen seen = run(isolator, request_for("stop"), limits_of(200, 20'000));
  EXPECT_EQ(seen.ending.cause, EndCause::deadline);
  EXPECT_EQ(seen.ending.signal, SIGTERM);
}

TEST_P(Deaths, OneThatIsStoppedFromOutsideHasThatCause) {
  auto id = isolator.start(request_for("hang"), {});
  ASSERT_TRUE(id) << id.error().message;
  EXPECT_EQ(isolator.running(), 1u);
  isolator.stop(*id, EndCause::interrupted);
  Seen seen;
  finish(isolator, *id, seen);
  EXPECT_EQ(seen.ending.cause, EndCause::interrupted);
  EXPECT_EQ(isolator.running(), 0u);
}

TEST_P(Deaths, AProcessLeftBehindIsEndedAndNamed) {
  Seen seen = run(isolator, request_for("leak-plain"));
  EXPECT_TRUE(seen.ending.done);
  ASSERT_EQ(seen.ending.leaks.size(), 1u);
  EXPECT_EQ(seen.ending.leaks[0].command, "left-plain");
  EXPECT_EQ(seen.ending.leaks[0].pid, numbers_after("left", seen.ending.out.text).at(0));
  EXPECT_TRUE(is_gone(seen.ending.leaks[0].pid));
}

TEST_P(Deaths, AProcessInASessionOfItsOwnIsEndedAndNamed) {
  Seen seen = run(isolator, request_for("leak-session"));
  ASSERT_EQ(commands(seen.ending), (std::vector<std::string>{"left-session"}));
  EXPECT_TRUE(is_gone(seen.ending.leaks[0].pid));
}

TEST_P(Deaths, ADaemonIsEndedAndNamed) {
  Seen seen = run(isolator, request_for("leak-daemon"));
  ASSERT_EQ(commands(seen.ending), (std::vector<std::string>{"left-daemon"}));
  EXPECT_TRUE(is_gone(seen.ending.leaks[0].pid));
}

TEST_P(Deaths, DescendantsOfWhatWasLeftAreEndedAndNamed) {
  Seen seen = run(isolator, request_for("leak-family"));
  EXPECT_EQ(commands(seen.ending), (std::vector<std::string>{"left-daughter", "left-mother"}));
  EXPECT_EQ(numbers_after("left", seen.ending.out.text).size(), 2u);
  for (int pid : numbers_after("left", seen.ending.out.text)) EXPECT_TRUE(is_gone(pid));
}

TEST_P(Deaths, WhatATimedOutAttemptStartedEndsWithIt) {
  Seen seen = run(isolator, request_for("leak-and-hang"), limits_of(500, 20'000));
  EXPECT_EQ(seen.ending.cause, EndCause::deadline);
  EXPECT_EQ(commands(seen.ending), (std::vector<std::string>{"left-daughter", "left-mother"}));
  for (int pid : numbers_after("left", seen.ending.out.text)) EXPECT_TRUE(is_gone(pid));
}

TEST_P(Deaths, ADeadProcessThatNobodyWaitedForIsNoLeak) {
  Seen seen = run(isolator, request_for("zombie"));
  EXPECT_TRUE(seen.ending.done);
  EXPECT_TRUE(seen.ending.leaks.empty());
}

TEST_P(Deaths, AFloodOfOutputIsReadAndCapped) {
  AttemptLimits limits;
  limits.output = 10'000;
  Seen seen = run(isolator, request_for("flood 100"), limits);
  EXPECT_TRUE(seen.ending.done);
  EXPECT_EQ(seen.ending.out.bytes, (100u << 20) + 7);
  EXPECT_TRUE(seen.ending.out.truncated);
  EXPECT_LT(seen.ending.out.text.size(), 11'000u);
  EXPECT_EQ(seen.ending.out.text.substr(0, 3), "xxx");
  EXPECT_EQ(seen.ending.out.text.substr(seen.ending.out.text.size() - 8), "xthe end");
  EXPECT_NE(seen.ending.out.text.find("\n[... 104,847,607 bytes left out ...]\n"), std::string::npos);
}

TEST_P(Deaths, OutputThatIsNotUtf8BecomesUtf8) {
  Seen seen = run(isolator, request_for("bad-utf8"));
  EXPECT_EQ(seen.ending.err.text,
            "a\xef\xbf\xbd\xef\xbf\xbd"
            "b");
  EXPECT_EQ(seen.ending.err.bytes, 4u);
}

TEST_P(Deaths, AnAttemptThatClosedItsProtocolLivesUntilItsTimeLimit) {
  Seen seen = run(isolator, request_for("close-protocol"), limits_of(300, 20'000));
  EXPECT_EQ(seen.ending.cause, EndCause::deadline);
  EXPECT_FALSE(seen.ending.done);
  EXPECT_EQ(seen.lines.size(), 1u);
}

TEST_P(Deaths, APipeThatAStrangerHoldsOpenIsNotWaitedFor) {
  auto id = isolator.start(request_for("hang"), {});
  ASSERT_TRUE(id) << id.error().message;
  auto until = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  auto started = isolator.next(until);
  ASSERT_TRUE(started);
  ASSERT_TRUE(isolator.next(until)) << "its first line: the descriptors are in place";
  std::string folder = "/proc/" + std::to_string(std::get<AttemptStarted>(*started).pid) + "/fd/";
  int out = ::open((folder + "1").c_str(), O_WRONLY | O_CLOEXEC);
  int protocol = ::open((folder + "3").c_str(), O_WRONLY | O_CLOEXEC);
  ASSERT_GE(out, 0);
  ASSERT_GE(protocol, 0);
  isolator.stop(*id, EndCause::interrupted);
  Seen seen;
  finish(isolator, *id, seen);
  EXPECT_TRUE(seen.ended);
  EXPECT_EQ(seen.ending.signal, SIGTERM);
  ::close(out);
  ::close(protocol);
}

TEST_P(Deaths, TooMuchResidentMemoryIsKilledForThat) {
  AttemptLimits limits;
  limits.resident_memory = 300u << 20;
  Seen seen = run(isolator, request_for("eat 600"), limits);
  EXPECT_EQ(seen.ending.cause, EndCause::memory);
  EXPECT_EQ(seen.ending.signal, SIGKILL);
  EXPECT_FALSE(seen.ending.grace_ran_out);
  EXPECT_GT(seen.ending.max_rss, 300u << 20);
}

TEST_P(Deaths, ManyAtOnceAllEndEachWithItsOwnAnswer) {
  std::vector<AttemptId> ids;
  for (int i = 0; i < 24; ++i) {
    auto id = isolator.start(request_for("exit " + std::to_string(i)), {});
    ASSERT_TRUE(id) << id.error().message;
    ids.push_back(*id);
  }
  EXPECT_EQ(isolator.running(), 24u);
  std::vector<int> statuses(24, -1);
  auto until = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (isolator.running() > 0) {
    auto event = isolator.next(until);
    ASSERT_TRUE(event);
    if (auto* ended = std::get_if<AttemptEnded>(&*event)) {
      auto at = std::find(ids.begin(), ids.end(), ended->attempt);
      ASSERT_NE(at, ids.end());
      statuses[std::size_t(at - ids.begin())] = ended->ending.exit_status;
    }
  }
  for (int i = 0; i < 24; ++i) EXPECT_EQ(statuses[std::size_t(i)], i);
}

TEST_P(Deaths, TheProcessOfAnAttemptIsWhatItShouldBe) {
  IsolatorOptions options = test_options(GetParam());
  options.zygote_environment.emplace_back("RELAPSE_TEST_VARIABLE", "set at the zygote's start");
  Isolator own = std::move(Isolator::create(options).value());
  // Descriptors and signals of relapse itself must not reach the attempt.
  int stray = ::open("/dev/null", O_RDONLY);
  Seen seen = run(own, request_for("describe"));
  ::close(stray);
  char folder[4096];
  ASSERT_NE(::getcwd(folder, sizeof folder), nullptr);
  EXPECT_EQ(seen.ending.out.text,
            "leader 1 1\n"
            "stdin /dev/null\n"
            "signals blocked 0 changed 0\n"
            "other descriptors 0\n"
            "protocol closed on exec 1\n"
            "subreaper 1 parent death 9\n"
            "core 0\n"
            "variable set at the zygote's start\n"
            "folder " +
                std::string(folder) + "\n");
}

}  // namespace
}  // namespace relapse
