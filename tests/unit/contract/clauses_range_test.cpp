#include <limits>

#include "contracts.hpp"

namespace relapse {
namespace {

using namespace test;

/// These numbers as a tensor.
std::string row(const std::string& dtype, const std::vector<std::string>& values) {
  std::string all;
  for (const std::string& value : values)
    all += (all.empty() ? "" : ", ") + ("full([], " + value + ", dtype=float64)");
  return "stack([" + all + "]).to(" + dtype + ")";
}

TEST(Finite, FindsNaNAndInfinitiesInEveryDtype) {
  for (const char* dtype : {"float16", "bfloat16", "float32", "float64", "complex64"}) {
    EXPECT_EQ(seen("finite: true", row(dtype, {"1", "2"})), "holds") << dtype;
    EXPECT_NE(seen("finite: true", row(dtype, {"1", "nan", "inf"})), "holds") << dtype;
  }
  EXPECT_EQ(seen("finite: true", row("float32", {"1", "nan", "inf"})),
            "y[1] = nan | 2 of 3 elements break it");
  EXPECT_EQ(seen("finite: true", row("float16", {"-inf"})), "y[0] = -inf");
  EXPECT_EQ(seen("finite: true", "full([], nan)"), "y = nan");
  for (const char* dtype : {"int64", "uint8", "bool", "uint64"})
    EXPECT_EQ(seen("finite: true", row(dtype, {"1", "0"})), "holds") << dtype;
}

// Both used to hold without having been looked at.
TEST(Finite, FindsTheNaNOfFloat8) {
  EXPECT_EQ(seen("finite: true", row("float8_e4m3fn", {"1", "2"})), "holds");
  EXPECT_EQ(seen("finite: true", row("float8_e4m3fn", {"1", "nan"})), "y[1] = nan");
  EXPECT_EQ(seen("finite: true", row("float8_e5m2", {"inf", "1"})), "y[0] = inf");
}

TEST(Bound, HoldsForEveryElement) {
  EXPECT_EQ(seen("min: 0, max: C", "arange(4)"), "holds");
  EXPECT_EQ(seen("max: C - 1", "arange(4)"), "y[3] = 3");
  EXPECT_EQ(promised("max: C - 1", "arange(4)"), "y.max: C - 1 = 2");
  EXPECT_EQ(promised("max: 2", "arange(4)"), "y.max: 2");
  EXPECT_EQ(seen("min: 2", "arange(4).reshape([2, 2])"), "y[0, 0] = 0 | 2 of 4 elements break it");
  EXPECT_EQ(seen("above: 0", "arange(2)"), "y[0] = 0");
  EXPECT_EQ(seen("below: 1", "arange(2)"), "y[1] = 1");
  EXPECT_EQ(clause_of("min: 0", {std::int64_t{-3}}).only(), "y = -3");
  EXPECT_EQ(clause_of("min: 0", {std::string("a")}).only(), "a text where a tensor is due");
  EXPECT_EQ(seen("min: 0", "zeros([0])"), "holds");
}

TEST(Bound, RefusesNaNUnlessItIsAllowed) {
  EXPECT_EQ(seen("min: 0", row("float32", {"nan", "1"})), "y[0] = nan");
  EXPECT_EQ(seen("max: 9", row("float16", {"nan", "1"})), "y[0] = nan");
  EXPECT_EQ(seen("min: 0, nan: allow", row("float32", {"nan", "1"})), "holds");
  EXPECT_EQ(seen("min: 0, nan: allow", row("float32", {"nan", "-1"})), "y[1] = -1");
}

TEST(Bound, AllowsExceptions) {
  EXPECT_EQ(seen("min: 0, except: [-100, -7]", row("int64", {"-100", "0", "-7"})), "holds");
  EXPECT_EQ(seen("min: 0, except: [-100]", row("int64", {"-100", "-99"})), "y[1] = -99");
  EXPECT_EQ(seen("max: 1, except: [C]", row("float32", {"3", "1"})), "holds");
}

TEST(Bound, IsRoundedToTheDtypeOfTheTensor) {
  // 0.1 in float16 is 0.0999755859375: below 0.1 as a double, but it is the bound.
  EXPECT_EQ(seen("min: 0.1", row("float16", {"0.1"})), "holds");
  EXPECT_EQ(seen("above: 0.1", row("float16", {"0.1"})).substr(0, 4), "y[0]");
  EXPECT_EQ(seen("max: 0.1", row("float32", {"0.1"})), "holds") << "float32 of 0.1 is above the double";
  EXPECT_EQ(seen("max: 16777217", row("float32", {"16777216"})), "holds");
}

TEST(Bound, IsExactForWholeElements) {
  const std::string big = "full([1], 9007199254740993, dtype=int64)";
  EXPECT_EQ(seen("max: 9007199254740992", big), "y[0] = 9007199254740993");
  EXPECT_EQ(seen("max: 9007199254740993", big), "holds");
  EXPECT_EQ(seen("min: 0.5", "zeros([1], dtype=int64)"), "y[0] = 0");
  EXPECT_EQ(seen("min: 0.5", "ones([1], dtype=int64)"), "holds");
  EXPECT_EQ(seen("max: -0.5", "zeros([1], dtype=int64)"), "y[0] = 0");
  EXPECT_EQ(seen("above: 2.5", "full([1], 3)"), "holds");
  EXPECT_EQ(seen("above: 2.5", "full([1], 2)"), "y[0] = 2");
  EXPECT_EQ(seen("below: 2.5", "full([1], 2)"), "holds");
  EXPECT_EQ(seen("below: 2.5", "full([1], 3)"), "y[0] = 3");
  EXPECT_EQ(seen("max: true", "full([1], 1)"), "holds");
  EXPECT_EQ(seen("min: 1", "full([1], false, dtype=bool)"), "y[0] = false");
  EXPECT_EQ(seen("max: 0.5", "full([1], true, dtype=bool)"), "y[0] = true");
}

// A bound beyond 64 bits used to become the last integer of 64 bits, which an element may well be.
TEST(Bound, IsExactBeyond64Bits) {
  const std::string last = "full([1], 9223372036854775807, dtype=int64)";
  const std::string first = "full([1], -9223372036854775808, dtype=int64)";
  EXPECT_EQ(seen("min: 1e19", last), "y[0] = 9223372036854775807");
  EXPECT_EQ(seen("below: 1e19", last), "holds");
  EXPECT_EQ(seen("max: -1e19", first), "y[0] = -9223372036854775808");
  EXPECT_EQ(seen("above: -1e19", first), "holds");
  EXPECT_EQ(seen("min: -inf, max: inf", last), "holds");
  const at::Tensor huge = tensor(last).view(at::kUInt64);
  EXPECT_EQ(seen("min: 1e19", huge), "y[0] = 9223372036854775807");
  const at::Tensor all_ones = tensor("full([1], -1, dtype=int64)").view(at::kUInt64);
  EXPECT_EQ(seen("min: 1e19", all_ones), "holds");
  EXPECT_EQ(seen("max: 9223372036854775807", all_ones), "y[0] = 18446744073709551615");
  EXPECT_EQ(seen("max: 1e19", all_ones), "y[0] = 18446744073709551615");
  EXPECT_EQ(seen("min: 0", all_ones), "holds");
}

TEST(Bound, HoldsForNothingWhereItIsNaN) {
  for (const char* clause : {"min: nan", "max: nan", "above: nan", "below: nan"}) {
    EXPECT_EQ(seen(clause, "arange(2)"), "the bound is nan") << clause;
    EXPECT_EQ(seen(clause, "ones([2])"), "the bound is nan") << clause;
  }
}

TEST(Bound, HasNoMeaningForComplexNumbers) {
  EXPECT_EQ(seen("min: 0", row("complex64", {"1"})), "complex64, which has no order");
  EXPECT_EQ(seen("one_of: [1]", row("complex64", {"1"})), "complex64, which has no order");
  EXPECT_EQ(seen("min: 0", row("float8_e5m2", {"1"})), "float8_e5m2, which has no order");
}

// In guard() such an error would have passed for one of the subject.
TEST(Bound, MakesACaseErrorOfWhatItThrows) {
  EXPECT_EQ(seen("max: 'x[5].sum()'", "arange(2)", with({{"x", "arange(2)"}})),
            "11:17 y.max cannot be evaluated, index_error: \"select(): index 5 out of range for tensor of "
            "size [2] at "
            "dimension 0\"");
  EXPECT_EQ(seen("max: x", "arange(2)", with({{"x", "arange(2)"}})),
            "11:22 expected a number, got int64 [2] (x)");
  EXPECT_EQ(seen("max: x.sum()", "arange(2)", with({{"x", "arange(2)"}})), "holds");
}

TEST(OneOf, LooksForEveryElementInTheList) {
  EXPECT_EQ(seen("one_of: [0, 1, C]", row("int64", {"0", "3"})), "holds");
  EXPECT_EQ(seen("one_of: [0, 1]", row("int64", {"0", "3"})), "y[1] = 3");
  EXPECT_EQ(seen("none_of: [7]", row("int64", {"0", "3"})), "holds");
  EXPECT_EQ(seen("none_of: [0, 7]", row("int64", {"0", "3"})), "y[0] = 0");
  EXPECT_EQ(seen("one_of: [0.5]", row("int64", {"0"})), "y[0] = 0");
  EXPECT_EQ(seen("one_of: [0.1]", row("float16", {"0.1"})), "holds") << "rounded to the dtype";
  EXPECT_EQ(seen("one_of: [0], except: [9]", row("int64", {"0", "9"})), "holds");
  EXPECT_EQ(seen("one_of: [true]", "full([1], true, dtype=bool)"), "holds");
}

TEST(OneOf, TreatsNaNAsItIsListed) {
  EXPECT_EQ(seen("one_of: [0, nan]", row("float32", {"0", "nan"})), "holds");
  EXPECT_EQ(seen("one_of: [0]", row("float32", {"0", "nan"})), "y[1] = nan");
  EXPECT_EQ(seen("one_of: [0], nan: allow", row("float32", {"0", "nan"})), "holds");
  EXPECT_EQ(seen("none_of: [nan]", row("float32", {"0", "nan"})), "y[1] = nan");
  EXPECT_EQ(seen("none_of: [0]", row("float32", {"1", "nan"})), "holds");
}

TEST(Sorted, GoesAlongTheLastDimension) {
  EXPECT_EQ(seen("sorted: nondecreasing", row("int64", {"1", "1", "2"})), "holds");
  EXPECT_EQ(seen("sorted: increasing", row("int64", {"1", "1", "2"})), "y[1] = 1 after 1");
  EXPECT_EQ(seen("sorted: nondecreasing", row("float16", {"1", "0.5"})), "y[1] = 0.5 after 1");
  EXPECT_EQ(seen("sorted: increasing", "arange(6).reshape([2, 3]) % 3"), "holds") << "each row begins anew";
  EXPECT_EQ(seen("sorted: increasing", "full([], 1)"), "holds");
  EXPECT_EQ(seen("sorted: increasing", "zeros([2, 0])"), "holds");
  EXPECT_EQ(seen("sorted: increasing", "full([2], true, dtype=bool)"), "y[1] = true after true");
}

TEST(Sorted, IsBrokenByNaNOnEitherSide) {
  EXPECT_EQ(seen("sorted: nondecreasing", row("float32", {"1", "nan"})), "y[1] = nan after 1");
  EXPECT_EQ(seen("sorted: nondecreasing", row("float32", {"nan", "1"})), "y[1] = 1 after nan");
  EXPECT_EQ(seen("sorted: nondecreasing", row("complex64", {"1", "2"})), "a dtype without an order");
}

TEST(Distinct, HasNoValueTwice) {
  EXPECT_EQ(seen("distinct: true", "arange(5)"), "holds");
  EXPECT_EQ(seen("distinct: true", row("int64", {"3", "1", "3"})), "3 stands twice in y");
  EXPECT_EQ(seen("distinct: true", row("float16", {"0.5", "1", "0.5"})), "0.5 stands twice in y");
  EXPECT_EQ(seen("distinct: true", "full([3], true, dtype=bool)"), "true stands twice in y");
  EXPECT_EQ(seen("distinct: true", "zeros([0])"), "holds");
}

TEST(Distinct, LooksWithinTheseDimensions) {
  EXPECT_EQ(seen("distinct: {dims: [1]}", "arange(6).reshape([2, 3]) % 3"), "holds");
  EXPECT_EQ(seen("distinct: {dims: [0]}", "arange(6).reshape([2, 3]) % 3"), "0 stands twice in y");
  EXPECT_EQ(seen("distinct: {dims: [0, -1]}", "arange(6).reshape([2, 3])"), "holds");
  EXPECT_EQ(seen("distinct: {dims: [2]}", "arange(6).reshape([2, 3])"), "rank 2, so there is no dim 2");
}

// Complex results and results full of NaN used to hold.
TEST(Distinct, HoldsForNothingThatItCannotTellApart) {
  EXPECT_EQ(seen("distinct: true", row("complex64", {"1", "1"})), "a dtype without an order");
  EXPECT_EQ(seen("distinct: true", row("float32", {"nan", "1", "nan"})), "nan stands twice in y");
  EXPECT_EQ(seen("distinct: true", row("float32", {"nan", "1"})), "holds");
  EXPECT_EQ(seen("distinct: true, min: 0, nan: allow", row("float32", {"nan", "1", "nan"})), "holds");
}

}  // namespace
}  // namespace relapse
