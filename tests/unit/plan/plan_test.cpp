#include "planned.hpp"

#include <gmock/gmock.h>

#include <harness/plan/observation.hpp>
#include <set>

namespace relapse {
namespace {

using testing::ElementsAre;
using namespace test;

const Check& named(const std::vector<Check>& checks, const std::string& name) {
  for (const Check& check : checks) {
    if (check.name == name) return check;
  }
  ADD_FAILURE() << "no check " << name;
  return checks.front();
}

TEST(Plan, OrdersFailingCorrectedBatchesBoundariesViolations) {
  EXPECT_THAT(
      planned({}),
      ElementsAre("failing", "corrected", "batch-1", "batch-2", "boundary:target.min.first",
                  "boundary:target.max.first", "boundary:target.below-min.first",
                  "boundary:target.above-max.first", "boundary:target.min.last", "boundary:target.max.last",
                  "boundary:target.below-min.last", "boundary:target.above-max.last",
                  "violation:target.dtype", "violation:target.rank", "violation:target.extent"));
}

TEST(Plan, GivesEveryCheckItsKindExpectationAndPlace) {
  const std::vector<Check> checks = plan(read(), "cpu");
  const Check& failing = named(checks, "failing");
  EXPECT_EQ(failing.kind, CheckKind::failing);
  EXPECT_EQ(failing.role, Role::fixed);
  ASSERT_EQ(failing.expect.size(), 1u);
  EXPECT_EQ(failing.expect[0].kind, OutcomeKind::rejected);
  EXPECT_EQ(failing.expect[0].clause, "target.max");
  EXPECT_EQ(failing.pos, (SourcePos{15, 3}));

  const Check& batch = named(checks, "batch-2");
  EXPECT_EQ(batch.kind, CheckKind::batch);
  ASSERT_EQ(batch.expect.size(), 1u);
  EXPECT_EQ(batch.expect[0].kind, OutcomeKind::returns);
  EXPECT_EQ(batch.scenario.seed, 2u);
  EXPECT_EQ(batch.pos, (SourcePos{21, 5}));

  const Check& inside = named(checks, "boundary:target.max.first");
  EXPECT_EQ(inside.kind, CheckKind::boundary);
  EXPECT_EQ(inside.expect[0].kind, OutcomeKind::returns);
  EXPECT_EQ(inside.pos, (SourcePos{11, 48})) << "the bound, where the reader should look";
  EXPECT_EQ(inside.scenario.name, "corrected");

  const Check& outside = named(checks, "boundary:target.above-max.first");
  EXPECT_EQ(outside.expect[0].kind, OutcomeKind::rejected);
  EXPECT_EQ(outside.expect[0].clause, "") << "the probe says which clauses count";
  EXPECT_EQ(outside.pos, (SourcePos{11, 48}));

  const Check& dtype = named(checks, "violation:target.dtype");
  EXPECT_EQ(dtype.kind, CheckKind::violation);
  EXPECT_EQ(dtype.pos, (SourcePos{11, 14}));
}

TEST(Plan, KeepsSymptomsOfTheDeviceOnly) {
  const Case kase = read();
  EXPECT_EQ(plan(kase, "cpu").front().symptoms.front().kind, SymptomKind::raises);
  EXPECT_EQ(plan(kase, "cuda").front().symptoms.front().kind, SymptomKind::fault);
  EXPECT_EQ(plan(kase, "npu").front().symptoms.front().kind, SymptomKind::fault)
      << "another accelerator shows what CUDA showed";
}

TEST(Plan, TakesTheExpectationOfTheDevice) {
  const Case kase =
      read({{"expect: {rejected: target.max}", "expect: {cpu: {raises: index_error}, cuda: rejected}"}});
  EXPECT_EQ(plan(kase, "cpu").front().expect.front().kind, OutcomeKind::raises);
  EXPECT_EQ(plan(kase, "cuda").front().expect.front().kind, OutcomeKind::rejected);
  // Boundaries are for rejections, so only CUDA has them.
  EXPECT_EQ(names_of(plan(kase, "cpu")).size(), 4u);
  EXPECT_GT(names_of(plan(kase, "cuda")).size(), 4u);
}

TEST(Plan, NamesSeveralFailingAndCorrectedInputs) {
  const std::string failing =
      "failing:\n"
      "  - {name: above one, inputs: {target: [0, 1, 2, 3]}, expect: {rejected: target.max}}\n"
      "  - {name: 'far/out: x', inputs: {target: [0, 1, 2, 9]}, expect: {rejected: target.max}}\n"
      "boundaries: off\n";
  std::string text = rejection_case();
  const std::size_t from = text.find("failing:"), to = text.find("corrected:");
  text.replace(from, to - from, failing);
  const Case kase = read(text);
  EXPECT_THAT(names_of(plan(kase, "cpu")),
              ElementsAre("failing:above-one", "failing:far-out--x", "corrected", "batch-1", "batch-2"));
}

TEST(Plan, NamesALoneFailingInputOnlyWhereItIsNamed) {
  EXPECT_THAT(planned({{"failing:\n", "boundaries: off\nfailing:\n  name: one over\n"}}),
              ElementsAre("failing:one-over", "corrected", "batch-1", "batch-2"));
  EXPECT_THAT(
      planned({{"failing:\n", "boundaries: off\nfailing:\n"}, {"corrected: {", "corrected: {name: wide, "}}),
      ElementsAre("failing", "corrected:wide", "batch-1", "batch-2"));
}

TEST(Plan, MultipliesBatchesOutInFileOrderTheLastListFastest) {
  const Case kase = read({{"failing:\n", "dtypes: {F: float32}\nboundaries: off\nfailing:\n"},
                          {"dtype: float32", "dtype: F"},
                          {"{N: 8}", "{N: [1, 64], F: [float32, bfloat16], seed: 3}"}});
  const std::vector<Check> checks = plan(kase, "cpu");
  EXPECT_THAT(names_of(checks),
              ElementsAre("failing", "corrected", "batch-1:N=1,F=float32", "batch-1:N=1,F=bfloat16",
                          "batch-1:N=64,F=float32", "batch-1:N=64,F=bfloat16", "batch-2"));
  const Scenario& last = checks[5].scenario;
  ASSERT_EQ(last.dims.size(), 1u);
  EXPECT_EQ(to_string(*last.dims[0].value), "64");
  ASSERT_EQ(last.dtypes.size(), 1u);
  EXPECT_EQ(last.dtypes[0].dtype, DType::bfloat16);
  EXPECT_EQ(last.seed, 3u);
}

TEST(Plan, KeepsAColonInTheNameOfABatchOnlyBeforeWhatItsListsChose) {
  EXPECT_THAT(
      planned({{"failing:\n", "boundaries: off\nfailing:\n"}, {"{N: 8}", "{name: 'odd: one', N: [1, 2]}"}}),
      ElementsAre("failing", "corrected", "odd--one:N=1", "odd--one:N=2", "batch-2"));
}

// Two checks of one name could not be told apart on the protocol: neither would get a verdict.
TEST(Plan, NeverGivesOneNameTwice) {
  const std::vector<Edits> all = {
      {{"{N: 8}", "{name: failing, N: 8}"}},
      {{"{N: 8}", "{name: corrected, N: 8}"}},
      {{"{N: 8}", "{name: a b, N: 8}"}, {"{N: 16", "{name: a-b, N: 16"}},
      {{"{N: 8}", "{N: [8, 8]}"}},
      {{"{N: 8}", "{name: batch-2, N: 8}"}},
  };
  for (const Edits& edits : all) {
    const ReadResult read = read_case(rejection_case(edits), "c.yaml", "c");
    if (!read.value) continue;  // refused by the reader is as good
    const std::vector<std::string> names = names_of(plan(*read.value, "cpu"));
    EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size()) << edits.front().second;
  }
}

TEST(Plan, AddsNoEnsuresOfTheCorrectedInputToProbes) {
  const Case kase = read({{"corrected: {", "corrected: {ensures: {loss: {min: 0}}, "}});
  const std::vector<Check> checks = plan(kase, "cpu");
  EXPECT_EQ(named(checks, "corrected").scenario.ensures.names.size(), 1u);
  EXPECT_TRUE(named(checks, "boundary:target.max.first").scenario.ensures.names.empty());
}

TEST(Plan, PlansAlikeTwice) {
  const Case kase = read();
  EXPECT_EQ(names_of(plan(kase, "cpu")), names_of(plan(kase, "cpu")));
}

TEST(Plan, WritesIds) {
  EXPECT_EQ(check_id("index/labels", "cpu", "batch-2"), "index/labels@cpu/batch-2");
}

TEST(Plan, SpellsItsWords) {
  EXPECT_EQ(to_string(CheckKind::violation), "violation");
  EXPECT_EQ(to_string(Role::mutant), "mutant");
  EXPECT_EQ(to_string(Mode::sanitizer), "sanitizer");
  EXPECT_EQ(to_string(ProbeKind::above_except), "above-except");
  EXPECT_EQ(to_string(ObservedKind::sticky_fault), "sticky_fault");
}

}  // namespace
}  // namespace relapse
