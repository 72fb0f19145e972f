#include <harness/subject/run_steps.hpp>

#include "../operator/names.hpp"

namespace relapse {
namespace {

using namespace test;
using Lines = std::vector<std::string>;

std::vector<Step> steps_of(const Lines& texts) {
  std::vector<Step> steps;
  int line = 6;
  for (const std::string& text : texts) {
    const auto step = parse_step(text, {{line++, 5}, {}});
    if (!step) throw std::runtime_error(text + ": " + step.error().message);
    steps.push_back(*step);
  }
  return steps;
}

/// Runs steps over x = [1, 2, 3], with gradients where asked.
class RunStepsTest : public testing::Test {
 protected:
  SubjectOutcome run(const Lines& texts, StepHooks hooks = {}, bool gradients = false) {
    Inputs inputs;
    at::Tensor x = tensor("arange(3) + 1.0");
    if (gradients) x.set_requires_grad(true);
    inputs.all.push_back({"x", x, false, {}, {}});
    inputs.all.push_back({"n", tensor("arange(3)"), false, {}, {}});
    environment_ = Environment(inputs);
    return run_steps(steps_of(texts), environment_, symbols_, c10::Device(c10::kCPU), hooks, nullptr);
  }
  std::string value(const std::string& name) {
    const Value* found = environment_.find(name);
    return found ? text_of(*found) : "unbound";
  }
  static std::string text(const SubjectOutcome& outcome) {
    switch (outcome.end) {
      case SubjectEnd::returned:
        return "returned " + std::to_string(outcome.step);
      case SubjectEnd::raised:
        return "raised " + std::to_string(outcome.step) + " " +
               std::string(to_string(outcome.raised->error)) + " " + outcome.raised->text;
      case SubjectEnd::rejected:
        return "rejected " + std::to_string(outcome.step) + " " + outcome.rejection->clause;
      case SubjectEnd::case_error:
        return "case_error " + std::to_string(outcome.step) + " " + std::to_string(outcome.reason_pos.line) +
               ":" + std::to_string(outcome.reason_pos.column) + " " + outcome.reason;
    }
    return "";
  }

  Symbols symbols_;
  Environment environment_;
};

TEST_F(RunStepsTest, BindsResultsInOrder) {
  EXPECT_EQ(text(run({"y = x * 2", "_, i = sort(y, 0, true)", "x = i + 1"})), "returned -1");
  EXPECT_EQ(value("y"), "float32 [3] 2 4 6");
  EXPECT_EQ(value("i"), "int64 [3] 2 1 0");
  EXPECT_EQ(value("x"), "int64 [3] 3 2 1");
  EXPECT_EQ(value("_"), "unbound");
}

TEST_F(RunStepsTest, TellsTheStepAndClassOfAnError) {
  EXPECT_EQ(text(run({"y = x * 2", "z = y.index_select(0, n + 1)", "w = z"})),
            "raised 1 index_error index out of range in self");
  EXPECT_EQ(value("y"), "float32 [3] 2 4 6") << "what was made before stays";
  EXPECT_EQ(value("w"), "unbound");
}

TEST_F(RunStepsTest, TakesMistakesForTheCases) {
  EXPECT_EQ(text(run({"y = x * 2", "z = softmx(y, 0)"})),
            "case_error 1 7:9 unknown operator aten::softmx; did you mean \"softmax\"?");
  EXPECT_EQ(text(run({"y = 1 / 2"})),
            "case_error 0 6:9 1 / 2: `/` of two integers is not exact; write `//`, or make one a float");
  EXPECT_EQ(text(run({"a, b = x * 2"})), "case_error 0 6:5 2 names for 1 result");
  EXPECT_EQ(text(run({"a = sort(x)"})), "case_error 0 6:5 1 name for 2 results");
  EXPECT_EQ(text(run({"y = zeros([2], device='cdua')"})).substr(0, 12), "case_error 0");
}

TEST_F(RunStepsTest, AsksTheGuardInItsPlace) {
  Lines asked;
  StepHooks hooks;
  hooks.before = [&](int index, const Step& step) {
    asked.push_back(std::to_string(index) + " " + step.text);
  };
  hooks.guard = [&](const std::set<std::string>& names) -> std::optional<Breach> {
    for (const std::string& name : names) asked.push_back("guard " + name);
    if (names.empty()) return std::nullopt;
    Breach breach;
    breach.clause = "n.max";
    return breach;
  };
  const SubjectOutcome outcome = run({"guard()", "x.add_(1)", "guard(n, x)", "x.add_(1)"}, hooks);
  EXPECT_EQ(text(outcome), "rejected 2 n.max");
  EXPECT_EQ(outcome.guards_reached, 2);
  EXPECT_EQ(asked, (Lines{"0 guard()", "1 x.add_(1)", "2 guard(n, x)", "guard n", "guard x"}));
  EXPECT_EQ(value("x"), "float32 [3] 2 3 4");
}

TEST_F(RunStepsTest, PassesGuardsWithoutAHook) {
  const SubjectOutcome outcome = run({"guard()", "y = x"});
  EXPECT_EQ(text(outcome), "returned -1");
  EXPECT_EQ(outcome.guards_reached, 0);
}

TEST_F(RunStepsTest, LeavesMistakesInAGuardToTheCase) {
  StepHooks hooks;
  hooks.guard = [](const std::set<std::string>&) -> std::optional<Breach> {
    throw EvalError("no such name", {9, 3});
  };
  EXPECT_EQ(text(run({"guard()"}, hooks)), "case_error 0 9:3 no such name");
}

TEST_F(RunStepsTest, DifferentiatesWithAndWithoutAGradient) {
  EXPECT_EQ(text(run({"loss = (x * x).sum()", "backward(loss)"}, {}, true)), "returned -1");
  EXPECT_EQ(value("x.grad"), "float32 [3] 2 4 6");
  EXPECT_EQ(text(run({"y = x * x", "backward(y, ones([3]) * 10)"}, {}, true)), "returned -1");
  EXPECT_EQ(value("x.grad"), "float32 [3] 20 40 60");
  EXPECT_EQ(text(run({"y = x * x", "backward(y)"}, {}, true)).substr(0, 22), "raised 1 runtime_error");
  EXPECT_EQ(text(run({"y = x * x", "backward(y.sum())"})).substr(0, 22), "raised 1 runtime_error");
  EXPECT_EQ(value("x.grad"), "unbound");
  EXPECT_EQ(text(run({"backward(3)"})), "case_error 0 6:14 backward() takes a tensor, not an integer");
}

TEST_F(RunStepsTest, SeesGradientsInLaterSteps) {
  EXPECT_EQ(text(run({"loss = x.sum()", "backward(loss)", "g = x.grad * 3"}, {}, true)), "returned -1");
  EXPECT_EQ(value("g"), "float32 [3] 3 3 3");
}

// The storage is shared, the version counter is not: the write is not seen, and the gradient is wrong.
TEST_F(RunStepsTest, LetsDataBypassTheVersionCheck) {
  EXPECT_EQ(text(run({"y = x * 1", "z = y * y", "y.add_(1)", "backward(z.sum())"}, {}, true)).substr(0, 22),
            "raised 3 runtime_error");
  EXPECT_EQ(text(run({"y = x * 1", "z = y * y", "d = data(y)", "d.add_(1)", "backward(z.sum())"}, {}, true)),
            "returned -1");
  EXPECT_EQ(value("x.grad"), "float32 [3] 4 6 8");
  EXPECT_EQ(text(run({"d = data(3)"})), "case_error 0 6:14 data() takes a tensor, not an integer");
}

TEST_F(RunStepsTest, SeedsTheDefaultGenerator) {
  EXPECT_EQ(text(run({"seed(7)", "a = rand([4])", "seed(7)", "b = rand([4])", "c = rand([4])"})),
            "returned -1");
  EXPECT_EQ(value("a"), value("b"));
  EXPECT_NE(value("a"), value("c"));
  EXPECT_EQ(text(run({"seed(1.5)"})), "case_error 0 6:10 seed() takes an integer");
}

TEST_F(RunStepsTest, ReadsOldInputs) {
  StepHooks hooks;
  const Value before{tensor("full([3], 9.0)")};
  hooks.old = [&](std::string_view name) { return name == "x" ? &before : nullptr; };
  EXPECT_EQ(text(run({"y = old(x) + x"}, hooks)), "returned -1");
  EXPECT_EQ(value("y"), "float32 [3] 10 11 12");
  EXPECT_EQ(text(run({"y = old(x)"})), "case_error 0 6:9 old(x): no such input here");
}

TEST_F(RunStepsTest, WaitsForTheDevice) {
  EXPECT_EQ(text(run({"synchronize()", "y = x"})), "returned -1");
}

TEST_F(RunStepsTest, DoesNothingWithoutSteps) {
  EXPECT_EQ(text(run({})), "returned -1");
}

}  // namespace
}  // namespace relapse
