#include "runs.hpp"

namespace relapse {
namespace {

using namespace test;

std::string one(const std::string& steps, const std::string& agrees,
                const std::string& ensures = "{y: {rank: {max: 4}}}", const std::string& inputs = "") {
  const std::string text = step_case(steps, "{x: {dtype: float32, shape: [N], min: 1, max: 2}}",
                                     ensures + "\n  agrees: " + agrees, inputs);
  const Ran ran(text);
  const Verdict verdict = ran.verdict("batch-1");
  std::string out = ran.text("batch-1");
  for (std::size_t i = 1; i < verdict.seen.size(); ++i) out += " | " + verdict.seen[i];
  return out;
}

TEST(Twins, HoldWhereTheOtherRunGivesTheSame) {
  EXPECT_EQ(one("[y = x * 2]", "{float64: close, contiguous: exact, repeat: exact}"), "held");
}

TEST(Twins, RunInFloat64) {
  // 2^24 + 1 is lost in float32.
  EXPECT_EQ(one("[y = (x + 16777216) - 16777216]", "{float64: close}").substr(0, 31),
            "broken agrees.float64: y: 8 of ");
  EXPECT_EQ(one("[y = x.to(float32) * 2]", "{float64: close}"), "held") << "a step's own rounding is its own";
  EXPECT_EQ(one("[\"y = x.index_select(0, arange(4))\"]", "{float64: exact}"), "held");
}

TEST(Twins, RunOnDenseInputs) {
  EXPECT_EQ(one("[\"y = x.as_strided([N], [1]).nan_to_num(0.0)\"]", "{contiguous: exact}",
                "{y: {shape: [N]}}", "inputs: {x: {strides: [2]}}\n")
                .substr(0, 33),
            "broken agrees.contiguous: y: 7 of");
}

TEST(Twins, RunAgain) {
  EXPECT_EQ(one("[y = empty_like(x).bernoulli_(0.5)]", "{repeat: exact}"), "held") << "the same draws";
  EXPECT_EQ(one("[y = x.add_(1)]", "{repeat: exact}"), "held") << "from fresh inputs";
}

TEST(Twins, TellWhatTheOtherRunRaised) {
  EXPECT_EQ(one("[\"y = x.as_strided([N], [1], 8)\"]", "{contiguous: exact}", "{y: {shape: [N]}}",
                "inputs: {x: {strides: [3]}}\n")
                .substr(0, 64),
            "broken agrees.contiguous: the other run raised runtime_error: \"s");
}

// Only the first value of a list, or none of its elements, used to be compared.
TEST(Twins, CompareListsElementByElement) {
  EXPECT_EQ(one("[\"y = split(x, 4)\"]", "{repeat: exact, float64: close}", "{where: {one: 1 < 2}}"), "held");
  const std::string text =
      one("[\"y = split((x + 16777216) - 16777216, 4)\"]", "{float64: close}", "{where: {one: 1 < 2}}");
  EXPECT_EQ(text.substr(0, 29), "broken agrees.float64: y[0]: ") << text;
}

// Behind guard() or backward() there was nothing to compare, and the twin held.
TEST(Twins, CompareTheLastResultsWhateverComesBehindThem) {
  EXPECT_EQ(one("[y = (x + 16777216) - 16777216, guard()]", "{float64: close}", "{where: {one: 1 < 2}}")
                .substr(0, 24),
            "broken agrees.float64: y");
}

TEST(Twins, CompareInputsThatTheSubjectChanged) {
  EXPECT_EQ(one("[\"x.add_(16777216).sub_(16777216)\", y = x * 0]", "{float64: close}").substr(0, 24),
            "broken agrees.float64: x");
}

TEST(Twins, LeaveOutWhatIsExcepted) {
  EXPECT_EQ(one("[y = (x + 16777216) - 16777216]", "{float64: {except: [y]}}"), "held");
}

TEST(Twins, AgreeWhereBothHaveNaN) {
  EXPECT_EQ(one("[y = x - x + nan]", "{float64: close, repeat: exact}"), "held");
}

TEST(Twins, RunOnlyWhereTheyAreAskedFor) {
  EXPECT_EQ(one("[y = (x + 16777216) - 16777216]", "{float64: off}"), "held");
}

}  // namespace
}  // namespace relapse
