#include <harness/plan/names.hpp>

#include "planned.hpp"

namespace relapse {
namespace {

using namespace test;
using Names = std::vector<std::string>;

TEST(Names, TellsInputsFromResultsOfSteps) {
  const Case kase = read();
  EXPECT_EQ(input_names(kase), (Names{"logits", "target"}));
  EXPECT_TRUE(is_step_result(kase, "loss"));
  EXPECT_FALSE(is_step_result(kase, "target"));
  EXPECT_TRUE(has_form(kase, "target"));
  EXPECT_FALSE(has_form(kase, "logits"));
}

TEST(Names, TakesANameThatAStepReadsFirstForAnInputThatItRebinds) {
  const Case kase = read({{"  - guard()\n", "  - guard()\n  - target = target.clone()\n"}});
  EXPECT_FALSE(is_step_result(kase, "target"));
  const Case guarded = read({{"  - guard()\n", "  - logits = zeros([N, C])\n  - guard(logits)\n"}});
  EXPECT_TRUE(is_step_result(guarded, "logits"));
}

TEST(Names, TakesANameWithAFormAnywhereForAnInput) {
  const Case kase = read({{"  - guard()\n", "  - guard()\n  - target = zeros([N], dtype=int64)\n"}});
  EXPECT_FALSE(is_step_result(kase, "target"));
}

TEST(Names, ListsRequiresThenInputsThenScenarios) {
  const Case kase = read({{"subject:", "inputs: {extra: [1]}\nsubject:"},
                          {"(logits, target)", "(logits, target) + extra + more"},
                          {"{N: 8}", "{N: 8, inputs: {more: 1}}"},
                          {"{N: 16,", "{N: 16, inputs: {more: 1},"},
                          {"failing:\n  inputs: {", "failing:\n  inputs: {more: 1, "},
                          {"inputs: {target: [0, 1, 2, 3]}}", "inputs: {more: 1, target: [0, 1, 2, 3]}}"}});
  EXPECT_EQ(input_names(kase), (Names{"logits", "target", "extra", "more"}));
}

}  // namespace
}  // namespace relapse
