#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "read_helpers.hpp"

namespace relapse {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing_case::mistakes_in;
using testing_case::small_case;

/// The small case with a generated input of whole numbers, with this range, in both batches.
std::string ranged(const std::string& range, const std::string& dtype = "int64") {
  return small_case("dtype: float32, shape: [N], finite: true", "dtype: " + dtype + ", shape: [N], " + range);
}

TEST(EmptyRanges, AreToldWhereTheInputIsGenerated) {
  EXPECT_THAT(
      mistakes_in(ranged("min: 20, max: N - 1")),
      ElementsAre("8:58 contract.requires.x.max: no value lies between min 20 and max N - 1 = 7, so batch-1 "
                  "cannot be generated | give x a form there, or mend the bounds"));
  EXPECT_THAT(mistakes_in(ranged("max: 2, min: N")),
              ElementsAre(testing::StartsWith(
                  "8:57 contract.requires.x.min: no value lies between min N = 8 and max 2, "
                  "so batch-1 cannot")));
  EXPECT_THAT(mistakes_in(ranged("min: 0, max: N - 16")),
              ElementsAre(testing::HasSubstr("max N - 16 = -8, so batch-1 cannot be generated")));
}

TEST(EmptyRanges, CountWholeNumbersAndOpenBounds) {
  EXPECT_THAT(mistakes_in(ranged("above: 0, below: 2")), IsEmpty());
  EXPECT_THAT(mistakes_in(ranged("above: 0, below: 1")),
              ElementsAre(testing::HasSubstr("no value lies between")));
  EXPECT_THAT(mistakes_in(ranged("min: 0.2, max: 0.8")),
              ElementsAre(testing::HasSubstr("no value lies between")));
  EXPECT_THAT(mistakes_in(ranged("min: 0.2, max: 0.8", "float32")), IsEmpty());
  EXPECT_THAT(mistakes_in(ranged("min: 1, max: -1", "[float16, float32]")),
              ElementsAre(testing::HasSubstr("no value lies between min 1 and max -1")));
}

TEST(EmptyRanges, AreToldOnlyWhereTheyAreCertain) {
  EXPECT_THAT(mistakes_in(ranged("min: 5, max: K")), ElementsAre(testing::HasSubstr("unknown name")));
  EXPECT_THAT(mistakes_in(ranged("min: 5, max: 2, one_of: [3]")), IsEmpty());
  EXPECT_THAT(mistakes_in(ranged("min: 16777217, max: 16777216", "float32")), IsEmpty());
  std::string formed = ranged("min: 5, max: 2");
  formed.replace(formed.find("dims: {N: 4}"), 12, "dims: {N: 4}\ninputs: {x: ones}");
  EXPECT_THAT(mistakes_in(formed), IsEmpty());
  std::string empty = ranged("min: 0, max: N - 1");
  empty.replace(empty.find("{N: 8}"), 6, "{N: 0}");
  EXPECT_THAT(mistakes_in(empty), IsEmpty());
}

TEST(LiteralShapes, MustBeThoseOfRequires) {
  EXPECT_THAT(
      mistakes_in(small_case("x: zeros", "x: [0, 1, 2]")),
      ElementsAre("10:23 failing.inputs.x: expected values of shape [N] = [4], got [3] | requires says so"));
  EXPECT_THAT(
      mistakes_in(small_case("x: zeros", "x: {values: [[0, 1], [2, 3]]}")),
      ElementsAre(
          "10:32 failing.inputs.x: expected values of shape [N] = [4], got [2, 2] | requires says so"));
  EXPECT_THAT(mistakes_in(small_case("x: zeros", "x: [0, 1, 2, 3]")), IsEmpty());
  EXPECT_THAT(mistakes_in(small_case("x: zeros", "x: {values: [5], expand: [N]}")), IsEmpty());
}

TEST(LiteralShapes, AreMeasuredInEveryScenarioThatUsesThem) {
  EXPECT_THAT(
      mistakes_in(small_case("dims: {N: 4}", "dims: {N: 4}\ninputs: {x: [0, 1, 2, 3]}")),
      ElementsAre(
          "5:13 inputs.x: expected values of shape [N] = [8] in batch-1, got [4] | requires says so",
          "5:13 inputs.x: expected values of shape [N] = [16] in batch-2, got [4] | requires says so"));
  EXPECT_THAT(
      mistakes_in(small_case("{N: 8}", "{N: [2, 3], inputs: {x: [1, 2]}}")),
      ElementsAre("12:29 batch-1.inputs.x: expected values of shape [N] = [3], got [2] | requires says so"));
}

TEST(LiteralShapes, MayBindDimsThatAreNotListed) {
  std::string text = small_case("shape: [N]", "shape: [[N, K], [K, K]]");
  text.replace(text.find("x: zeros"), 8, "x: [[1, 2, 3], [1, 2, 3], [1, 2, 3]]");
  EXPECT_THAT(mistakes_in(text), IsEmpty());
  text.replace(text.find("[[1, 2, 3], "), 12, "[");
  EXPECT_THAT(
      mistakes_in(text),
      ElementsAre("10:23 failing.inputs.x: expected values of shape [N, K] = [4, K] or [K, K], got [2, 3] | "
                  "requires says so"));
}

TEST(LiteralShapes, MayBeTheIncidentWhereTheInputIsRejected) {
  std::string text =
      small_case("x: zeros}, expect: returns}",
                 "x: [0, 1, 2]}, expect: {rejected: x.shape}}\ncorrected: {inputs: {x: ones}}");
  text.replace(text.find("  - y"), 3, "  - guard()\n  - ");
  EXPECT_THAT(mistakes_in(text), IsEmpty());
  EXPECT_THAT(mistakes_in(small_case("x: zeros}, expect: returns", "x: [0, 1, 2]}, expect: {raises: any}")),
              IsEmpty());
}

}  // namespace
}  // namespace relapse
