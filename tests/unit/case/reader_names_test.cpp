#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "read_helpers.hpp"

namespace relapse {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing_case::mistakes_in;
using testing_case::small_case;

TEST(ReaderNames, LetsShapesBindDimsThatAreNotListed) {
  EXPECT_THAT(mistakes_in(small_case("shape: [N], finite: true", "shape: [N, K], max: K - 1")), IsEmpty());
  EXPECT_THAT(mistakes_in(small_case("shape: [N], finite: true", "shape: [N, 2 * K]")),
              ElementsAre("8:49 contract.requires.x.shape: unknown dim \"K\""));
}

TEST(ReaderNames, TakesAnUnboundReceiverForAnOperator) {
  EXPECT_THAT(mistakes_in(small_case("y = x.sum()", "y = gru.input(x)")), IsEmpty());
  EXPECT_THAT(mistakes_in(small_case("y = x.sum()", "y = q.sum()")),
              ElementsAre("6:9 subject.step-1: unknown name \"q\""));
}

TEST(ReaderNames, KnowsWhichStepMakesAName) {
  EXPECT_THAT(mistakes_in(small_case("  - y = x.sum()", "  - y = z.sum()\n  - z = x + 1")),
              ElementsAre("6:9 subject.step-1: unknown name \"z\" | a later step makes it"));
  EXPECT_THAT(mistakes_in(small_case("  - y = x.sum()", "  - y = sum(z)\n  - z = x + 1")),
              ElementsAre("6:13 subject.step-1: unknown name \"z\" | a later step makes it"));
}

TEST(ReaderNames, LetsAStepBindAnInputAnew) {
  EXPECT_THAT(mistakes_in(small_case("  - y = x.sum()", "  - x = x + 1\n  - y = x.sum()")), IsEmpty());
}

TEST(ReaderNames, WantsABackwardStepForGradients) {
  const std::string ensures = "ensures: {x.grad: {finite: true}, y: {shape: []";
  EXPECT_THAT(mistakes_in(small_case("ensures: {y: {shape: []", ensures)),
              ElementsAre("9:13 contract.ensures: x.grad is only there after a step backward(...)"));
  std::string text = small_case("ensures: {y: {shape: []", ensures);
  text.replace(text.find("y = x.sum()"), 11, "y = x.sum()\n  - backward(y)");
  EXPECT_THAT(
      mistakes_in(text),
      ElementsAre("10:13 contract.ensures: x.grad is only there with requires_grad: true in requires"));
  text.replace(text.find("finite: true"), 12, "requires_grad: true");
  EXPECT_THAT(mistakes_in(text), IsEmpty());
}

TEST(ReaderNames, ChecksBuiltInSteps) {
  EXPECT_THAT(mistakes_in(small_case("- y = x.sum()", "- guard(z)\n  - y = x.sum()")),
              ElementsAre("6:5 subject.step-1: guard() checks \"z\", of which requires says nothing",
                          "6:11 subject.step-1: unknown name \"z\""));
  EXPECT_THAT(mistakes_in(small_case("- y = x.sum()", "- data(x)\n  - y = x.sum()")),
              ElementsAre("6:5 subject.step-1: data() takes one tensor and gives one: y = data(x)"));
  EXPECT_THAT(mistakes_in(small_case("- y = x.sum()", "- y = sum(guard(x))")),
              ElementsAre("6:13 subject.step-1: guard() is a step of its own"));
}

TEST(ReaderNames, ChecksNamesUnderEnsures) {
  EXPECT_THAT(
      mistakes_in(small_case("ensures: {y:", "ensures: {yy: {finite: true}, y:")),
      ElementsAre("9:13 contract.ensures: \"yy\" is neither an input nor a result; did you mean \"y\"?"));
}

TEST(ReaderNames, ChecksClausesThatOutcomesName) {
  EXPECT_THAT(mistakes_in(small_case("expect: returns", "symptom: {cpu: {wrong: y.same}}, expect: returns")),
              ElementsAre("10:54 failing.symptom.cpu.wrong: \"y.same\" is not a clause of ensures or agrees; "
                          "did you mean \"y.shape\"?"));
  EXPECT_THAT(
      mistakes_in(small_case("expect: returns", "symptom: {cpu: {wrong: agrees.cpu}}, expect: returns")),
      IsEmpty());
  EXPECT_THAT(
      mistakes_in(small_case("expect: returns", "symptom: {cpu: {wrong: agrees.repeat}}, expect: returns")),
      ElementsAre("10:54 failing.symptom.cpu.wrong: \"agrees.repeat\" is not a clause of ensures or agrees"));
  EXPECT_THAT(mistakes_in(small_case("expect: returns", "symptom: {gpu: accepted}, expect: returns")),
              testing::Contains(testing::HasSubstr("did you mean \"cpu\"?")));
  EXPECT_THAT(mistakes_in(small_case("batches:", "mutants: [{y: x.sum() + 1, breaks: expect}]\nbatches:")),
              ElementsAre("11:11 breaks: expect is only for a case whose failing input is rejected"));
}

TEST(ReaderNames, FindsInputsThatAreComputedFromEachOther) {
  const std::string text =
      small_case("dims: {N: 4}", "dims: {N: 4}\ninputs: {a: =b + 1, b: =a + 1, x: =a + b}");
  EXPECT_THAT(mistakes_in(text),
              ElementsAre("5:13 the input \"a\" is computed from itself: a from b from a"));
}

TEST(ReaderNames, SeesComputedInputsWhateverTheirOrder) {
  EXPECT_THAT(
      mistakes_in(small_case("dims: {N: 4}", "dims: {N: 4}\ninputs: {a: =x + 1, x: ones, b: =a + x}")),
      ElementsAre("5:30 inputs: nothing reads an input called \"b\""));
}

TEST(ReaderNames, ReadsDimsFromTopToBottom) {
  EXPECT_THAT(mistakes_in(small_case("dims: {N: 4}", "dims: {M: 2 * N, N: 4}")),
              ElementsAre("4:11 dims.M: \"2 * N\" is not made of dims above it"));
  EXPECT_THAT(
      mistakes_in(small_case("dims: {N: 4}", "dims: {N: 4, M: N / 2}")),
      ElementsAre(
          "4:17 dims.M: \"N / 2\" divides two integers: write // for the floor, or make one a float"));
}

}  // namespace
}  // namespace relapse
