#include "names.hpp"

namespace relapse {
namespace {

using namespace test;

TEST(Evaluate, FindsValuesBeforeDimsBeforeWords) {
  Names names = with({{"x", "arange(2)"}});
  names.symbols.dims["N"] = 4;
  names.symbols.dtypes["F"] = DType::float16;
  EXPECT_EQ(names.text("N * 2"), "8");
  EXPECT_EQ(names.text("zeros([N], dtype=F).sum()"), "float16 [] 0");
  EXPECT_EQ(names.text("float64"), "float64");
  EXPECT_EQ(names.text("[1, [2.5, none], 'a', true]"), "[1, [2.5, none], 'a', true]");
  EXPECT_EQ(names.text("z"), "12:5 \"z\" has no value here");
  EXPECT_EQ(names.text("x + missing"), "12:9 \"missing\" has no value here");
}

TEST(Evaluate, ReadsOldInputsOnlyWhereThereAreSome) {
  Names names = with({{"x", "arange(2)"}});
  EXPECT_EQ(names.text("old(x)"), "12:5 old(x): no such input here");
  names.old.emplace("x", Value{tensor("full([2], 7)")});
  EXPECT_EQ(names.text("old(x) + x"), "int64 [2] 7 8");
  EXPECT_EQ(names.text("old(x + 1)"), "12:5 old() takes the name of one input");
}

TEST(Evaluate, ReadsGradientsByTheirNames) {
  Names names = with({{"x", "arange(2)"}});
  EXPECT_EQ(
      names.text("x.grad"),
      "12:5 \"x.grad\" has no value here: gradients exist after backward(), of inputs with requires_grad");
  names.set("x.grad", {tensor("ones([2])")});
  EXPECT_EQ(names.text("x.grad * 2"), "float32 [2] 2 2");
}

TEST(Evaluate, TakesABoundNameForTheReceiverOfAMethod) {
  Names names = with({{"x", "arange(4)"}});
  EXPECT_EQ(names.text("x.sum(dtype=float32)"), "float32 [] 6");
  EXPECT_EQ(names.text("sort.stable(x, stable=true)"), "12:5 stable gives 2 results where one is needed");
}

TEST(Relation, HoldsWhereEveryElementDoes) {
  Names names = with({{"x", "arange(6).reshape([2, 3])"}});
  const auto relation = [&](const std::string& text) {
    return evaluate_relation(*expr(text), names.scope());
  };
  EXPECT_TRUE(relation("x >= 0").holds);
  EXPECT_TRUE(relation("1 < 2").holds);
  EXPECT_TRUE(relation("x[0:0] > 5").holds) << "there is no element that breaks it";
  EXPECT_FALSE(relation("2 < 1").holds);
  EXPECT_EQ(relation("2 < 1").first_false, -1);
  const RelationResult broken = relation("x % 3 != 1");
  EXPECT_FALSE(broken.holds);
  EXPECT_EQ(broken.first_false, 1);
  EXPECT_EQ(broken.false_count, 2);
  EXPECT_EQ(broken.total, 6);
  EXPECT_EQ(broken.shape, (std::vector<std::int64_t>{2, 3}));
}

TEST(Relation, IsATruthValueOrABoolTensor) {
  Names names = with({{"x", "arange(3)"}});
  for (const auto& [text, due] : std::vector<std::pair<std::string, std::string>>{
           {"x", "a relation is true or false, or a bool tensor; this is int64 [3]"},
           {"3", "a relation is true or false, or a bool tensor; this is 3"},
           {"none", "a relation is true or false, or a bool tensor; this is none"}}) {
    try {
      evaluate_relation(*expr(text), names.scope());
      ADD_FAILURE() << text;
    } catch (const EvalError& error) {
      EXPECT_EQ(std::string(error.what()), due);
      EXPECT_EQ(error.pos(), (SourcePos{12, 5}));
    }
  }
}

TEST(InputsEvaluator, ComputesOverBoundInputs) {
  Symbols symbols;
  symbols.dims["N"] = 3;
  const std::map<std::string, c10::IValue, std::less<>> bound = {{"x", tensor("arange(3)")},
                                                                 {"k", std::int64_t{2}}};
  EXPECT_EQ(text_of(InputsEvaluator{}(*expr("x * k + N"), bound, symbols).toTensor()), "int64 [3] 3 5 7");
  EXPECT_TRUE(InputsEvaluator{}(*expr("[1.5, 2]"), bound, symbols).isDoubleList());
  EXPECT_THROW(InputsEvaluator{}(*expr("y"), bound, symbols), EvalError);
}

}  // namespace
}  // namespace relapse
