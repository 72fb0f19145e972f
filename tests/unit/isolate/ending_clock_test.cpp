#include <gtest/gtest.h>

#include <harness/isolate/ending_clock.hpp>

namespace relapse {
namespace {

using std::chrono::milliseconds;
using Act = EndingClock::Act;

const EndingClock::TimePoint kStart{std::chrono::hours(1)};

EndingClock a_clock() {
  AttemptLimits limits;
  limits.timeout = milliseconds(1000);
  limits.grace = milliseconds(200);
  return EndingClock(limits, kStart);
}

TEST(EndingClock, AsksThenKillsThenGivesUp) {
  EndingClock clock = a_clock();
  EXPECT_EQ(clock.due(kStart + milliseconds(999)), Act::none);
  EXPECT_EQ(clock.cause(), EndCause::by_itself);
  EXPECT_EQ(clock.due(kStart + milliseconds(1000)), Act::terminate);
  EXPECT_EQ(clock.cause(), EndCause::deadline);
  EXPECT_FALSE(clock.grace_ran_out());
  EXPECT_EQ(clock.due(kStart + milliseconds(1199)), Act::none);
  EXPECT_EQ(clock.due(kStart + milliseconds(1200)), Act::kill);
  EXPECT_TRUE(clock.grace_ran_out());
  EXPECT_EQ(clock.next(), kStart + milliseconds(1200) + std::chrono::seconds(30));
  EXPECT_EQ(clock.due(clock.next() - milliseconds(1)), Act::none);
  EXPECT_EQ(clock.due(clock.next()), Act::give_up);
  EXPECT_EQ(clock.due(clock.next() - milliseconds(1)), Act::none);
}

TEST(EndingClock, CountsTheTimeLimitFromTheStartOfTheProcess) {
  EndingClock clock = a_clock();
  clock.started(kStart + milliseconds(500));
  EXPECT_EQ(clock.due(kStart + milliseconds(1400)), Act::none);
  EXPECT_EQ(clock.due(kStart + milliseconds(1500)), Act::terminate);
}

TEST(EndingClock, TheFirstCauseStays) {
  EndingClock clock = a_clock();
  clock.ask(EndCause::interrupted, kStart);
  EXPECT_EQ(clock.due(kStart), Act::terminate);
  clock.ask(EndCause::deadline, kStart + milliseconds(1));
  EXPECT_EQ(clock.due(kStart + milliseconds(1)), Act::none);
  clock.kill(EndCause::memory, kStart + milliseconds(2));
  EXPECT_EQ(clock.due(kStart + milliseconds(2)), Act::kill);
  EXPECT_EQ(clock.cause(), EndCause::interrupted);
}

TEST(EndingClock, AKillNeedsNoGrace) {
  EndingClock clock = a_clock();
  clock.kill(EndCause::memory, kStart);
  EXPECT_EQ(clock.due(kStart), Act::kill);
  EXPECT_EQ(clock.cause(), EndCause::memory);
  EXPECT_FALSE(clock.grace_ran_out());
  clock.kill(EndCause::memory, kStart + milliseconds(1));
  EXPECT_EQ(clock.due(kStart + milliseconds(1)), Act::none) << "once is enough";
}

TEST(EndingClock, AnAttemptThatWasAskedBeforeItStartedIsNotGivenMoreTime) {
  EndingClock clock = a_clock();
  clock.ask(EndCause::interrupted, kStart);
  clock.started(kStart + milliseconds(5));
  EXPECT_EQ(clock.due(kStart + milliseconds(5)), Act::terminate);
}

TEST(EndingClock, TakesAnyTimeLimit) {
  AttemptLimits limits;
  limits.timeout = limits.grace = milliseconds::max();
  EndingClock clock(limits, kStart);
  EXPECT_GT(clock.next(), kStart + std::chrono::hours(1));
  EXPECT_EQ(clock.due(kStart + std::chrono::hours(1)), Act::none);
}

}  // namespace
}  // namespace relapse
