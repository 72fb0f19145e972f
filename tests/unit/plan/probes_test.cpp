#include <gmock/gmock.h>

#include <harness/plan/probes.hpp>

#include "planned.hpp"

namespace relapse {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;
using namespace test;

/// The probes of a case of which `logits` says this.
std::vector<std::string> probes_with(const std::string& clauses, const std::string& boundaries = "[logits]",
                                     const Edits& more = {}) {
  Edits edits = {{"logits: {dtype: float32, shape: [N, C], finite: true}", "logits: {" + clauses + "}"},
                 {"failing:\n", "boundaries: " + boundaries + "\nfailing:\n"}};
  edits.insert(edits.end(), more.begin(), more.end());
  std::vector<std::string> names;
  for (const Probe& probe : probes_of(read(edits), "cpu")) names.push_back(probe_name(probe));
  return names;
}

TEST(Probes, AreNoneWhereBoundariesAreOff) {
  EXPECT_THAT(probes_with("dtype: float32, min: 0", "off"), IsEmpty());
}

TEST(Probes, AreOfNamesWithARangeUnlessTheCaseNamesOthers) {
  const Case kase = read();
  for (const Probe& probe : probes_of(kase, "cpu")) EXPECT_EQ(probe.name, "target");
  EXPECT_THAT(probes_with("dtype: float32, shape: [N, C], finite: true"),
              ElementsAre("violation:logits.dtype", "violation:logits.rank", "violation:logits.extent",
                          "violation:logits.nan"));
}

TEST(Probes, AreNoneWhereTheFixIsNoRejection) {
  const Edits returns = {{"  symptom: {cpu: {raises: index_error}, cuda: {fault: device_assert}}\n", ""},
                         {"expect: {rejected: target.max}", "expect: {raises: index_error}"}};
  EXPECT_THAT(probes_of(read(returns), "cpu"), IsEmpty());
  Edits named = returns;
  named.push_back({"failing:\n", "boundaries: [target]\nfailing:\n"});
  EXPECT_EQ(probes_of(read(named), "cpu").size(), 11u) << "named ones are probed all the same";
}

TEST(Probes, AskForEachEndOfARangeAtTheFirstAndTheLastElement) {
  EXPECT_THAT(
      probes_with("dtype: int64, min: 0"),
      ElementsAre("boundary:logits.min.first", "boundary:logits.below-min.first", "boundary:logits.min.last",
                  "boundary:logits.below-min.last", "violation:logits.dtype"));
  EXPECT_THAT(
      probes_with("dtype: int64, max: 5"),
      ElementsAre("boundary:logits.max.first", "boundary:logits.above-max.first", "boundary:logits.max.last",
                  "boundary:logits.above-max.last", "violation:logits.dtype"));
  EXPECT_THAT(
      probes_with("dtype: int64, above: 0, below: 5"),
      ElementsAre("boundary:logits.min.first", "boundary:logits.max.first", "boundary:logits.below-min.first",
                  "boundary:logits.above-max.first", "boundary:logits.min.last", "boundary:logits.max.last",
                  "boundary:logits.below-min.last", "boundary:logits.above-max.last",
                  "violation:logits.dtype"));
}

TEST(Probes, AskForTheNeighboursOfEveryException) {
  EXPECT_THAT(probes_with("dtype: int64, min: 0, except: [-100, -1]"),
              ElementsAre("boundary:logits.min.first", "boundary:logits.below-min.first",
                          "boundary:logits.below-except-1.first", "boundary:logits.above-except-1.first",
                          "boundary:logits.below-except-2.first", "boundary:logits.above-except-2.first",
                          "boundary:logits.min.last", "boundary:logits.below-min.last",
                          "boundary:logits.below-except-1.last", "boundary:logits.above-except-1.last",
                          "boundary:logits.below-except-2.last", "boundary:logits.above-except-2.last",
                          "violation:logits.dtype"));
}

TEST(Probes, ViolateRankAndExtentAsTheClausesSay) {
  EXPECT_THAT(probes_with("shape: [N, C]"), ElementsAre("violation:logits.rank", "violation:logits.extent"));
  EXPECT_THAT(probes_with("rank: 2, requires_grad: false"), ElementsAre("violation:logits.rank"));
  EXPECT_THAT(probes_with("numel: 12, rank: 2"),
              ElementsAre("violation:logits.rank", "violation:logits.extent"));
}

TEST(Probes, AskForANaNOnlyOfFloatsThatMayHaveNone) {
  EXPECT_THAT(probes_with("dtype: float32"), ElementsAre("violation:logits.dtype", "violation:logits.nan"));
  EXPECT_THAT(probes_with("dtype: int64"), ElementsAre("violation:logits.dtype"));
  EXPECT_THAT(probes_with("dtype: F", "[logits]", {{"dims:", "dtypes: {F: float16}\ndims:"}}),
              ElementsAre("violation:logits.dtype", "violation:logits.nan"));
  EXPECT_THAT(probes_with("dtype: F", "[logits]", {{"dims:", "dtypes: {F: int32}\ndims:"}}),
              ElementsAre("violation:logits.dtype"));
  EXPECT_THAT(
      probes_with("dtype: float32, min: 0, nan: allow"),
      ElementsAre("boundary:logits.min.first", "boundary:logits.below-min.first", "boundary:logits.min.last",
                  "boundary:logits.below-min.last", "violation:logits.dtype"));
}

TEST(Probes, AimAtTheClausesThatTheyMeanToBreak) {
  using Kinds = std::vector<ClauseKind>;
  std::map<std::string, Kinds> aims;
  for (const Probe& probe : probes_of(read(), "cpu")) {
    aims[probe_name(probe)] = probe.aims;
    EXPECT_EQ(probe.must_hold(), probe.aims.empty()) << probe_name(probe);
  }
  EXPECT_EQ(aims["boundary:target.below-min.first"], (Kinds{ClauseKind::min, ClauseKind::above}));
  EXPECT_EQ(aims["boundary:target.above-max.last"], (Kinds{ClauseKind::max, ClauseKind::below}));
  EXPECT_EQ(aims["violation:target.rank"], (Kinds{ClauseKind::shape, ClauseKind::rank}));
  EXPECT_EQ(aims["violation:target.extent"], (Kinds{ClauseKind::shape, ClauseKind::numel}));
  EXPECT_EQ(aims["violation:target.dtype"], Kinds{ClauseKind::dtype});
}

TEST(Probes, LeaveResultsOfStepsAlone) {
  const Edits edits = {{"  - guard()\n", "  - target = cat([raw, raw])\n  - guard(target)\n"},
                       {"    target:", "    raw: {dtype: int64, shape: [2], min: 0, max: 8}\n    target:"},
                       {"inputs: {target: [0, 1, 2, 3]}", "inputs: {raw: [1, 9]}"},
                       {"expect: {rejected: target.max}", "expect: {rejected: raw.max}"},
                       {"inputs: {target: [0, 1, 2, 3]}", "inputs: {raw: [1, 2]}"}};
  for (const Probe& probe : probes_of(read(edits), "cpu")) EXPECT_EQ(probe.name, "raw");
}

TEST(Probes, NeedACorrectedInputToStartFrom) {
  Case kase = read();
  kase.corrected.clear();
  EXPECT_THAT(probes_of(kase, "cpu"), IsEmpty());
}

}  // namespace
}  // namespace relapse
