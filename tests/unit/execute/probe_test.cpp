#include <harness/execute/probe.hpp>
#include <harness/plan/probes.hpp>

#include "../operator/names.hpp"
#include "runs.hpp"

namespace relapse {
namespace {

using namespace test;

/// What each probe makes of `x`, as text, or why it cannot be asked.
std::map<std::string, std::string> probed(const std::string& clauses, const std::string& form = "generated",
                                          const std::string& more = "") {
  const std::string text = step_case("[y = x]", "{x: {" + clauses + "}" + more + "}", "{y: {rank: {max: 4}}}",
                                     "inputs: {x: " + form + "}\nboundaries: [x]\ncorrected: {}\n");
  ReadResult read = read_case(text, "c.yaml", "c");
  for (const Diagnostic& diagnostic : read.diagnostics) ADD_FAILURE() << format(diagnostic);
  std::map<std::string, std::string> all;
  if (!read.value) return all;
  AttemptContext context;
  context.kase = &*read.value;
  for (const Check& check : plan(*read.value, "cpu")) {
    if (!check.probe) continue;
    FormResult<Inputs> inputs = inputs_of(context, check);
    if (!inputs) {
      all[check.name] = inputs.error().message;
      continue;
    }
    const std::string left_out = apply_probe(*read.value, *check.probe, *inputs);
    all[check.name.substr(check.name.find('.') + 1)] =
        left_out.empty() ? text_of(inputs->find("x")->value.toTensor()) : left_out;
  }
  return all;
}

TEST(Probe, PutsBoundsIntoTheFirstAndTheLastElement) {
  auto x = probed("dtype: int64, shape: [4], min: 2, max: N + 3", "[3, 3, 3, 3]");
  EXPECT_EQ(x["min.first"], "int64 [4] 2 3 3 3");
  EXPECT_EQ(x["min.last"], "int64 [4] 3 3 3 2");
  EXPECT_EQ(x["max.first"], "int64 [4] 7 3 3 3");
  EXPECT_EQ(x["below-min.first"], "int64 [4] 1 3 3 3");
  EXPECT_EQ(x["above-max.last"], "int64 [4] 3 3 3 8");
}

TEST(Probe, TakesOneStepInwardFromAnOpenBound) {
  auto x = probed("dtype: int64, shape: [4], above: 2, below: 7", "[3, 3, 3, 3]");
  EXPECT_EQ(x["min.first"], "int64 [4] 3 3 3 3");
  EXPECT_EQ(x["max.first"], "int64 [4] 6 3 3 3");
  EXPECT_EQ(x["below-min.first"], "int64 [4] 2 3 3 3");
  EXPECT_EQ(x["above-max.first"], "int64 [4] 7 3 3 3");
}

TEST(Probe, TakesTheNextFloatOfTheDtype) {
  auto x = probed("dtype: float16, shape: [1], min: 1, above: -5, below: 2", "[1.5]");
  EXPECT_EQ(x["min.first"], "float16 [1] 1");
  EXPECT_EQ(x["below-min.first"], "float16 [1] 0.9995");
  EXPECT_EQ(x["above-max.first"], "float16 [1] 2");
  EXPECT_EQ(x["max.first"], "float16 [1] 1.999");
}

TEST(Probe, RoundsABoundThatIsNoInteger) {
  auto x = probed("dtype: int32, shape: [1], min: 0.5, max: 2.5", "[1]");
  EXPECT_EQ(x["min.first"], "int32 [1] 1");
  EXPECT_EQ(x["below-min.first"], "int32 [1] 0");
  EXPECT_EQ(x["max.first"], "int32 [1] 2");
  EXPECT_EQ(x["above-max.first"], "int32 [1] 3");
}

TEST(Probe, AsksForTheNeighboursOfExceptions) {
  auto x = probed("dtype: int64, shape: [1], min: 0, except: [-100]", "[1]");
  EXPECT_EQ(x["below-except-1.first"], "int64 [1] -101");
  EXPECT_EQ(x["above-except-1.first"], "int64 [1] -99");
}

TEST(Probe, SaysWhereNothingLiesBeyondABound) {
  auto x = probed("dtype: uint8, shape: [1], min: 0, max: 255", "[1]");
  EXPECT_EQ(x["below-min.first"], "no uint8 lies beyond the bound");
  EXPECT_EQ(x["above-max.first"], "no uint8 lies beyond the bound");
  EXPECT_EQ(x["max.first"], "uint8 [1] 255");
  EXPECT_EQ(probed("dtype: bool, shape: [1], max: 1", "[true]")["above-max.first"],
            "no bool lies beyond the bound");
  EXPECT_EQ(probed("dtype: int64, shape: [1], min: -9223372036854775808", "[1]")["below-min.first"],
            "no int64 lies beyond the bound");
  EXPECT_EQ(probed("dtype: float32, shape: [1], max: inf", "[1.0]")["max.first"],
            "no finite float32 lies beyond the bound");
  EXPECT_EQ(probed("dtype: int64, shape: [0], min: 0", "zeros")["min.first"], "it has no element");
}

TEST(Probe, WritesThroughTheLayout) {
  auto x = probed("dtype: int64, shape: [2, 3], min: 0, max: 9", "{fill: ones, strides: [1, 2]}");
  EXPECT_EQ(x["max.last"], "int64 [2, 3] 1 1 1 1 1 9");
}

TEST(Probe, ViolatesOneClauseAtATime) {
  auto x = probed("dtype: float32, shape: [4], finite: true", "[1.0, 2.0, 3.0, 4.0]");
  EXPECT_EQ(x["dtype"], "float64 [4] 1 2 3 4");
  EXPECT_EQ(x["rank"], "float32 [1, 4] 1 2 3 4");
  EXPECT_EQ(x["extent"], "float32 [5] 1 2 3 4 4");
  EXPECT_EQ(x["nan"], "float32 [4] nan 2 3 4");
  EXPECT_EQ(probed("dtype: int64, shape: [1]", "[1]")["dtype"], "int32 [1] 1");
  EXPECT_EQ(probed("dtype: [int64, int32, int16], shape: [1]", "[1]")["dtype"],
            "every dtype of its kind is allowed");
  EXPECT_EQ(probed("dtype: [float32, int64], shape: [1]", "{values: [1], dtype: int64}")["nan"],
            "its dtype has no NaN");
  EXPECT_EQ(probed("dtype: float32, shape: []", "{full: 1.0}")["extent"], "it has no extent to grow");
}

// `max: rows - 1` of a number used to be a mistake of the case.
TEST(Probe, TakesBoundsFromOtherInputs) {
  const Ran ran(
      loss_case({{"max: C - 1", "max: classes - 1"},
                 {"    logits:", "    classes: {min: 1}\n    logits:"},
                 {"subject:\n", "inputs: {classes: 3}\nboundaries: [target]\nsubject:\n"},
                 {"(logits, target)", "(logits, target) + classes"},
                 {"corrected: {dims: {C: 4}, inputs: {", "corrected: {dims: {C: 4}, inputs: {classes: 4, "},
                 {"{N: 8}", "{N: 2, inputs: {target: [0, 2]}}"},
                 {"{N: 16, seed: 2}", "{N: 2, inputs: {target: [1, 0]}}"}}));
  EXPECT_EQ(ran.others(), Lines{});
  EXPECT_EQ(ran.seen("boundary:target.above-max.first").kind, ObservedKind::rejected);
}

TEST(Probe, IsLeftOutWhereItAlsoBreaksSomethingElse) {
  const Ran ran(loss_case({{"max: C - 1}", "max: C - 1, sorted: nondecreasing}"},
                           {"corrected: {dims: {C: 4}, inputs: {target: [0, 1, 2, 3]}}",
                            "corrected: {inputs: {target: [0, 1, 2, 2]}}"},
                           {"{N: 8}", "{N: 1}"},
                           {"{N: 16, seed: 2}", "{N: 1, seed: 2}"}}));
  EXPECT_EQ(ran.text("boundary:target.max.first"), "left_out: it also breaks target.sorted at 11");
  EXPECT_EQ(ran.text("boundary:target.min.first"), "held");
  EXPECT_EQ(ran.text("boundary:target.above-max.first"), "left_out: it also breaks target.sorted at 11");
  EXPECT_EQ(ran.text("boundary:target.above-max.last"), "held");
}

TEST(Probe, IsLeftOutWhereItBreaksNothing) {
  const Ran ran(loss_case({{"min: 0, max: C - 1", "min: 0, max: C - 1, except: [1]"}}));
  EXPECT_EQ(ran.text("boundary:target.below-except-1.first"), "left_out: it breaks no clause at 11");
}

}  // namespace
}  // namespace relapse
