#include <csignal>
#include <harness/schedule/attempt_state.hpp>

#include "../verdict/built.hpp"

namespace relapse {
namespace {

using namespace test;

/// An attempt that is asked for three checks, each of which is to return.
class AttemptStateTest : public testing::Test {
 protected:
  AttemptStateTest() {
    for (const char* name : {"a", "b", "c"}) job_.checks.push_back(check({returns()}, name));
    state_.take(Hello{});
  }

  std::optional<Judgement> start(const std::string& name) { return state_.take(CheckStarted{name}); }
  std::optional<Judgement> answer(const std::string& name, std::vector<Breach> broken = {}) {
    Observation observation = returned(std::move(broken));
    observation.check = name;
    observation.seconds = 0.5;
    return state_.take(Observed{observation});
  }
  void hold(const std::string& name) {
    start(name);
    const std::optional<Judgement> judgement = answer(name);
    ASSERT_TRUE(judgement);
    EXPECT_EQ(judgement->verdict.kind, VerdictKind::held);
  }
  void end(const Ending& ending) {
    for (const Judgement& judgement : state_.finish(ending)) {
      ends_.push_back(judgement.check + " " + std::string(to_string(judgement.verdict.kind)));
      seen_.insert(seen_.end(), judgement.verdict.seen.begin(), judgement.verdict.seen.end());
      if (!judgement.verdict.reason.empty()) seen_.push_back(judgement.verdict.reason);
    }
  }

  Job job_;
  AttemptState state_{job_, {"a", "b", "c"}};
  Lines ends_, seen_;
};

TEST_F(AttemptStateTest, JudgesEachAnswerWhenItIsRead) {
  EXPECT_FALSE(start("a"));
  const std::optional<Judgement> judgement = answer("a", {breach("y.min")});
  ASSERT_TRUE(judgement);
  EXPECT_EQ(judgement->check, "a");
  EXPECT_EQ(judgement->verdict.kind, VerdictKind::broken);
  EXPECT_EQ(judgement->seconds, 0.5);
}

TEST_F(AttemptStateTest, DecidesNothingMoreAtAGoodEnd) {
  for (const char* name : {"a", "b", "c"}) hold(name);
  end(finished());
  EXPECT_EQ(ends_, Lines{});
  EXPECT_EQ(state_.left(), Lines{});
}

TEST_F(AttemptStateTest, GivesTheCheckThatWasUnderWayTheVerdictOfItsDeath) {
  hold("a");
  start("b");
  StepRecord step;
  step.index = 0;
  step.text = "y = f(x)";
  state_.take(StepStarted{"b", step});
  end(killed(SIGSEGV));
  EXPECT_EQ(ends_, Lines{"b faulted"});
  EXPECT_EQ(seen_, (Lines{"in step 1: y = f(x)", "died by SIGSEGV"}));
  EXPECT_EQ(state_.left(), Lines{"c"});
}

TEST_F(AttemptStateTest, ForgetsTheStepsOfAnEarlierCheck) {
  StepRecord step;
  step.text = "y = f(x)";
  start("a");
  state_.take(StepStarted{"a", step});
  answer("a");
  start("b");
  end(killed(SIGSEGV));
  EXPECT_EQ(seen_, Lines{"died by SIGSEGV"});
}

TEST_F(AttemptStateTest, WithdrawsTheLastAnswerOfAChildThatDiesWithoutItsToken) {
  for (const char* name : {"a", "b", "c"}) hold(name);
  end(killed(SIGABRT));
  EXPECT_EQ(ends_, Lines{"c no_verdict"});
  EXPECT_EQ(seen_, Lines{"its child answered, then died by SIGABRT before it gave its token"});
  EXPECT_EQ(state_.left(), Lines{});
}

TEST_F(AttemptStateTest, WithdrawsTheLastAnswerBetweenTwoChecks) {
  hold("a");
  end(exited(3));
  EXPECT_EQ(ends_, Lines{"a no_verdict"});
  EXPECT_EQ(seen_, Lines{"its child answered, then ended with exit status 3 without its token"});
  EXPECT_EQ(state_.left(), (Lines{"b", "c"}));
}

// A child that answered everything and then hung or ate all memory used to keep its green.
TEST_F(AttemptStateTest, WithdrawsTheLastAnswerOfAChildThatWasEndedBeforeItsToken) {
  const std::vector<std::pair<Ending, std::string>> ends = {
      {ended(EndCause::deadline), "its child answered, then went on for 61.0 s in all without its token"},
      {ended(EndCause::memory), "its child answered, then held too much memory before it gave its token"},
      {ended(EndCause::lost), "its child answered, then the process above it died before it gave its token"}};
  for (const auto& [ending, text] : ends) {
    state_ = AttemptState(job_, {"a"});
    ends_.clear();
    seen_.clear();
    hold("a");
    Ending timed = ending;
    timed.seconds = 61;
    timed.signal = SIGKILL;
    end(timed);
    EXPECT_EQ(ends_, Lines{"a no_verdict"});
    EXPECT_EQ(seen_, Lines{text});
  }
}

TEST_F(AttemptStateTest, LeavesNoGreenToAnInterruptedChild) {
  hold("a");
  end(ended(EndCause::interrupted));
  EXPECT_EQ(ends_, Lines{"a not_run"});
  EXPECT_EQ(seen_, Lines{"the run was interrupted before its child gave its token"});
  EXPECT_EQ(state_.left(), (Lines{"b", "c"}));
}

// With --fail-fast the red answer is why its child is ended.
TEST_F(AttemptStateTest, KeepsARedAnswerOfAnInterruptedChild) {
  start("a");
  answer("a", {breach("y.min")});
  end(ended(EndCause::interrupted));
  EXPECT_EQ(ends_, Lines{});
}

TEST_F(AttemptStateTest, TakesTheCheckUnderWayForNotRunWhereTheRunWasInterrupted) {
  hold("a");
  start("b");
  end(ended(EndCause::interrupted));
  EXPECT_EQ(ends_, Lines{"b not_run"});
  EXPECT_EQ(state_.left(), Lines{"c"});
}

TEST_F(AttemptStateTest, WithdrawsAllAnswersOfAChildThatBreaksTheProtocol) {
  hold("a");
  hold("b");
  Ending ending = finished();
  ending.protocol_error = "`done` came twice";
  end(ending);
  EXPECT_EQ(ends_, (Lines{"b no_verdict", "a no_verdict"}));
  EXPECT_EQ(seen_, (Lines{"its child broke the protocol: `done` came twice",
                          "its child broke the protocol: `done` came twice"}));
  EXPECT_EQ(state_.left(), Lines{"c"});
}

TEST_F(AttemptStateTest, WithdrawsAlsoWhatWasAnsweredBeforeACheckUnderWay) {
  hold("a");
  start("b");
  Ending ending = exited(0);
  ending.protocol_error = "half a line at the end";
  end(ending);
  EXPECT_EQ(ends_, (Lines{"b no_verdict", "a no_verdict"}));
  EXPECT_EQ(state_.left(), Lines{"c"});
}

TEST_F(AttemptStateTest, KeepsTheVerdictThatADeviceIsLost) {
  start("a");
  Observation observation = raised(ErrorClass::runtime_error, "device-side assert");
  observation.kind = ObservedKind::sticky_fault;
  observation.check = "a";
  observation.raised->code = 710;
  observation.device = DeviceState{710, "CUDA error: device-side assert triggered", true};
  EXPECT_FALSE(state_.take(Observed{observation})) << "what its kernels printed is not known yet";
  Ending ending = exited(0);
  ending.err.text = "/pytorch/Loss.cu:245: nll: block: [0,0,0], thread: [3,0,0] Assertion `t >= 0` failed.\n";
  end(ending);
  EXPECT_EQ(ends_, Lines{"a faulted"}) << "its child ends at once, without a token";
  EXPECT_EQ(seen_, (Lines{"device_assert: code 710 (device-side assert), sticky; launches were asynchronous",
                          "Loss.cu:245: `t >= 0`  block [0,0,0] thread [3,0,0], 1 thread",
                          "runtime_error \"device-side assert\""}));
  EXPECT_EQ(state_.suspect(), "a");
  EXPECT_EQ(state_.left(), (Lines{"b", "c"}));
}

TEST_F(AttemptStateTest, TrustsNoLostDeviceOfAChildThatBrokeTheProtocol) {
  start("a");
  Observation observation = raised(ErrorClass::runtime_error, "device-side assert");
  observation.kind = ObservedKind::sticky_fault;
  observation.check = "a";
  state_.take(Observed{observation});
  Ending ending = exited(0);
  ending.protocol_error = "half a line at the end";
  end(ending);
  EXPECT_EQ(ends_, Lines{"a no_verdict"});
}

TEST_F(AttemptStateTest, BlamesTheLibraryThatEndedTheProcess) {
  state_.take(Hello{});
  state_.take(Loading{"/ops.so"});
  Ending ending = killed(SIGABRT);
  ending.err.text = "terminate called\n  what(): Only a single TORCH_LIBRARY can be used\n";
  end(ending);
  EXPECT_EQ(ends_, (Lines{"a infrastructure", "b infrastructure", "c infrastructure"}));
  EXPECT_EQ(seen_.front(),
            "the process died by SIGABRT while it loaded the library \"/ops.so\"\nterminate called\n"
            "  what(): Only a single TORCH_LIBRARY can be used");
  EXPECT_EQ(state_.left(), Lines{}) << "a new process would end in the same way";
}

TEST_F(AttemptStateTest, SuspectsTheDeviceBehindCrashesAndTimeOuts) {
  hold("a");
  start("b");
  end(ended(EndCause::deadline));
  EXPECT_EQ(state_.suspect(), "b");
  AttemptState fine(job_, {"a"});
  fine.finish(ended(EndCause::interrupted));
  EXPECT_EQ(fine.suspect(), "");
}

TEST_F(AttemptStateTest, CostsTheFirstCheckTheVerdictWhereNothingIsAnswered) {
  end(killed(SIGSEGV));
  EXPECT_EQ(ends_, Lines{"a faulted"});
  EXPECT_EQ(state_.left(), (Lines{"b", "c"}));
}

TEST_F(AttemptStateTest, CostsTheFirstCheckTheVerdictWhereATokenComesWithoutAnswers) {
  end(finished());
  EXPECT_EQ(ends_, Lines{"a no_verdict"});
  EXPECT_EQ(seen_, Lines{"the child ended with exit status 0 and gave no answer"});
  EXPECT_EQ(state_.left(), (Lines{"b", "c"}));
}

TEST_F(AttemptStateTest, LeavesAllToNobodyWhereItWasInterruptedBeforeItBegan) {
  end(ended(EndCause::interrupted));
  EXPECT_EQ(ends_, Lines{});
  EXPECT_EQ(state_.left(), (Lines{"a", "b", "c"}));
}

TEST_F(AttemptStateTest, TakesAnswersInWhateverOrder) {
  hold("c");
  hold("a");
  end(finished());
  EXPECT_EQ(ends_, Lines{});
  EXPECT_EQ(state_.left(), Lines{"b"});
}

TEST_F(AttemptStateTest, TakesNoSecondAnswerAndNoneThatWasNotAsked) {
  hold("a");
  EXPECT_FALSE(answer("a", {breach("y.min")}));
  EXPECT_FALSE(answer("z"));
}

// Whatever a child does, at least one check is settled or the run is over: otherwise it would be tried for
// ever.
TEST_F(AttemptStateTest, AlwaysMakesProgress) {
  for (const EndCause cause : {EndCause::by_itself, EndCause::deadline, EndCause::memory, EndCause::lost}) {
    for (int said = 0; said < 4; ++said) {
      for (const bool done : {false, true}) {
        for (const bool broken : {false, true}) {
          AttemptState state(job_, {"a", "b", "c"});
          if (said == 1) state.take(CheckStarted{"z"});
          if (said == 2) state.take(CheckStarted{"b"});
          if (said == 3) {
            state.take(CheckStarted{"b"});
            Observation observation = returned();
            observation.check = "b";
            state.take(Observed{observation});
          }
          Ending ending = ended(cause);
          ending.done = done;
          if (broken) ending.protocol_error = "x";
          state.finish(ending);
          EXPECT_LT(state.left().size(), 3u) << int(cause) << said << done << broken;
        }
      }
    }
  }
}

TEST_F(AttemptStateTest, JudgesByTheVersionThatTheChildTold) {
  job_.checks[0].symptoms = {wrong_symptom("y.min")};
  job_.checks[0].symptoms[0].torch = versions("<", {2, 11});
  Hello hello;
  hello.torch_version = "2.10.0";
  state_.take(hello);
  start("a");
  EXPECT_EQ(answer("a", {breach("y.min")})->verdict.kind, VerdictKind::relapsed);
}

}  // namespace
}  // namespace relapse
