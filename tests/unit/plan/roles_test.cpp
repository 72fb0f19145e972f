#include <gmock/gmock.h>

#include "planned.hpp"

namespace relapse {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using namespace test;

std::vector<std::string> texts(const std::vector<Step>& steps) {
  std::vector<std::string> all;
  for (const Step& step : steps) all.push_back(step.text);
  return all;
}

std::vector<std::string> unfixed(const std::string& value, const std::string& steps = {}) {
  Edits edits = {{"contract:\n", "unfixed: " + value + "\ncontract:\n"}};
  if (!steps.empty()) edits.push_back({"  - loss = cross_entropy_loss(logits, target)\n", steps});
  return texts(steps_for(read(edits), Role::unfixed));
}

TEST(Roles, RunTheStepsAsWrittenWhenFixed) {
  EXPECT_THAT(texts(steps_for(read(), Role::fixed)),
              ElementsAre("guard()", "loss = cross_entropy_loss(logits, target)"));
}

TEST(Roles, LeaveGuardsOutWhereNothingElseIsSaid) {
  EXPECT_THAT(texts(steps_for(read(), Role::unfixed)),
              ElementsAre("loss = cross_entropy_loss(logits, target)"));
}

TEST(Roles, RunAWholeOtherSubject) {
  EXPECT_THAT(unfixed("[loss = logits.sum()]"), ElementsAre("loss = logits.sum()"));
}

TEST(Roles, RunNothingWhereThereIsNone) {
  EXPECT_THAT(unfixed("{none: it cannot be had}"), IsEmpty());
}

TEST(Roles, RebindInputsBeforeTheFirstStepAndResultsAfterTheLastThatWritesThem) {
  const std::string steps =
      "  - loss = cross_entropy_loss(logits, target)\n  - loss = loss + 1\n  - more = loss * 2\n";
  EXPECT_THAT(unfixed("{target: target % C}", steps),
              ElementsAre("target = target % C", "loss = cross_entropy_loss(logits, target)",
                          "loss = loss + 1", "more = loss * 2"));
  EXPECT_THAT(unfixed("{loss: loss - 1}", steps),
              ElementsAre("loss = cross_entropy_loss(logits, target)", "loss = loss + 1", "loss = loss - 1",
                          "more = loss * 2"));
}

// `{logits: ..., target: ...}` reads like two steps: the second may use the first.
TEST(Roles, RebindSeveralInputsInFileOrder) {
  EXPECT_THAT(
      unfixed("{logits: logits + 1, target: target + 1}"),
      ElementsAre("logits = logits + 1", "target = target + 1", "loss = cross_entropy_loss(logits, target)"));
}

TEST(Roles, DropTheLastStepThatMakesANameWithoutAValue) {
  const std::string steps = "  - loss = cross_entropy_loss(logits, target)\n  - loss = loss + 1\n";
  EXPECT_THAT(unfixed("{loss: }", steps), ElementsAre("loss = cross_entropy_loss(logits, target)"));
}

TEST(Roles, RebindGradientsAfterTheLastStep) {
  const Edits edits = {{"contract:\n", "unfixed: {logits.grad: logits.grad * 2}\ncontract:\n"},
                       {"target)\n", "target)\n  - backward(loss)\n"},
                       {"finite: true}", "finite: true, requires_grad: true}"}};
  EXPECT_THAT(texts(steps_for(read(edits), Role::unfixed)),
              ElementsAre("loss = cross_entropy_loss(logits, target)", "backward(loss)",
                          "logits.grad = logits.grad * 2"));
}

TEST(Roles, RebindForMutantsOneByOne) {
  const Case kase = read({{"batches:\n",
                           "mutants:\n  - {target: target + 1, breaks: expect}\n"
                           "  - {loss: loss * 0, breaks: loss.finite}\nbatches:\n"}});
  EXPECT_THAT(texts(steps_for(kase, Role::mutant, 0)),
              ElementsAre("target = target + 1", "loss = cross_entropy_loss(logits, target)"));
  EXPECT_THAT(texts(steps_for(kase, Role::mutant, 1)),
              ElementsAre("loss = cross_entropy_loss(logits, target)", "loss = loss * 0"));
  EXPECT_ANY_THROW(steps_for(kase, Role::mutant, 2));
}

TEST(Roles, PointRebindingsAtTheirOwnLine) {
  const Case kase = read({{"contract:\n", "unfixed: {target: target + 1}\ncontract:\n"}});
  const std::vector<Step> steps = steps_for(kase, Role::unfixed);
  EXPECT_EQ(steps.front().pos.line, 8);
}

}  // namespace
}  // namespace relapse
