// When the machinery itself fails: no worker, a zygote that dies, a fork that is refused, relapse killed.

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <harness/isolate/process_tree.hpp>
#include <sstream>

#include "isolation.hpp"

namespace relapse {
namespace {

Seen run_with_start(const char* how) {
  IsolatorOptions options = test_options(SpawnMode::fork);
  options.zygote_environment.emplace_back("RELAPSE_TEST_START", how);
  Isolator isolator = std::move(Isolator::create(options).value());
  return run(isolator, request_for(""));
}

TEST(LostIsolator, SaysWhichWorkerIsMissingAndWhatToDo) {
  for (SpawnMode mode : {SpawnMode::fork, SpawnMode::exec}) {
    IsolatorOptions options;
    options.worker = "/nowhere/relapse-worker";
    options.spawn = mode;
    Isolator isolator = std::move(Isolator::create(options).value());
    EXPECT_EQ(
        run(isolator, request_for("")).why_not_started,
        "the worker \"/nowhere/relapse-worker\" cannot be run: No such file or directory. Build or install "
        "relapse-worker for the LibTorch of this machine. `relapse doctor` says what is missing.");
    EXPECT_EQ(isolator.running(), 0u);
  }
}

TEST(LostIsolator, SaysWhatAWorkerPrintedThatDoesNotGetReady) {
  EXPECT_EQ(run_with_start("fail").why_not_started,
            "the worker \"" RELAPSE_CHILD_WORKER
            "\" exited with status 3 before it was ready. It printed:\n"
            "  error while loading shared libraries: libexample.so.1: cannot open shared object file\n"
            "`relapse doctor` says what is missing.");
}

TEST(LostIsolator, SaysBySignalHowAWorkerDiedThatPrintedNothing) {
  EXPECT_EQ(run_with_start("crash").why_not_started,
            "the worker \"" RELAPSE_CHILD_WORKER
            "\" was killed by SIGSEGV before it was ready. It printed nothing.\n"
            "`relapse doctor` says what is missing.");
}

TEST(LostIsolator, SaysThatAFileIsNoProgram) {
  IsolatorOptions options;
  options.worker = "/etc";
  Isolator isolator = std::move(Isolator::create(options).value());
  EXPECT_EQ(run(isolator, request_for("")).why_not_started,
            "the worker \"/etc\" exited with status 127 before it was ready. It printed:\n"
            "  /etc: Permission denied\n"
            "`relapse doctor` says what is missing.");
}

TEST(LostIsolator, FallsBackToExecWhenAForkIsRefused) {
  IsolatorOptions options = test_options(SpawnMode::fork);
  options.zygote_environment.emplace_back("RELAPSE_TEST_REFUSE", "the zygote has 2 threads");
  Isolator isolator = std::move(Isolator::create(options).value());
  Seen seen = run(isolator, request_for(""));
  EXPECT_EQ(seen.lost, (std::vector<std::string>{"the zygote has 2 threads"}));
  EXPECT_EQ(seen.order, "xslllle");
  EXPECT_TRUE(seen.ending.done);
  Seen second = run(isolator, request_for(""));
  EXPECT_TRUE(second.lost.empty()) << "said once";
  EXPECT_TRUE(second.ending.done);
}

TEST(LostIsolator, EndsAttemptsAsLostWhenTheZygoteDiesAndExecsTheNext) {
  Isolator isolator = make_isolator(SpawnMode::fork);
  auto id = isolator.start(request_for("leak-and-hang"), {});
  ASSERT_TRUE(id) << id.error().message;
  Seen seen;
  std::vector<int> left;
  while (left.empty()) {
    auto event = isolator.next(std::chrono::steady_clock::now() + std::chrono::minutes(1));
    ASSERT_TRUE(event);
    if (auto* started = std::get_if<AttemptStarted>(&*event)) seen.pid = started->pid;
    if (auto* line = std::get_if<AttemptLine>(&*event); line && std::holds_alternative<Done>(line->message))
      for (const ProcessFacts& facts : living_trees({seen.pid})) left.push_back(facts.pid);
  }
  ASSERT_EQ(left.size(), 3u) << "the attempt, and two that it left";
  pid_t zygote = facts_of(seen.pid)->parent;
  ASSERT_EQ(::kill(zygote, SIGKILL), 0);
  finish(isolator, *id, seen);
  EXPECT_EQ(seen.order, "xe");
  EXPECT_EQ(seen.lost, (std::vector<std::string>{"the zygote was killed by SIGKILL. It printed nothing."}));
  EXPECT_EQ(seen.ending.cause, EndCause::lost);
  EXPECT_EQ(seen.ending.exit_status, -1);
  for (int pid : left) EXPECT_TRUE(is_gone(pid)) << pid;
  Seen next = run(isolator, request_for(""));
  EXPECT_TRUE(next.ending.done) << next.why_not_started;
  EXPECT_NE(facts_of(getpid())->pid, next.pid);
}

TEST(LostIsolator, NoticesAZygoteThatDiedBetweenTwoAttempts) {
  Isolator isolator = make_isolator(SpawnMode::fork);
  auto id = isolator.start(request_for("hang"), {});
  ASSERT_TRUE(id) << id.error().message;
  auto started = isolator.next(std::chrono::steady_clock::now() + std::chrono::minutes(1));
  ASSERT_TRUE(started);
  pid_t zygote = facts_of(std::get<AttemptStarted>(*started).pid)->parent;
  isolator.stop(*id, EndCause::interrupted);
  Seen first;
  finish(isolator, *id, first);
  ASSERT_EQ(::kill(zygote, SIGKILL), 0);
  ASSERT_TRUE(is_gone(zygote));
  Seen seen = run(isolator, request_for(""));
  EXPECT_EQ(seen.lost.size(), 1u);
  EXPECT_TRUE(seen.ending.done) << seen.why_not_started;
}

TEST(LostIsolator, GoesOnWithAnotherKeeperWhenItsOwnIsKilled) {
  Isolator isolator = make_isolator(SpawnMode::fork);
  auto id = isolator.start(request_for("hang"), {});
  ASSERT_TRUE(id) << id.error().message;
  auto started = isolator.next(std::chrono::steady_clock::now() + std::chrono::minutes(1));
  ASSERT_TRUE(started);
  Seen seen;
  seen.pid = std::get<AttemptStarted>(*started).pid;
  pid_t keeper = facts_of(facts_of(seen.pid)->parent)->parent;
  ASSERT_EQ(facts_of(keeper)->command, "relapse-keeper");
  ASSERT_EQ(::kill(keeper, SIGKILL), 0);
  finish(isolator, *id, seen);
  EXPECT_EQ(seen.ending.cause, EndCause::lost);
  EXPECT_TRUE(is_gone(seen.pid)) << "zygote and attempt die with their parents";
  Seen next = run(isolator, request_for(""));
  EXPECT_TRUE(next.ending.done) << next.why_not_started;
}

TEST(LostIsolator, EndsEverythingWhenItIsDestroyed) {
  for (SpawnMode mode : {SpawnMode::fork, SpawnMode::exec}) {
    std::vector<ProcessFacts> below;
    {
      Isolator isolator = make_isolator(mode);
      ASSERT_TRUE(isolator.start(request_for("leak-and-hang"), {}));
      for (bool done = false; !done;) {
        auto event = isolator.next(std::chrono::steady_clock::now() + std::chrono::minutes(1));
        ASSERT_TRUE(event);
        auto* line = std::get_if<AttemptLine>(&*event);
        done = line && std::holds_alternative<Done>(line->message);
      }
      below = living_trees(own_children());
      EXPECT_EQ(below.size(), 5u) << "keeper, spawner, attempt, and two that it left";
    }
    for (const ProcessFacts& facts : below) {
      auto now = facts_of(facts.pid);
      EXPECT_FALSE(now && now->alive()) << facts.command;
    }
  }
}

class KilledParent : public testing::TestWithParam<SpawnMode> {};
INSTANTIATE_TEST_SUITE_P(Isolator, KilledParent, testing::Values(SpawnMode::fork, SpawnMode::exec),
                         mode_name);

TEST_P(KilledParent, LeavesNothingNotEvenSessionsOfTheirOwn) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  pid_t parent = ::fork();
  if (parent == 0) {
    ::dup2(ends[1], 1);
    ::close(ends[0]);
    ::close(ends[1]);
    ::setenv("ASAN_OPTIONS", "handle_segv=0", 1);
    ::execl(RELAPSE_ABANDONED_PARENT, "relapse_abandoned_parent", RELAPSE_CHILD_WORKER,
            GetParam() == SpawnMode::fork ? "fork" : "exec", nullptr);
    ::_exit(127);
  }
  ::close(ends[1]);
  char said[16] = {};
  ASSERT_EQ(::read(ends[0], said, sizeof said - 1), 6);
  ASSERT_STREQ(said, "ready\n");
  std::vector<ProcessFacts> all = living_trees({parent});
  std::ostringstream names;
  for (const ProcessFacts& facts : all) names << facts.command << ' ';
  EXPECT_EQ(all.size(), 6u) << names.str();
  ASSERT_EQ(::kill(parent, SIGKILL), 0);
  ::waitpid(parent, nullptr, 0);
  for (const ProcessFacts& facts : all) EXPECT_TRUE(is_gone(facts.pid)) << facts.command;
  // Nobody holds its output either.
  EXPECT_EQ(::read(ends[0], said, sizeof said), 0);
  ::close(ends[0]);
}

}  // namespace
}  // namespace relapse
