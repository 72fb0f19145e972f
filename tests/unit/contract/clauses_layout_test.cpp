#include "contracts.hpp"

namespace relapse {
namespace {

using namespace test;

TEST(Dtype, IsOneOfThoseListed) {
  EXPECT_EQ(seen("dtype: float32", "zeros([2])"), "holds");
  EXPECT_EQ(seen("dtype: float32", "zeros([2], dtype=float64)"), "float64");
  EXPECT_EQ(promised("dtype: [float32, float16]", "arange(2)"),
            "y.dtype: [float32, float16] = float32 or float16");
  EXPECT_EQ(promised("dtype: float32", "arange(2)"), "y.dtype: float32");
  EXPECT_EQ(promised("dtype: F", "arange(2)"), "y.dtype: F = float16");
  EXPECT_EQ(seen("dtype: F", "zeros([2], dtype=float16)"), "holds");
}

TEST(Dtype, IsNoClauseOfNumbers) {
  EXPECT_EQ(clause_of("dtype: float32", {0.5}).only(), "a float where a tensor is due");
  EXPECT_EQ(clause_of("dtype: float32", {NoneValue{}}).only(), "none where a tensor is due");
  EXPECT_EQ(clause_of("dtype: float32", {at::Tensor()}).only(), "a tensor where a tensor is due");
}

TEST(Shape, HasTheseExtents) {
  EXPECT_EQ(seen("shape: [2, C]", "zeros([2, 3])"), "holds");
  EXPECT_EQ(seen("shape: [2, C]", "zeros([2, 4])"), "[2, 4] | extent 1 is 4, expected C = 3");
  EXPECT_EQ(promised("shape: [2, C]", "zeros([2, 4])"), "y.shape: [2, C]");
  EXPECT_EQ(seen("shape: [2, C]", "zeros([2])"), "[2] | rank is 1, expected 2 ([2, C])");
  EXPECT_EQ(seen("shape: []", "zeros([])"), "holds");
  EXPECT_EQ(clause_of("shape: []", {0.5}).only(), "holds") << "a number is 0-d";
  EXPECT_EQ(seen("shape: [[2], [C, 2 * C]]", "zeros([3, 6])"), "holds");
  EXPECT_EQ(seen("shape: [[2], [C, 2 * C]]", "zeros([3, 5])"), "[3, 5]");
  EXPECT_EQ(clause_of("shape: [2]", {std::string("a")}).only(), "a text where a tensor is due");
}

TEST(Shape, BindsDimsWhereTheyAreFirstNamed) {
  const Case kase = contract_case("{x: {shape: [M, 2]}, z: {shape: [2, M]}}", "{y: {shape: [M]}}");
  Names names = with({{"x", "zeros([4, 2])"}, {"z", "zeros([2, 5])"}});
  EXPECT_EQ(check_names(kase.contract.requires_, names).seen(),
            (std::vector<std::string>{"z.shape: [2, 5] | extent 1 is 5, expected M = 4"}));
  EXPECT_EQ(names.symbols.dim("M"), 4);
}

TEST(Shape, BindsNothingWhereItBreaks) {
  const Case kase = contract_case("{x: {shape: [M, 2]}, z: {shape: [M]}}", "{y: {shape: [M]}}");
  Names names = with({{"x", "zeros([4, 3])"}, {"z", "zeros([5])"}});
  EXPECT_EQ(check_names(kase.contract.requires_, names).seen(),
            (std::vector<std::string>{"x.shape: [4, 3] | extent 1 is 3, expected 2"}));
  EXPECT_EQ(names.symbols.dim("M"), 5);
}

TEST(Count, IsOneOfTheseOrWithinARange) {
  EXPECT_EQ(seen("rank: 2", "zeros([2, 3])"), "holds");
  EXPECT_EQ(seen("rank: [0, 1]", "zeros([2, 3])"), "rank 2");
  EXPECT_EQ(promised("rank: [0, 1]", "zeros([2, 3])"), "y.rank: [0, 1] = 0 or 1");
  EXPECT_EQ(seen("numel: 2 * C", "zeros([2, 3])"), "holds");
  EXPECT_EQ(seen("numel: C", "zeros([2, 3])"), "elements: 6");
  EXPECT_EQ(seen("numel: {min: 6, max: 6}", "zeros([2, 3])"), "holds");
  EXPECT_EQ(promised("numel: {min: 7}", "zeros([2, 3])"), "y.numel: {min: 7} = at least 7");
  EXPECT_EQ(promised("numel: {max: 5}", "zeros([2, 3])"), "y.numel: {max: 5} = at most 5");
  EXPECT_EQ(seen("rank: []", "zeros([2])"), "11:23 no number is allowed, so this clause says nothing");
  EXPECT_EQ(seen("rank: 1.5", "zeros([2])"), "11:23 expected an integer, got 1.5");
}

TEST(Layout, IsAsAsked) {
  EXPECT_EQ(seen("contiguous: true", "zeros([2, 3])"), "holds");
  EXPECT_EQ(seen("contiguous: true", "zeros([2, 3]).t()"), "strides [1, 3] for [3, 2]");
  EXPECT_EQ(seen("contiguous: false", "zeros([2, 3]).t()"), "holds");
  EXPECT_EQ(seen("contiguous: false", "zeros([2, 3])"), "strides [3, 1] for [2, 3]");
  EXPECT_EQ(seen("strides: [1, C]", "zeros([2, 3]).t()"), "holds");
  EXPECT_EQ(seen("strides: [C, 1]", "zeros([2, 3]).t()"), "[1, 3]");
  EXPECT_EQ(
      seen("memory_format: channels_last", "zeros([2, 3, 4, 5]).contiguous(memory_format=channels_last)"),
      "holds");
  EXPECT_EQ(seen("memory_format: channels_last", "zeros([2, 3, 4, 5])"),
            "strides [60, 20, 5, 1] for [2, 3, 4, 5]");
  EXPECT_EQ(seen("memory_format: channels_last", "zeros([2, 3])"), "strides [3, 1] for [2, 3]");
  EXPECT_EQ(seen("memory_format: [channels_last, contiguous]", "zeros([2, 3])"), "holds");
  EXPECT_EQ(seen("device: cpu", "zeros([2])"), "holds");
  EXPECT_EQ(seen("device: [cuda]", "zeros([2])"), "cpu");
  EXPECT_EQ(seen("requires_grad: false", "zeros([2])"), "holds");
  EXPECT_EQ(seen("requires_grad: true", "zeros([2])"), "it requires no gradient");
  EXPECT_EQ(seen("requires_grad: false", tensor("zeros([2])").set_requires_grad(true)),
            "it requires a gradient");
}

}  // namespace
}  // namespace relapse
