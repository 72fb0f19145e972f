#include "runs.hpp"

#include "../operator/names.hpp"

namespace relapse {
namespace {

using namespace test;

TEST(CheckRun, HoldsAWholeCase) {
  const Ran ran(loss_case());
  EXPECT_EQ(ran.others(), Lines{});
  EXPECT_EQ(ran.size(), 15u);
  EXPECT_EQ(ran.seen("failing").kind, ObservedKind::rejected);
  EXPECT_EQ(ran.seen("failing").rejected_by, "target.max");
  EXPECT_EQ(ran.seen("failing").step, 0);
  EXPECT_EQ(ran.seen("failing").guards_reached, 1);
  EXPECT_TRUE(ran.seen("failing").usable_after);
  EXPECT_EQ(ran.seen("failing").rejection->promised, "target.max: C - 1 = 2");
  EXPECT_EQ(ran.seen("failing").rejection->seen, "target[3] = 3");
  EXPECT_EQ(ran.seen("batch-1").kind, ObservedKind::returned);
  EXPECT_EQ(ran.seen("batch-1").step, -1);
  EXPECT_EQ(ran.seen("batch-1").guards_expected, 1);
  // Both sides once by the harness, requires once more by guard().
  EXPECT_EQ(ran.seen("batch-1").clauses_evaluated, 7 + 2 + 7);
  ASSERT_EQ(ran.seen("batch-1").inputs.size(), 2u);
  EXPECT_EQ(ran.seen("batch-1").inputs[1].max, "2");
  ASSERT_EQ(ran.seen("batch-1").results.size(), 1u);
  EXPECT_EQ(ran.seen("batch-1").results[0].facts.name, "loss");
}

TEST(CheckRun, RelapsesWithoutTheFix) {
  const Ran ran(
      loss_case({{"  expect:", "  symptom: {cpu: {raises: index_error, match: out of bounds}}\n  expect:"}}),
      Role::unfixed);
  EXPECT_EQ(ran.text("failing"), "relapsed: index_error \"Target 3 is out of bounds.\"");
  EXPECT_EQ(ran.text("corrected"), "held");
  EXPECT_EQ(ran.text("boundary:target.above-max.first").substr(0, 30), "relapsed: index_error \"Target ");
}

TEST(CheckRun, TellsEachStepAndWhatItReads) {
  const Ran ran(loss_case({{"failing:\n", "boundaries: off\nfailing:\n"}}));
  ASSERT_GE(ran.steps.size(), 3u);
  EXPECT_EQ(ran.steps[0].text, "guard()");
  EXPECT_EQ(ran.steps[0].index, 0);
  EXPECT_EQ(ran.steps[1].text, "guard()") << "of corrected: failing ended at its guard";
  EXPECT_EQ(ran.steps[2].text, "loss = cross_entropy_loss(logits, target)");
  EXPECT_EQ(ran.steps[2].index, 1);
  EXPECT_EQ(ran.steps[2].pos.line, 7);
  ASSERT_EQ(ran.steps[2].inputs.size(), 2u);
  EXPECT_EQ(ran.steps[2].inputs[0].name, "logits");
}

// ---- every kind of end

TEST(CheckRun, SeesErrors) {
  const Ran ran(loss_case(), Role::unfixed);
  const Observation& failing = ran.seen("failing");
  EXPECT_EQ(failing.kind, ObservedKind::raised);
  EXPECT_EQ(failing.raised->error, ErrorClass::index_error);
  EXPECT_EQ(failing.raised->text, "Target 3 is out of bounds.");
  EXPECT_EQ(failing.step, 0);
  EXPECT_EQ(ran.text("failing"), "faulted: index_error \"Target 3 is out of bounds.\"");
  EXPECT_EQ(ran.text("corrected"), "held");
}

TEST(CheckRun, BreaksWhereAnInputIsAcceptedThatMustNotBe) {
  const Ran ran(loss_case({{"cross_entropy_loss(logits, target)", "logits.sum()"}}), Role::unfixed);
  EXPECT_EQ(ran.text("failing"), "broken target.max: accepted: the subject returned without complaint");
  EXPECT_EQ(ran.text("boundary:target.above-max.last"),
            "broken target.max: accepted: the subject returned without complaint");
}

TEST(CheckRun, FindsBrokenClausesAfterAReturn) {
  const Ran ran(loss_case({{"finite: true}\nfailing", "finite: true, max: 0}\nfailing"}}));
  EXPECT_EQ(ran.text("batch-1").substr(0, 22), "broken loss.max: loss ");
  EXPECT_EQ(ran.seen("batch-1").kind, ObservedKind::returned);
  EXPECT_EQ(ran.text("failing"), "held") << "ensures says nothing of a rejection";
}

TEST(CheckRun, RefusesAFailingInputThatMeetsItsContract) {
  const Ran ran(loss_case({{"inputs: {target: [0, 1, 2, 3]}\n", "inputs: {target: [0, 1, 2, 2]}\n"}}));
  EXPECT_EQ(
      ran.text("failing"),
      "case_error: failing expects a rejection, but its input meets every clause of requires; a clause that "
      "the input breaks is missing, or the input is not the failing one at 15");
}

TEST(CheckRun, RefusesABatchThatBreaksTheContract) {
  const Ran ran(loss_case({{"{N: 8}", "{N: 1, inputs: {target: [7]}}"}}));
  EXPECT_EQ(ran.text("batch-1"),
            "case_error: the input of batch-1 breaks target.max: C - 1 = 2, but target[0] = 7 at 11");
  EXPECT_EQ(ran.verdict("batch-1").clause, "target.max");
}

TEST(CheckRun, SaysWhichInputNeedsAFormWhereARelationBreaks) {
  const Ran ran(loss_case({{"  ensures:\n", "    where: {first: \"target[0] == 9\"}\n  ensures:\n"}}));
  EXPECT_EQ(
      ran.text("batch-1"),
      "case_error: the input of batch-1 breaks where.first: target[0] == 9, but it is false; relations are "
      "checked, not solved: give target a form at 12");
}

TEST(CheckRun, RefusesUnknownOperatorsAndInputsThatCannotBeMade) {
  const Ran ran(loss_case({{"cross_entropy_loss(", "cross_entropy_los("}}));
  EXPECT_EQ(
      ran.text("batch-1"),
      "case_error: unknown operator aten::cross_entropy_los; did you mean \"cross_entropy_loss\"? at 7");
  EXPECT_EQ(ran.seen("batch-1").reason_pos, (SourcePos{7, 12}));
  const Ran shapes(loss_case({{"{N: 8}", "{N: 8, inputs: {target: '=arange(N) / none'}}"}}));
  EXPECT_EQ(shapes.verdict("batch-1").kind, VerdictKind::case_error);
  EXPECT_EQ(shapes.text("batch-2"), "held");
}

TEST(CheckRun, BreaksWhereUnchangedChanges) {
  const Ran ran(step_case("[y = x.add_(1)]", "{x: {dtype: float32, shape: [N]}}",
                          "{y: {shape: [N]}, x: {unchanged: true}}"));
  EXPECT_EQ(ran.text("batch-1").substr(0, 45), "broken x.unchanged: 8 of 8 elements changed; ");
}

TEST(CheckRun, LooksForChangesAlsoAfterARejection) {
  const Ran ran(
      loss_case({{"  - guard()\n", "  - logits.add_(1)\n  - guard()\n"},
                 {"loss: {shape: [], finite: true}", "loss: {shape: []}\n    logits: {unchanged: true}"}}));
  EXPECT_EQ(ran.seen("failing").kind, ObservedKind::rejected);
  EXPECT_EQ(ran.text("failing").substr(0, 48), "broken logits.unchanged: 12 of 12 elements chang");
}

TEST(CheckRun, AddsTheEnsuresOfTheScenario) {
  const Ran ran(loss_case({{"{N: 8}", "{N: 8, ensures: {loss: {max: 0}}}"}}));
  EXPECT_EQ(ran.text("batch-1").substr(0, 16), "broken loss.max:");
  EXPECT_EQ(ran.text("batch-2"), "held");
}

TEST(CheckRun, HoldsWhereTheExpectedErrorIsRaised) {
  const Ran ran(
      loss_case({{"  - guard()\n", ""},
                 {"expect: {rejected: target.max}", "expect: {raises: index_error, match: Target 3}"}}));
  EXPECT_EQ(ran.others(), Lines{});
}

// ---- poison

TEST(CheckRun, FindsWritesBetweenTheElementsOfAnInput) {
  const std::string inputs = "inputs: {x: {strides: [2]}}\n";
  const Ran good(step_case("[y = x * 2]", "{x: {dtype: float32, shape: [N]}}", "{y: {shape: [N]}}", inputs));
  EXPECT_EQ(good.others(), Lines{});
  const Ran bad(step_case("[\"x.as_strided([1], [1], 3).fill_(7.0)\", y = x * 2]",
                          "{x: {dtype: float32, shape: [N]}}", "{y: {shape: [N]}}", inputs));
  EXPECT_EQ(
      bad.text("batch-1"),
      "broken poison: element 3 of the storage, between the tensor's own, holds 7; it was not to be written");
  EXPECT_EQ(bad.verdict("batch-1").promised, "what lies between the elements of x is not touched");
}

TEST(CheckRun, FindsReadsBetweenTheElementsOfAnInput) {
  const Ran ran(step_case("[\"y = x.as_strided([N], [1]) * 2\"]", "{x: {dtype: float32, shape: [N]}}",
                          "{y: {shape: [N], finite: true}}", "inputs: {x: {strides: [2]}}\n"));
  EXPECT_EQ(ran.text("batch-1"), "broken y.finite: y[1] = nan");
}

// ---- results of steps that requires speaks of

TEST(CheckRun, LetsAGuardRefuseAResult) {
  const Edits result = {
      {"  - guard()\n", "  - target = raw + 1\n  - guard(target)\n"},
      {"    target:", "    raw: {dtype: int64, shape: [N], min: -1, max: 100}\n    target:"},
      {"inputs: {target: [0, 1, 2, 3]}", "inputs: {raw: [0, 1, 2, 3]}"},
      {"inputs: {target: [0, 1, 2, 3]}", "inputs: {raw: [0, 1, 2, 2]}"},
      {"{N: 8}", "{N: 1, inputs: {raw: [1]}}"},
      {"{N: 16, seed: 2}", "{N: 2, inputs: {raw: [-1, 1]}}\nboundaries: off"}};
  const Ran ran(loss_case(result));
  EXPECT_EQ(ran.others(), Lines{});
  EXPECT_EQ(ran.seen("failing").rejected_by, "target.max");
  EXPECT_TRUE(ran.seen("failing").requires_broken.empty());
}

// Nothing would ever have looked at such a clause.
TEST(CheckRun, RefusesRequiresOfAResultThatNoGuardLooksAt) {
  const Edits result = {{"    target:", "    extra: {min: 5}\n    target:"},
                        {"  - loss", "  - extra = target * 0\n  - loss"}};
  const Ran ran(loss_case(result));
  EXPECT_EQ(ran.text("batch-1"),
            "case_error: requires.extra is never checked: a step makes what it speaks of, and no guard() "
            "behind that "
            "step looks at it at 12");
  Edits guarded = result;
  guarded.push_back({"  - loss = cross_entropy_loss(logits, target)\n",
                     "  - guard(extra)\n  - loss = cross_entropy_loss(logits, target)\n"});
  EXPECT_EQ(Ran(loss_case(guarded)).text("batch-1"), "broken extra.min: guard() refused it by extra.min");
  const Ran relation(loss_case({{"  ensures:\n", "    where: {no: extra.sum() > 3}\n  ensures:\n"},
                                {"  - loss", "  - extra = target * 0\n  - loss"}}));
  EXPECT_EQ(relation.text("batch-1").substr(0, 48), "case_error: requires.where.no is never checked: ");
}

// A reference in requires used to end the process.
TEST(CheckRun, ComputesReferencesInRequiresToo) {
  const Edits reference = {{"    target: {dtype", "    other: {same_as: target * 2}\n    target: {dtype"},
                           {"subject:\n", "inputs: {other: =target + target}\nboundaries: off\nsubject:\n"},
                           {"(logits, target)", "(logits, target) + other.sum() * 0"}};
  EXPECT_EQ(Ran(loss_case(reference)).others(), Lines{});
  Edits wrong = reference;
  wrong[1].second = "inputs: {other: =target + 1}\nboundaries: off\nsubject:\n";
  const std::string text = Ran(loss_case(wrong)).text("batch-1");
  EXPECT_EQ(text.substr(0, 71), "case_error: the input of batch-1 breaks other.same_as: target * 2, but ")
      << text;
}

TEST(CheckRun, BreaksWhereAGuardIsLeftBehindAnEarlyEnd) {
  const Ran ran(loss_case({{"  - loss = cross_entropy_loss(logits, target)\n",
                            "  - loss = cross_entropy_loss(logits, target)\n  - guard(logits)\n"}}));
  EXPECT_EQ(ran.text("batch-1"), "held");
  EXPECT_EQ(ran.seen("batch-1").guards_expected, 2);
  EXPECT_EQ(ran.seen("batch-1").guards_reached, 2);
}

TEST(CheckRun, CountsEveryClauseThatThePlanCounts) {
  const Ran ran(
      loss_case({{"  ensures:\n", "  agrees: {float64: close, contiguous: on, repeat: exact}\n  ensures:\n"},
                 {"{N: 8}", "{N: 8, ensures: {loss: {max: 99}, where: {small: loss < 99}}}"}}));
  EXPECT_EQ(ran.others(), Lines{});
  EXPECT_EQ(ran.seen("batch-1").clauses_evaluated, 7 + 2 + 2 + 3 + 7);
}

TEST(CheckRun, HoldsWithGradients) {
  const Ran ran(step_case("[\"y = (x * x).sum()\", backward(y)]",
                          "{x: {dtype: float32, shape: [N], requires_grad: true}}",
                          "{y: {shape: []}, x.grad: {same_as: 2 * x}}"));
  EXPECT_EQ(ran.others(), Lines{});
  const Ran wrong(step_case("[\"y = (x * x).sum()\", backward(y)]",
                            "{x: {dtype: float32, shape: [N], requires_grad: true}}",
                            "{y: {shape: []}, x.grad: {same_as: 3 * x}}"));
  EXPECT_EQ(wrong.text("batch-1").substr(0, 29), "broken x.grad.same_as: 8 of 8");
}

TEST(CheckRun, DrawsAlikeInEveryRun) {
  const std::string text = step_case(
      "[y = x.bernoulli()]", "{x: {dtype: float32, shape: [N], min: 0, max: 1}}", "{y: {one_of: [0, 1]}}");
  const Ran first(text), second(text);
  EXPECT_EQ(first.seen("batch-1").results[0].hash, second.seen("batch-1").results[0].hash);
}

}  // namespace
}  // namespace relapse
