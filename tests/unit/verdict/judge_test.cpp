#include <csignal>

#include "built.hpp"

namespace relapse {
namespace {

using namespace test;

const JudgeContext kContext{"2.15.0"};

Verdict judged(const Check& check, const Observation& observation) {
  return judge(check, observation, kContext);
}

// ---- held

TEST(Judge, HoldsWhereItReturnsAndNothingIsBroken) {
  const Verdict verdict = judged(check({returns()}), returned());
  EXPECT_EQ(verdict.kind, VerdictKind::held);
  EXPECT_EQ(verdict.promised, "returns, and every clause holds");
  EXPECT_EQ(verdict.signature, "held");
  EXPECT_EQ(verdict.pos, (SourcePos{15, 3}));
  EXPECT_TRUE(verdict.seen.empty());
}

TEST(Judge, HoldsWhereTheNamedClauseRefuses) {
  EXPECT_EQ(judged(check({rejected("target.max")}), rejection("target.max")).kind, VerdictKind::held);
  EXPECT_EQ(judged(check({rejected()}), rejection("target.max")).kind, VerdictKind::held);
}

TEST(Judge, HoldsWhereTheExpectedErrorIsRaised) {
  const Check one = check({raises({ErrorClass::index_error, ErrorClass::value_error}, {"beyond", "out of"})});
  EXPECT_EQ(judged(one, raised(ErrorClass::index_error, "3 is out of bounds")).kind, VerdictKind::held);
  EXPECT_EQ(judged(one, raised(ErrorClass::index_error, "3 is too large")).kind, VerdictKind::faulted);
  EXPECT_EQ(judged(one, raised(ErrorClass::runtime_error, "3 is out of bounds")).kind, VerdictKind::faulted);
  EXPECT_EQ(judged(check({raises({ErrorClass::any})}), raised(ErrorClass::linalg_error, "")).kind,
            VerdictKind::held);
}

// Only the first outcome of each kind used to count.
TEST(Judge, HoldsForEachOfSeveralOutcomesOfOneKind) {
  const Check errors =
      check({raises({ErrorClass::index_error}, {"out of"}), raises({ErrorClass::value_error})});
  EXPECT_EQ(judged(errors, raised(ErrorClass::value_error, "")).kind, VerdictKind::held);
  EXPECT_EQ(judged(errors, raised(ErrorClass::value_error, "out of")).kind, VerdictKind::held);
  EXPECT_EQ(judged(errors, raised(ErrorClass::index_error, "")).kind, VerdictKind::faulted)
      << "class and text belong together";
  const Check clauses = check({rejected("target.min"), rejected("target.max")});
  EXPECT_EQ(judged(clauses, rejection("target.max")).kind, VerdictKind::held);
  EXPECT_EQ(judged(clauses, rejection("target.dtype")).kind, VerdictKind::broken);
}

TEST(Judge, TakesAContractErrorForAnErrorThatTheCaseAsksFor) {
  EXPECT_EQ(judged(check({raises({ErrorClass::contract_error})}), rejection("target.max")).kind,
            VerdictKind::held);
  EXPECT_EQ(
      judged(check({raises({ErrorClass::contract_error}, {"target[3] = 3"})}), rejection("target.max")).kind,
      VerdictKind::held);
  EXPECT_EQ(
      judged(check({raises({ErrorClass::contract_error}, {"target.min"})}), rejection("target.max")).kind,
      VerdictKind::broken)
      << "its text counts";
  EXPECT_EQ(judged(check({raises({ErrorClass::index_error})}), rejection("target.max")).kind,
            VerdictKind::broken);
}

// ---- not enough was evaluated

TEST(Judge, GivesNoVerdictWhereClausesWereNotEvaluated) {
  Check one = check({returns()}, "batch-1");
  one.clauses = 11;
  const Verdict verdict = judged(one, returned());
  EXPECT_EQ(verdict.kind, VerdictKind::no_verdict);
  EXPECT_EQ(verdict.promised, "every clause is evaluated");
  EXPECT_EQ(verdict.seen, (Lines{"10 of at least 11 were"}));
  one.clauses = 10;
  EXPECT_EQ(judged(one, returned()).kind, VerdictKind::held);
  one.clauses = 11;
  EXPECT_EQ(judged(one, returned({breach("loss.min")})).kind, VerdictKind::broken) << "what broke says more";
}

TEST(Judge, BreaksWhereAGuardIsNotReached) {
  Observation observation = returned();
  observation.guards_expected = 2;
  observation.guards_reached = 1;
  const Verdict verdict = judged(check({returns()}), observation);
  EXPECT_EQ(verdict.kind, VerdictKind::broken);
  EXPECT_EQ(verdict.clause, "guard");
  EXPECT_EQ(verdict.promised, "every guard() is reached");
  EXPECT_EQ(verdict.seen, (Lines{"1 of 2 were"}));
  EXPECT_EQ(verdict.signature, "broken guard");
}

// ---- broken

TEST(Judge, BlamesTheFirstBrokenClauseAndListsTheOthers) {
  Breach first = breach("loss.same_as", 13);
  first.seen = "2.5 where 1.5 was due";
  first.details = {"close, float32: rtol 1e-4, atol 1e-5", "it would have passed at rtol 0.667"};
  const Verdict verdict = judged(check({returns()}), returned({first, breach("loss.min", 14)}));
  EXPECT_EQ(verdict.kind, VerdictKind::broken);
  EXPECT_EQ(verdict.clause, "loss.same_as");
  EXPECT_EQ(verdict.pos, (SourcePos{13, 7}));
  EXPECT_EQ(verdict.promised, "loss.same_as: C - 1 = 2");
  EXPECT_EQ(verdict.seen, (Lines{"2.5 where 1.5 was due", "close, float32: rtol 1e-4, atol 1e-5",
                                 "it would have passed at rtol 0.667", "also loss.min: loss[3] = 3"}));
  EXPECT_EQ(verdict.signature, "broken loss.same_as");
}

TEST(Judge, BreaksWhereTheWrongClauseRefuses) {
  const Verdict verdict = judged(check({rejected("target.max")}), rejection("target.dtype"));
  EXPECT_EQ(verdict.kind, VerdictKind::broken);
  EXPECT_EQ(verdict.clause, "target.dtype");
  EXPECT_EQ(verdict.promised, "rejected by target.max before anything reaches the device");
  EXPECT_EQ(verdict.seen, (Lines{"guard() refused it by target.dtype", "target[3] = 3"}));
  EXPECT_EQ(verdict.pos, (SourcePos{12, 7}));
  EXPECT_EQ(verdict.step, 0);
}

TEST(Judge, BreaksWhereABatchIsRefused) {
  const Verdict verdict = judged(check({returns()}, "batch-1"), rejection("target.max"));
  EXPECT_EQ(verdict.kind, VerdictKind::broken);
  EXPECT_EQ(verdict.promised, "returns, and every clause holds");
}

TEST(Judge, BreaksWhereItReturnedAndARejectionWasDue) {
  Observation observation = returned();
  observation.guards_expected = observation.guards_reached = 1;
  observation.requires_broken = {breach("target.max")};
  const Verdict verdict = judged(check({rejected("target.max")}), observation);
  EXPECT_EQ(verdict.kind, VerdictKind::broken);
  EXPECT_EQ(verdict.clause, "target.max");
  EXPECT_EQ(verdict.pos, (SourcePos{12, 7}));
  EXPECT_EQ(verdict.promised, "rejected by target.max before anything reaches the device");
  EXPECT_EQ(verdict.seen, (Lines{"accepted: the subject returned without complaint",
                                 "the input breaks target.max: C - 1 = 2: target[3] = 3"}));
}

TEST(Judge, SaysThatNoGuardStandsInTheSubject) {
  const Verdict verdict = judged(check({rejected()}), returned({breach("loss.finite")}));
  EXPECT_EQ(verdict.clause, "expect");
  EXPECT_EQ(verdict.pos, (SourcePos{17, 11}));
  EXPECT_EQ(verdict.promised, "rejected before anything reaches the device");
  EXPECT_EQ(verdict.seen, (Lines{"accepted: the subject returned without complaint",
                                 "no guard() stands in the subject", "and loss.finite: loss[3] = 3"}));
}

TEST(Judge, BreaksWhereWhatMustNotChangeChangedBeforeTheRejection) {
  Observation observation = rejection("target.max");
  observation.broken = {breach("logits.unchanged", 14)};
  const Verdict verdict = judged(check({rejected("target.max")}), observation);
  EXPECT_EQ(verdict.kind, VerdictKind::broken);
  EXPECT_EQ(verdict.clause, "logits.unchanged");
}

TEST(Judge, BreaksWhereWhatMustNotChangeChangedBeforeTheExpectedError) {
  Observation observation = raised(ErrorClass::index_error, "out of range");
  observation.broken = {breach("poison", 9)};
  EXPECT_EQ(judged(check({raises({ErrorClass::index_error})}), observation).kind, VerdictKind::broken);
}

TEST(Judge, HasNothingToHoldWithoutAnExpectation) {
  EXPECT_EQ(judged(check({}), returned()).kind, VerdictKind::broken);
  EXPECT_EQ(judged(check({}), rejection("x.max")).kind, VerdictKind::broken);
  EXPECT_EQ(judged(check({}), raised(ErrorClass::index_error, "")).kind, VerdictKind::faulted);
}

// ---- probes

Check probe_check(ProbeKind kind, std::vector<ClauseKind> aims) {
  Check one = check({kind == ProbeKind::min || kind == ProbeKind::max ? returns() : rejected()}, "boundary");
  one.probe = Probe{"target", kind, false, 0, std::move(aims)};
  return one;
}

TEST(Judge, HoldsAProbeThatAnAimedClauseRefuses) {
  const Check probe = probe_check(ProbeKind::above_max, {ClauseKind::max, ClauseKind::below});
  EXPECT_EQ(judged(probe, rejection("target.max")).kind, VerdictKind::held);
  EXPECT_EQ(judged(probe, rejection("target.below")).kind, VerdictKind::held);
  EXPECT_EQ(judged(probe, rejection("target.min")).kind, VerdictKind::broken);
  EXPECT_EQ(judged(probe, rejection("logits.max")).kind, VerdictKind::broken);
  const Verdict accepted = judged(probe, returned());
  EXPECT_EQ(accepted.kind, VerdictKind::broken);
  EXPECT_EQ(accepted.promised, "rejected, since target is out of what requires allows (above-max)");
  EXPECT_EQ(judged(probe_check(ProbeKind::max, {}), returned()).kind, VerdictKind::held);
}

TEST(Judge, LeavesAProbeOut) {
  Observation observation = returned();
  observation.kind = ObservedKind::left_out;
  observation.reason = "it has no element";
  const Verdict verdict = judged(probe_check(ProbeKind::max, {}), observation);
  EXPECT_EQ(verdict.kind, VerdictKind::left_out);
  EXPECT_EQ(verdict.reason, "it has no element");
  EXPECT_EQ(verdict.signature, "left_out");
}

// ---- faulted, relapsed

TEST(Judge, FaultsWhereAnotherErrorIsRaised) {
  Observation observation = raised(ErrorClass::index_error, "3 is out of bounds");
  observation.guards_expected = 1;
  observation.broken = {breach("logits.unchanged")};
  const Verdict verdict = judged(check({rejected("target.max")}), observation);
  EXPECT_EQ(verdict.kind, VerdictKind::faulted);
  EXPECT_EQ(verdict.promised, "rejected by target.max before anything reaches the device");
  EXPECT_EQ(verdict.seen, (Lines{"index_error \"3 is out of bounds\"", "guard() was not reached",
                                 "and logits.unchanged: logits[3] = 3"}));
  EXPECT_EQ(verdict.error, "index_error");
  EXPECT_EQ(verdict.step, 0);
  EXPECT_EQ(verdict.signature, "faulted index_error");
}

TEST(Judge, FaultsWhereTheDeviceIsUnwellAfterARejection) {
  Observation observation = rejection("target.max");
  observation.usable_after = false;
  const Verdict verdict = judged(check({rejected("target.max")}), observation);
  EXPECT_EQ(verdict.kind, VerdictKind::faulted);
  EXPECT_EQ(verdict.seen, (Lines{"rejected, but afterwards the device computed a wrong answer"}));
}

// A lost device tells of itself by an exception too; no expectation of a host error may take it for one.
TEST(Judge, NeverHoldsAfterTheDeviceWasLost) {
  Observation observation = raised(ErrorClass::runtime_error, "CUDA error: device-side assert triggered");
  observation.kind = ObservedKind::sticky_fault;
  EXPECT_EQ(judged(check({raises({ErrorClass::any})}), observation).kind, VerdictKind::faulted);
  observation.raised.reset();
  const Verdict verdict = judged(check({raises({ErrorClass::any})}), observation);
  EXPECT_EQ(verdict.kind, VerdictKind::no_verdict);
  EXPECT_EQ(verdict.seen, (Lines{"the child said that something was raised, but not what"}));
}

TEST(Judge, RelapsesWhereTheRecordedErrorIsBack) {
  Check one = check({rejected("target.max")});
  one.symptoms = {raises_symptom(ErrorClass::index_error, {"out of bounds"})};
  EXPECT_EQ(judged(one, raised(ErrorClass::index_error, "3 is out of bounds")).kind, VerdictKind::relapsed);
  EXPECT_EQ(judged(one, raised(ErrorClass::index_error, "3 is large")).kind, VerdictKind::faulted);
  EXPECT_EQ(judged(one, raised(ErrorClass::value_error, "out of bounds")).kind, VerdictKind::faulted);
}

TEST(Judge, RelapsesWhereTheRecordedClauseBreaks) {
  Check one = check({returns()});
  one.symptoms = {wrong_symptom("loss.same_as")};
  const Verdict verdict = judged(one, returned({breach("loss.min"), breach("loss.same_as")}));
  EXPECT_EQ(verdict.kind, VerdictKind::relapsed);
  EXPECT_EQ(verdict.clause, "loss.min") << "the first is still the one to look at";
  EXPECT_EQ(judged(one, returned({breach("loss.min")})).kind, VerdictKind::broken);
}

TEST(Judge, RelapsesWhereItIsAcceptedAgain) {
  Check one = check({rejected("target.max")});
  one.symptoms = {symptom(SymptomKind::accepted)};
  EXPECT_EQ(judged(one, returned()).kind, VerdictKind::relapsed);
}

// Every check of a case knows the symptoms; that a batch returns shows none.
TEST(Judge, TakesNoReturnThatIsDueForTheSymptomAccepted) {
  Check one = check({returns()}, "batch-1");
  one.symptoms = {symptom(SymptomKind::accepted)};
  EXPECT_EQ(judged(one, returned({breach("loss.min")})).kind, VerdictKind::broken);
}

// ---- case_error

TEST(Judge, PassesOnWhyACaseContradictsItself) {
  Observation observation = returned();
  observation.kind = ObservedKind::case_error;
  observation.reason = "the input of batch-1 breaks target.max";
  observation.reason_pos = {12, 7};
  observation.requires_broken = {breach("target.max")};
  const Verdict verdict = judged(check({returns()}, "batch-1"), observation);
  EXPECT_EQ(verdict.kind, VerdictKind::case_error);
  EXPECT_EQ(verdict.reason, "the input of batch-1 breaks target.max");
  EXPECT_EQ(verdict.clause, "target.max");
  EXPECT_EQ(verdict.pos, (SourcePos{12, 7}));
  EXPECT_EQ(verdict.signature, "case_error target.max");
  observation.reason_pos = {};
  EXPECT_EQ(judged(check({returns()}), observation).pos, (SourcePos{15, 3}));
}

// ---- endings

Verdict ending(const Ending& end, std::vector<Symptom> symptoms = {}, const StepRecord* step = nullptr) {
  Check one = check({rejected("target.max")});
  one.symptoms = std::move(symptoms);
  return judge_ending(one, end, step, kContext);
}

TEST(JudgeEnding, TimesOutAtTheDeadline) {
  Ending end = ended(EndCause::deadline);
  end.seconds = 60.04;
  StepRecord step;
  step.index = 1;
  step.text = "loss = cross_entropy_loss(logits, target)";
  const Verdict verdict = ending(end, {}, &step);
  EXPECT_EQ(verdict.kind, VerdictKind::timed_out);
  EXPECT_EQ(verdict.fault, FaultKind::hang);
  EXPECT_EQ(verdict.step, 1);
  EXPECT_EQ(verdict.seen, (Lines{"in step 2: loss = cross_entropy_loss(logits, target)",
                                 "no answer after 60.0 s; ended by SIGTERM"}));
  EXPECT_EQ(verdict.signature, "timed_out hang");
  end.grace_ran_out = true;
  EXPECT_EQ(ending(end).seen,
            (Lines{"no answer after 60.0 s; ended by SIGKILL, since SIGTERM was not enough"}));
}

TEST(JudgeEnding, FaultsWhereItCrashes) {
  Ending end = killed(SIGSEGV);
  end.core_dumped = true;
  const Verdict verdict = ending(end);
  EXPECT_EQ(verdict.kind, VerdictKind::faulted);
  EXPECT_EQ(verdict.fault, FaultKind::crash);
  EXPECT_EQ(verdict.seen, (Lines{"died by SIGSEGV (core dumped)"}));
  EXPECT_EQ(verdict.promised, "rejected by target.max before anything reaches the device");
  EXPECT_EQ(ending(killed(60)).seen, (Lines{"died by signal 60"}));
}

TEST(JudgeEnding, FaultsWhereItHeldTooMuchMemory) {
  Ending end = ended(EndCause::memory);
  end.max_rss = std::uint64_t{6} << 30;
  const Verdict verdict = ending(end);
  EXPECT_EQ(verdict.kind, VerdictKind::faulted);
  EXPECT_EQ(verdict.error, "out_of_memory");
  EXPECT_EQ(verdict.seen, (Lines{"it held 6 GiB of memory and was ended for that"}));
}

TEST(JudgeEnding, GivesNoVerdictWhereItJustEnds) {
  Ending end = exited(0);
  end.protocol_error = "half a line at the end: \"{\"";
  const Verdict verdict = ending(end);
  EXPECT_EQ(verdict.kind, VerdictKind::no_verdict);
  EXPECT_EQ(verdict.seen, (Lines{"the child ended with exit status 0 and gave no answer",
                                 "protocol: half a line at the end: \"{\""}));
  EXPECT_EQ(ending(ended(EndCause::lost)).seen,
            (Lines{"the process above it died, so how it ended is not known"}));
  EXPECT_EQ(ending(ended(EndCause::lost)).kind, VerdictKind::no_verdict);
}

TEST(JudgeEnding, IsNotRunWhereTheRunWasInterrupted) {
  const Verdict verdict = ending(ended(EndCause::interrupted));
  EXPECT_EQ(verdict.kind, VerdictKind::not_run);
  EXPECT_EQ(verdict.reason, "the run was interrupted");
}

TEST(JudgeEnding, RelapsesWhereTheRecordedDeathIsBack) {
  EXPECT_EQ(ending(killed(SIGSEGV), {fault_symptom(FaultKind::crash)}).kind, VerdictKind::relapsed);
  EXPECT_EQ(ending(ended(EndCause::deadline), {fault_symptom(FaultKind::hang)}).kind, VerdictKind::relapsed);
  EXPECT_EQ(ending(exited(1), {fault_symptom(FaultKind::crash)}).kind, VerdictKind::no_verdict);
}

// ---- checks that cannot be asked

TEST(NoRun, KeepsKindReasonAndPlace) {
  for (const VerdictKind kind : {VerdictKind::skipped, VerdictKind::not_run, VerdictKind::infrastructure,
                                 VerdictKind::case_error, VerdictKind::unstable}) {
    const Verdict verdict = no_run(kind, "no GPU here", check({returns()}));
    EXPECT_EQ(verdict.kind, kind);
    EXPECT_EQ(verdict.reason, "no GPU here");
    EXPECT_EQ(verdict.pos, (SourcePos{15, 3}));
    EXPECT_EQ(verdict.signature, to_string(kind));
    EXPECT_TRUE(verdict.promised.empty());
  }
}

TEST(Promises, AreSaidInWords) {
  const auto promised = [](std::vector<Outcome> expect) {
    return judged(check(std::move(expect)), returned()).promised;
  };
  EXPECT_EQ(promised({raises({ErrorClass::index_error, ErrorClass::type_error}, {"out of", "bad \"x\""})}),
            "raises index_error or type_error with \"out of\" or \"bad \\\"x\\\"\"");
  EXPECT_EQ(promised({rejected("a.max"), raises({ErrorClass::any}), raises({ErrorClass::value_error})}),
            "rejected by a.max before anything reaches the device, raises any or raises value_error");
}

}  // namespace
}  // namespace relapse
