#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "findings.hpp"

namespace relapse {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing_case::findings_of;

/// Lines 1 to 18; `failing` and `batches` are whole lines' values.
std::string lookup_case(const std::string& failing,
                        const std::string& batches = "[{N: 3, C: 4}, {N: 5, C: 2}]",
                        const std::string& requires_more = "", const std::string& inputs = "{}") {
  return "relapse: 1\n"
         "title: A lookup\n"
         "incident: {cause: none known, fix: none known}\n"
         "dims: {N: 4, C: 3}\n"
         "inputs: " +
         inputs +
         "\n"
         "subject:\n"
         "  - guard()\n"
         "  - y = table[ids]\n"
         "contract:\n"
         "  requires:\n"
         "    table: {dtype: [float32, float16], shape: [C], finite: true}\n"
         "    ids: {dtype: int64, shape: [N], min: 0, max: C - 1}\n" +
         requires_more +
         "  ensures: {y: {shape: [N], same_as: \"index_select(table, 0, ids)\"}}\n"
         "failing: " +
         failing +
         "\n"
         "corrected: {inputs: {ids: [0, 1, 2, 0]}}\n"
         "batches: " +
         batches + "\n";
}

std::string failing(const std::string& inputs, const std::string& expect) {
  return "{inputs: {" + inputs + "}, symptom: {cpu: {raises: index_error}}, expect: " + expect + "}";
}

TEST(FailingInput, ThatBreaksTheClauseIsRight) {
  EXPECT_THAT(findings_of("failing-input", lookup_case(failing("ids: [0, 1, 2, 3]", "{rejected: ids.max}"))),
              IsEmpty());
  EXPECT_THAT(findings_of("failing-input", lookup_case(failing("ids: [0, 1, 2, 3]", "rejected"))), IsEmpty());
  EXPECT_THAT(findings_of("failing-input", lookup_case(failing("ids: [0, 1, 2, 0]", "returns"))), IsEmpty());
  EXPECT_THAT(findings_of("failing-input",
                          lookup_case(failing("ids: [0, 1, 2, 3]", "{any_of: [returns, rejected]}"))),
              IsEmpty());
  EXPECT_THAT(
      findings_of("failing-input", lookup_case(failing("ids: [0, 1, 2, 3]", "{raises: index_error}"))),
      IsEmpty());
}

TEST(FailingInput, ThatMeetsTheClauseIsFound) {
  EXPECT_THAT(findings_of("failing-input", lookup_case(failing("ids: [0, 1, 2, 2]", "{rejected: ids.max}"))),
              ElementsAre("14:87 failing expects a rejection by ids.max: C - 1 = 2, but its input meets it"));
  EXPECT_THAT(findings_of("failing-input", lookup_case(failing("ids: {full: 2}", "{rejected: ids.max}"))),
              ElementsAre("14:84 failing expects a rejection by ids.max: C - 1 = 2, but its input meets it"));
}

TEST(FailingInput, ThatMeetsEveryClauseIsFound) {
  EXPECT_THAT(
      findings_of("failing-input", lookup_case(failing("ids: [0, 1, 2, 2], table: zeros", "rejected"))),
      ElementsAre("14:101 failing expects a rejection, but its input meets every clause of requires"));
}

TEST(FailingInput, OfReturnsThatBreaksAClauseIsFound) {
  EXPECT_THAT(
      findings_of("failing-input", lookup_case(failing("ids: [0, 1, 5, 3]", "returns"))),
      ElementsAre("14:20 failing expects \"returns\", but its input breaks ids.max: C - 1 = 2: ids[2] = 5"));
  EXPECT_THAT(
      findings_of("failing-input", lookup_case(failing("table: {dtype: float64}", "returns"))),
      ElementsAre("14:20 failing expects \"returns\", but its input breaks table.dtype: [float32, float16]: "
                  "table is float64"));
  EXPECT_THAT(
      findings_of("failing-input",
                  lookup_case(failing("table: {fill: ones, set: [{at: [1], to: nan}]}", "returns"))),
      ElementsAre(
          "14:20 failing expects \"returns\", but its input breaks table.finite: true: table[1] = nan"));
}

TEST(FailingInput, ThatBreaksAnEarlierClauseIsFound) {
  EXPECT_THAT(
      findings_of("failing-input", lookup_case(failing("ids: [0, -1, 2, 3]", "{rejected: ids.max}"))),
      ElementsAre("14:20 failing expects a rejection by ids.max, but its input breaks ids.min: 0 before: "
                  "ids[1] = -1"));
}

TEST(FailingInput, IsJudgedByDevice) {
  EXPECT_THAT(
      findings_of("failing-input",
                  lookup_case(failing("ids: [0, 1, 5, 3]", "{cpu: returns, cuda: rejected}"))),
      ElementsAre("14:20 failing expects \"returns\", but its input breaks ids.max: C - 1 = 2: ids[2] = 5"));
}

TEST(FailingInput, IsNotJudgedWhereAStepMayChangeIt) {
  std::string text = lookup_case(failing("ids: [0, 1, 2, 2]", "{rejected: ids.max}"));
  text.replace(text.find("  - guard()"), 11, "  - ids.add_(1)\n  - guard()");
  EXPECT_THAT(findings_of("failing-input", text), IsEmpty());
}

// ---- batches ----

const std::string kFailing = failing("ids: [0, 1, 2, 3]", "{rejected: ids.max}");

TEST(BatchInput, OfNormalValuesIsRight) {
  EXPECT_THAT(findings_of("batch-input", lookup_case(kFailing)), IsEmpty());
}

TEST(BatchInput, ThatBreaksABoundIsFound) {
  EXPECT_THAT(
      findings_of("batch-input", lookup_case(kFailing, "[{N: 3, C: 4, inputs: {ids: [0, 3, 4]}}, {N: 5}]")),
      ElementsAre("16:33 the input of batch-1 breaks ids.max: C - 1 = 3, but ids[2] = 4"));
}

TEST(BatchInput, OfTheCaseIsFoundInTheBatchThatItDoesNotFit) {
  EXPECT_THAT(
      findings_of("batch-input", lookup_case(kFailing, "[{C: 4}, {C: [4, 2, 1]}]", "", "{ids: {full: 2}}")),
      ElementsAre("5:10 the input of batch-2 breaks ids.max: C - 1 = 1, but ids[0] = 2"));
}

TEST(BatchInput, ThatBreaksARelationIsFound) {
  const std::string where = "    where: {adds_up: ids.sum() == N}\n";
  EXPECT_THAT(
      findings_of(
          "batch-input",
          lookup_case(failing("ids: [0, 0, 0, 0]", "{rejected: where.adds_up}"),
                      "[{N: 3, C: 4, inputs: {ids: [0, 3, 1]}}, {N: 3, C: 4, inputs: {ids: [3, 0, 0]}}]",
                      where)),
      ElementsAre("16:22 the input of corrected breaks where.adds_up: ids.sum() == N, but it is false",
                  "17:33 the input of batch-1 breaks where.adds_up: ids.sum() == N, but it is false"));
}

TEST(BatchInput, OfLargeTensorsIsKnownByItsExtremes) {
  EXPECT_THAT(
      findings_of("batch-input", lookup_case(kFailing, "[{N: 1000000, inputs: {ids: {full: 3}}}, {N: 5}]")),
      ElementsAre("16:33 the input of batch-1 breaks ids.max: C - 1 = 2, but an element of ids is 3"));
  EXPECT_THAT(
      findings_of(
          "batch-input",
          lookup_case(kFailing, "[{N: 1000000, inputs: {ids: arange}}, {N: 0, inputs: {ids: ones}}]")),
      ElementsAre("16:33 the input of batch-1 breaks ids.max: C - 1 = 2, but an element of ids is 999999"));
}

TEST(BatchInput, OfAFileIsJudgedByWhatItHolds) {
  const std::string text = lookup_case(kFailing, "[{N: 2, inputs: {ids: {file: ids.npy}}}, {N: 5}]");
  KnownTensor held;
  held.dtype = DType::int64;
  held.shape = std::vector<std::int64_t>{2};
  held.elements = std::vector<Number>{whole(1), whole(7)};
  EXPECT_THAT(
      testing_case::findings_in(text,
                                [&](const InputForm&) {
                                  return StoredInput{"", held};
                                }),
      ElementsAre("16:27 [batch-input] the input of batch-1 breaks ids.max: C - 1 = 2, but ids[1] = 7"));
  EXPECT_THAT(testing_case::findings_in(text,
                                        [&](const InputForm&) {
                                          return StoredInput{"\"ids.npy\" is not there", {}};
                                        }),
              ElementsAre("16:32 [stored-file] the input ids: \"ids.npy\" is not there"));
}

TEST(LooseDraw, BeyondABoundIsFound) {
  const auto with = [](const std::string& form) {
    return lookup_case(kFailing, "[{N: 8, C: 10, inputs: {ids: " + form + "}}, {N: 5}]");
  };
  EXPECT_THAT(
      findings_of("loose-draw", with("{random: integers, low: 0, high: C}")),
      ElementsAre("16:34 the input of batch-1 may break ids.max: C - 1 = 9: ids is drawn from 0 to 10"));
  EXPECT_THAT(findings_of("loose-draw", with("{random: integers, low: 0, high: C - 1}")), IsEmpty());
  EXPECT_THAT(findings_of("loose-draw", with("{random: integers}")), IsEmpty());
  EXPECT_THAT(findings_of("batch-input", with("{random: integers, low: 0, high: C}")), IsEmpty());
}

// ---- relations that can be told before a run ----

/// What is said of a first batch of ids [0, 3, 1] with N = 3 and C = 4.
std::vector<std::string> told_of(const std::string& relation) {
  const std::string batches = "[{N: 3, C: 4, inputs: {ids: [0, 3, 1], table: [0.5, 1, 2, 0.25]}}, {N: 5}]";
  std::vector<std::string> told;
  for (const std::string& one : findings_of(
           "batch-input", lookup_case(kFailing, batches, "    where: {it: \"" + relation + "\"}\n"))) {
    if (one.find("batch-1") != std::string::npos) told.push_back(one);
  }
  return told;
}

TEST(Relations, ThatAreCertainAreTold) {
  for (const char* relation :
       {"ids.sum() == N + 1", "ids[0] == 0", "ids[-1] == 1", "max(ids) <= C", "ids.amin() >= 0",
        "(ids > 0).sum() >= 1", "(ids >= 0).all()", "ids.numel() == N", "ids.size(0) == N",
        "ids.cumsum(0) <= 100", "(ids.unsqueeze(1) * ids).sum() >= 0", "-ids <= 0", "ids % 2 < 2",
        "(ids == 0) | (ids > 0)", "~(ids < 0)", "table.sum() < 4.5", "abs(ids) >= 0", "ids // 2 <= 1"})
    EXPECT_THAT(told_of(relation), IsEmpty()) << relation;
  for (const char* relation : {"ids.sum() == 99", "ids[0] == 9", "ids.amax() > 50", "(ids > 99).any()",
                               "ids.dim() == 2", "table.sum() > 450", "N > 100"})
    EXPECT_THAT(told_of(relation), testing::Contains(testing::HasSubstr("batch-1 breaks where.it: ")))
        << relation;
}

TEST(Relations, ThatAreNotCertainAreLeftToTheRun) {
  for (const char* relation : {"table.sum() == 3.76", "ids.flip([0]) == 99", "ids[0:1] == 99",
                               "ids + 9223372036854775807 == 0", "ids.to(int32) == 99", "ids.max(0) == 99"})
    EXPECT_THAT(told_of(relation), IsEmpty()) << relation;
}

}  // namespace
}  // namespace relapse
