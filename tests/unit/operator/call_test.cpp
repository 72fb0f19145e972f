#include <ATen/ops/add.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/maximum.h>

#include "names.hpp"

namespace relapse {
namespace {

using namespace test;

TEST(Call, WritesOperatorsInFourWays) {
  for (const char* name : {"add", "aten::add", "add.Tensor", "aten::add.Tensor"}) {
    EXPECT_EQ(parse_operator(name).qualified, "aten::add") << name;
  }
  EXPECT_FALSE(parse_operator("add").has_overload);
  EXPECT_EQ(parse_operator("ns::add.Tensor").overload, "Tensor");
  EXPECT_EQ(parse_operator("ns::add.Tensor").qualified, "ns::add");
}

TEST(Call, ChoosesTheOverloadThatFits) {
  Names names = with({{"x", "arange(4)"}, {"y", "full([4], 2)"}});
  EXPECT_EQ(names.text("add(x, y)"), "int64 [4] 2 3 4 5");
  EXPECT_EQ(names.text("add(x, 1.5)"), "float32 [4] 1.5 2.5 3.5 4.5");
  EXPECT_EQ(names.text("max(x)"), "int64 [] 3");
  EXPECT_EQ(names.text("max(x, y)"), "int64 [4] 2 2 2 3") << "not max.dim with y for a dim";
  EXPECT_EQ(names.results("max(x, 0)").size(), 2u);
  EXPECT_EQ(names.text("add(x, y, alpha=3)"), "int64 [4] 6 7 8 9");
}

// LibTorch's own normalisation lets a surplus positional value flow on: `arange(0, 5)` gave an empty Half
// tensor.
TEST(Call, LetsNoPositionFlowIntoAKeyword) {
  Names names = with({{"x", "arange(4)"}, {"y", "full([4], 2)"}});
  EXPECT_EQ(names.text("arange(0, 5)"), "int64 [5] 0 1 2 3 4");
  EXPECT_EQ(names.text("arange(1, 5, 2)"), "int64 [2] 1 3");
  EXPECT_EQ(names.text("aten::arange.start(0, 5, 1)"),
            "12:5 aten::arange.start does not fit: takes at most 2 positional arguments, got 3");
  EXPECT_EQ(names.text("relu(x, y)"),
            "12:5 aten::relu does not fit: takes at most 1 positional arguments, got 2");
}

TEST(Call, PrefersFewestDefaultsThenTheFirstName) {
  Names names = with({{"x", "ones([2, 3])"}});
  // std: "" (unbiased=true) and dim (dim, unbiased, keepdim), correction (*, dim, correction, keepdim).
  EXPECT_EQ(names.text("std(x)"), "float32 [] 0");
  EXPECT_EQ(names.text("sum(x, 1)"), "float32 [2] 3 3");
  EXPECT_EQ(names.text("all(x)"), "bool [] true");
}

TEST(Call, TakesNoOutVariantUnlessItIsNamed) {
  Names names = with({{"x", "arange(2)"}, {"y", "arange(2)"}, {"out", "zeros([2], dtype=int64)"}});
  const std::string refused = names.text("add(x, y, out=out)");
  EXPECT_EQ(refused.substr(0, 40), "12:5 no overload of aten::add fits: .Sca") << refused;
  EXPECT_NE(refused.find("has no argument out"), std::string::npos) << refused;
  const Arguments arguments{{names.eval("x"), names.eval("y")}, {{"out", names.eval("out")}}};
  EXPECT_EQ(text_of(call_operator(parse_operator("add.out"), arguments, c10::kCPU, {}).front()),
            "int64 [2] 0 2");
  EXPECT_EQ(text_of(names.eval("out")), "int64 [2] 0 2");
}

TEST(Call, SaysWhatDoesNotFit) {
  Names names = with({{"x", "arange(4)"}});
  EXPECT_EQ(names.text("relu()"), "12:5 aten::relu does not fit: needs self");
  EXPECT_EQ(names.text("relu(3)"), "12:5 aten::relu does not fit: self: expected a tensor, got an integer");
  EXPECT_EQ(names.text("relu(x, alfa=1)"), "12:5 aten::relu does not fit: has no argument alfa");
  EXPECT_EQ(names.text("relu(x, self=x)"), "12:5 aten::relu does not fit: got self twice");
  EXPECT_EQ(names.text("add.Tensor(x, x, alfa=1)"),
            "12:5 aten::add.Tensor does not fit: has no argument alfa");
}

TEST(Call, NamesUnknownOperatorsAndTheNearestOne) {
  Names names = with({{"x", "arange(4)"}});
  EXPECT_EQ(names.text("softmx(x, 0)"), "12:5 unknown operator aten::softmx; did you mean \"softmax\"?");
  EXPECT_EQ(names.text("x.index_selct(0, x)"),
            "12:5 unknown operator aten::index_selct; did you mean \"index_select\"?");
  EXPECT_EQ(names.text("nothing::like_it(x)"), "12:5 unknown operator nothing::like_it");
  EXPECT_EQ(names.text("add.Tenso(x, x)").substr(0, 48),
            "12:5 aten::add has no overload \"Tenso\"; it has \"");
}

TEST(Call, CallsMethods) {
  Names names = with({{"x", "arange(4)"}});
  EXPECT_EQ(names.text("x.sum()"), "int64 [] 6");
  EXPECT_EQ(names.text("x.reshape([2, 2]).sum(0)"), "int64 [2] 2 4");
  EXPECT_EQ(names.text("x.add(x, alpha=2)"), "int64 [4] 0 3 6 9");
  EXPECT_EQ(names.text("(x + 1).sum()"), "int64 [] 10");
  EXPECT_EQ(names.text("x.to(float16)"), "float16 [4] 0 1 2 3");
}

TEST(Call, GivesAllResults) {
  Names names = with({{"x", "arange(6).reshape([2, 3])"}});
  const std::vector<Value> results = names.results("max(x, 1)");
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(text_of(results[0]), "int64 [2] 2 5");
  EXPECT_EQ(text_of(results[1]), "int64 [2] 2 2");
  EXPECT_EQ(names.text("max(x, 1) + 1"), "12:5 max gives 2 results where one is needed");
  EXPECT_EQ(names.results("split(x, 1)").size(), 1u) << "a list is one result";
  EXPECT_EQ(names.text("split(x, 1)"), "[int64 [1, 3], int64 [1, 3]]");
}

TEST(Call, GoesOnWithWhatAnOperatorThrows) {
  Names names = with({{"x", "arange(4)"}});
  EXPECT_EQ(names.text("x.index_select(0, x + 1)"), "index_error index out of range in self");
  EXPECT_EQ(names.text("x.reshape([3])").substr(0, 13), "runtime_error");
}

TEST(Call, ChoosesAlikeWithACache) {
  Names names = with({{"x", "arange(4)"}, {"f", "ones([4])"}});
  names.cached = true;
  const ExprPtr sum = expr("add(a, b)");
  const auto with = [&](const std::string& a, const std::string& b) {
    names.set("a", names.eval(a)).set("b", names.eval(b));
    return text_of(evaluate(*sum, names.scope()));
  };
  EXPECT_EQ(with("x", "x"), "int64 [4] 0 2 4 6");
  EXPECT_EQ(with("x", "1"), "int64 [4] 1 2 3 4") << "another kind of argument, another overload";
  EXPECT_EQ(with("x", "f"), "float32 [4] 1 2 3 4");
  EXPECT_EQ(with("x", "x"), "int64 [4] 0 2 4 6");
  EXPECT_EQ(with("x", "0.5"), "float32 [4] 0.5 1.5 2.5 3.5");
  EXPECT_GE(names.cache.size(), 3u);
}

}  // namespace
}  // namespace relapse
