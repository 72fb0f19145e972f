#include "runs.hpp"

namespace relapse {
namespace {

using namespace test;

std::string failing_with(const std::string& expect, const std::string& target = "[0, 1, 2, 3]") {
  return Ran(loss_case({{"expect: {rejected: target.max}", "expect: " + expect},
                        {"inputs: {target: [0, 1, 2, 3]}\n", "inputs: {target: " + target + "}\n"},
                        {"corrected:", "boundaries: off\ncorrected:"}}))
      .text("failing")
      .substr(0, 60);
}

TEST(Admissible, AsksOfAFailingInputWhatItsExpectationNeeds) {
  EXPECT_EQ(failing_with("{rejected: target.max}"), "held");
  EXPECT_EQ(failing_with("rejected"), "held");
  EXPECT_EQ(failing_with("{rejected: target.min}"), "broken target.max: guard() refused it by target.max");
  EXPECT_EQ(failing_with("returns"), "case_error: the input of failing breaks target.max: C - 1 = ");
  EXPECT_EQ(failing_with("returns", "[0, 1, 2, 2]"), "held");
  EXPECT_EQ(failing_with("rejected", "[0, 1, 2, 2]"),
            "case_error: failing expects a rejection, but its input meets");
}

TEST(Admissible, LetsTheInputBeEitherWhereEitherMayHappen) {
  EXPECT_EQ(failing_with("{any_of: [rejected, returns]}"), "held");
  EXPECT_EQ(failing_with("{any_of: [rejected, returns]}", "[0, 1, 2, 2]"), "held");
  EXPECT_EQ(failing_with("{any_of: [{rejected: target.min}, {rejected: target.max}]}"), "held");
  EXPECT_EQ(failing_with("{raises: contract_error}"), "held");
  EXPECT_EQ(failing_with("{raises: contract_error, match: 'target[3] = 3'}"), "held");
  EXPECT_EQ(failing_with("{raises: index_error}"), "broken target.max: guard() refused it by target.max");
}

}  // namespace
}  // namespace relapse
