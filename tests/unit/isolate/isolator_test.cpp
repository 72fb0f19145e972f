// Waiting: time, interrupts, events.

#include <unistd.h>

#include <csignal>

#include "isolation.hpp"

namespace relapse {
namespace {

using Clock = std::chrono::steady_clock;

TEST(Isolator, ReturnsNothingWhenTheTimeHasPassed) {
  Isolator isolator = make_isolator(SpawnMode::fork);
  EXPECT_FALSE(isolator.next(Clock::now()));
  auto before = Clock::now();
  EXPECT_FALSE(isolator.next(before + std::chrono::milliseconds(30)));
  EXPECT_GE(Clock::now() - before, std::chrono::milliseconds(30));
}

TEST(Isolator, StartsNoProcessBeforeTheFirstAttempt) {
  Isolator isolator = make_isolator(SpawnMode::fork);
  EXPECT_EQ(isolator.running(), 0u);
  EXPECT_FALSE(isolator.next(Clock::now()));
}

TEST(Isolator, TellsOfAnInterruptWhileAttemptsRun) {
  Isolator isolator = make_isolator(SpawnMode::fork);
  auto id = isolator.start(request_for("hang"), {});
  ASSERT_TRUE(id) << id.error().message;
  ASSERT_TRUE(isolator.next(Clock::now() + std::chrono::minutes(1)));
  for (int number : {SIGINT, SIGTERM}) {
    ASSERT_EQ(::kill(::getpid(), number), 0);
    for (;;) {
      auto event = isolator.next(Clock::now() + std::chrono::minutes(1));
      ASSERT_TRUE(event);
      auto* interrupted = std::get_if<Interrupted>(&*event);
      if (!interrupted) continue;
      EXPECT_EQ(interrupted->signal, number);
      break;
    }
  }
  isolator.stop(*id, EndCause::interrupted);
  Seen seen;
  finish(isolator, *id, seen);
  EXPECT_EQ(seen.ending.cause, EndCause::interrupted) << "the attempt itself did not get the signals";
}

TEST(Isolator, LeavesSignalsAsTheyWereWhenItIsGone) {
  sigset_t before, after;
  sigprocmask(SIG_SETMASK, nullptr, &before);
  { Isolator isolator = make_isolator(SpawnMode::fork); }
  sigprocmask(SIG_SETMASK, nullptr, &after);
  EXPECT_EQ(sigismember(&before, SIGINT), sigismember(&after, SIGINT));
  struct sigaction action {};
  sigaction(SIGINT, nullptr, &action);
  EXPECT_EQ(action.sa_handler, SIG_DFL);
}

TEST(Isolator, CanBeMoved) {
  Isolator first = make_isolator(SpawnMode::fork);
  Isolator second = std::move(first);
  EXPECT_TRUE(run(second, request_for("")).ending.done);
}

TEST(Isolator, StoppingOneThatHasEndedDoesNothing) {
  Isolator isolator = make_isolator(SpawnMode::fork);
  EXPECT_TRUE(run(isolator, request_for("")).ending.done);
  isolator.stop(12345, EndCause::interrupted);
  EXPECT_TRUE(run(isolator, request_for("")).ending.done);
}

}  // namespace
}  // namespace relapse
