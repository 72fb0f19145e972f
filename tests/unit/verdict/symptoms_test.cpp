#include <csignal>

#include "built.hpp"

namespace relapse {
namespace {

using namespace test;

const JudgeContext kNow{"2.15.0+cpu"};

TEST(Symptoms, ShowByClassAndText) {
  const Observation seen = raised(ErrorClass::index_error, "index 3 is out of range in self");
  EXPECT_TRUE(shows(raises_symptom(ErrorClass::index_error), seen, kNow));
  EXPECT_TRUE(shows(raises_symptom(ErrorClass::any), seen, kNow));
  EXPECT_TRUE(shows(raises_symptom(ErrorClass::index_error, {"beyond", "out of range"}), seen, kNow));
  EXPECT_FALSE(shows(raises_symptom(ErrorClass::index_error, {"beyond"}), seen, kNow));
  EXPECT_FALSE(shows(raises_symptom(ErrorClass::value_error), seen, kNow));
  EXPECT_FALSE(shows(raises_symptom(ErrorClass::any), returned(), kNow));
}

TEST(Symptoms, ShowOnlyInTheirVersions) {
  const Observation seen = raised(ErrorClass::index_error, "");
  Symptom symptom = raises_symptom(ErrorClass::index_error);
  symptom.torch = versions("<", {2, 11});
  EXPECT_FALSE(shows(symptom, seen, kNow));
  EXPECT_TRUE(shows(symptom, seen, {"2.10.1"}));
  symptom.torch = versions(">=", {2, 15});
  EXPECT_TRUE(shows(symptom, seen, kNow));
  Symptom crash = fault_symptom(FaultKind::crash);
  crash.torch = versions("<", {2, 11});
  EXPECT_FALSE(shows(crash, killed(SIGSEGV), kNow));
}

TEST(Symptoms, ShowAsBrokenClausesWhateverTheOutcome) {
  const Symptom wrong = wrong_symptom("x.unchanged");
  EXPECT_TRUE(shows(wrong, returned({breach("y.min"), breach("x.unchanged")}), kNow));
  EXPECT_FALSE(shows(wrong, returned({breach("y.min")}), kNow));
  Observation refused = rejection("x.max");
  refused.broken = {breach("x.unchanged")};
  EXPECT_TRUE(shows(wrong, refused, kNow)) << "unchanged counts after a rejection too";
}

TEST(Symptoms, MatchWhatWasSeenOfABrokenClause) {
  Symptom wrong = wrong_symptom("y.same_as");
  wrong.match = {"nan where"};
  Breach one = breach("y.same_as");
  one.seen = "1 of 4 elements differs; worst at [0]: nan where 1 was due";
  EXPECT_TRUE(shows(wrong, returned({one}), kNow));
  one.seen = "0 where 1 was due";
  EXPECT_FALSE(shows(wrong, returned({one}), kNow));
}

TEST(Symptoms, ShowAcceptanceByReturning) {
  EXPECT_TRUE(shows(symptom(SymptomKind::accepted), returned(), kNow));
  EXPECT_FALSE(shows(symptom(SymptomKind::accepted), rejection("x.max"), kNow));
}

TEST(Symptoms, TellCrashesBySignalAndOutput) {
  Symptom crash = fault_symptom(FaultKind::crash);
  EXPECT_TRUE(shows(crash, killed(SIGABRT), kNow));
  crash.signals = {"SIGSEGV", "SIGBUS"};
  EXPECT_TRUE(shows(crash, killed(SIGBUS), kNow));
  EXPECT_FALSE(shows(crash, killed(SIGABRT), kNow));
  crash.match = {"double free"};
  Ending end = killed(SIGSEGV);
  EXPECT_FALSE(shows(crash, end, kNow));
  end.err.text = "double free or corruption";
  EXPECT_TRUE(shows(crash, end, kNow));
  end.err.text = " free";
  end.out.text = "double";
  EXPECT_FALSE(shows(crash, end, kNow)) << "two descriptors are two texts";
  EXPECT_FALSE(shows(fault_symptom(FaultKind::crash), exited(139), kNow));
  Ending by_us = killed(SIGKILL);
  by_us.cause = EndCause::memory;
  EXPECT_FALSE(shows(fault_symptom(FaultKind::crash), by_us, kNow));
}

TEST(Symptoms, TellHangsByTheDeadlineAndOutput) {
  Symptom hang = fault_symptom(FaultKind::hang);
  EXPECT_TRUE(shows(hang, ended(EndCause::deadline), kNow));
  EXPECT_FALSE(shows(hang, ended(EndCause::interrupted), kNow));
  EXPECT_FALSE(shows(hang, killed(SIGTERM), kNow));
  hang.match = {"waiting for the lock"};
  EXPECT_FALSE(shows(hang, ended(EndCause::deadline), kNow));
  EXPECT_FALSE(shows(fault_symptom(FaultKind::device_assert), ended(EndCause::deadline), kNow));
}

TEST(Symptoms, DoNotMixObservationsAndEndings) {
  EXPECT_FALSE(shows(fault_symptom(FaultKind::crash), raised(ErrorClass::runtime_error, ""), kNow));
  EXPECT_FALSE(shows(raises_symptom(ErrorClass::any), killed(SIGSEGV), kNow));
  EXPECT_FALSE(shows(symptom(SymptomKind::unstable), returned({breach("y.min")}), kNow));
}

}  // namespace
}  // namespace relapse
