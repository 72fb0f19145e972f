#include <gtest/gtest.h>

#include <algorithm>
#include <harness/tensor/facts.hpp>
#include <harness/tensor/generator.hpp>
#include <set>

#include "builders.hpp"

namespace relapse {
namespace {

using namespace test;

at::Tensor generated(const Clauses& clauses, std::uint64_t seed = 0) {
  const Context context(clauses, seed);
  return made(InputForm(), context.form);
}
std::string refused(const Clauses& clauses) {
  const Context context(clauses);
  return error_of(InputForm(), context.form);
}

TEST(Generated, IntegersAreUniformBetweenTheirBounds) {
  EXPECT_EQ(text_of(generated(Clauses("target").dtype(DType::int64).shape({"4"}).min("0").max("3"), 7)),
            "2 3 2 0");
  EXPECT_EQ(text_of(generated(Clauses("x").dtype(DType::int8).shape({"4"}).above("-6").below("5.5"))),
            "3 -4 5 1");
}

TEST(Generated, IntegersNeedBothBounds) {
  EXPECT_EQ(refused(Clauses("x").dtype(DType::uint8).shape({"4"}).min("0")),
            "x: uint8 values need both bounds to be generated; add `min` and `max` to `requires`, or give "
            "the input "
            "a form such as `zeros`");
  EXPECT_EQ(refused(Clauses("x").dtype(DType::int64).shape({"4"}).min("4").max("3")),
            "x: no value lies between 4 and 3, the bounds in `requires`");
  EXPECT_EQ(generated(Clauses("x").dtype(DType::int64).shape({"0"})).numel(), 0);
}

TEST(Generated, IntegersStayInsideTheirDtype) {
  const TensorFacts facts =
      facts_of("x", generated(Clauses("x").dtype(DType::uint8).shape({"5000"}).min("-300").max("300")));
  EXPECT_EQ(facts.min, "0");
  EXPECT_EQ(facts.max, "255");
}

TEST(Generated, BoolIsTheTopBit) {
  const at::Tensor tensor = generated(Clauses("x").dtype(DType::boolean).shape({"3"}));
  EXPECT_EQ(text_of(tensor), "true false true");
}

TEST(Generated, FloatsAreNormalHalfNormalOrUniform) {
  EXPECT_EQ(text_of(generated(Clauses("x").dtype(DType::float32).shape({"3"}))),
            "-1.1322434 -0.9750166 -0.055653043");
  EXPECT_EQ(text_of(generated(Clauses("x").dtype(DType::float32).shape({"3"}).min("1"))),
            "2.1322434 1.9750166 1.0556531");
  EXPECT_EQ(text_of(generated(Clauses("x").dtype(DType::float32).shape({"3"}).max("-1"))),
            "-2.1322434 -1.9750166 -1.0556531");
  EXPECT_EQ(text_of(generated(Clauses("x").dtype(DType::float64).shape({"3"}).min("0").max("1"))),
            "0.7341749900661223 0.15644434255641887 0.9350981818075605");
}

TEST(Generated, AnOpenBoundIsNeverReached) {
  // In float8 many draws round to the bounds themselves.
  const at::Tensor tensor =
      generated(Clauses("x").dtype(DType::float8_e4m3fn).shape({"4000"}).above("0").below("1"));
  const TensorFacts facts = facts_of("x", tensor);
  EXPECT_EQ(facts.min, "0.002");
  EXPECT_EQ(facts.max, "0.94");
}

TEST(Generated, OneOfPicksByPosition) {
  EXPECT_EQ(
      text_of(generated(Clauses("x").dtype(DType::int64).shape({"4"}).one_of({"10", "20", "30", "40"}))),
      "30 10 40 30");
  EXPECT_EQ(text_of(generated(Clauses("x").dtype(DType::float32).shape({"3"}).one_of({"0.5", "nan"}))),
            "nan 0.5 nan");
  EXPECT_EQ(refused(Clauses("x").dtype(DType::uint8).shape({"4"}).one_of({"1", "256"})),
            "x: `one_of`: 256 does not fit uint8 (0 to 255)");
}

TEST(Generated, ExceptIsMixedIn) {
  const at::Tensor tensor =
      generated(Clauses("x").dtype(DType::int64).shape({"800"}).min("0").max("9").except({"-100", "-1"}));
  const PhiloxKey key = philox_key(0, "x");
  int replaced = 0;
  for (std::int64_t i = 0; i < 800; ++i) {
    const std::string text = element_text(tensor, i);
    if (const auto chosen = exception_at(key, static_cast<std::uint64_t>(i), 2)) {
      EXPECT_EQ(text, *chosen == 0 ? "-100" : "-1");
      ++replaced;
    } else {
      EXPECT_EQ(text, std::to_string(integer_at(key, static_cast<std::uint64_t>(i), 0, 9)));
    }
  }
  EXPECT_GT(replaced, 50);
}

TEST(Generated, SortedIsSortedLast) {
  const at::Tensor tensor = generated(Clauses("x")
                                          .dtype(DType::int64)
                                          .shape({"2", "3"})
                                          .min("0")
                                          .max("3")
                                          .word(ClauseKind::sorted, "nondecreasing"));
  const std::string text = text_of(tensor);
  const at::Tensor plain = generated(Clauses("x").dtype(DType::int64).shape({"2", "3"}).min("0").max("3"));
  std::vector<std::int64_t> expected(6);
  for (int i = 0; i < 6; ++i) expected[static_cast<std::size_t>(i)] = std::stoll(element_text(plain, i));
  std::sort(expected.begin(), expected.begin() + 3);
  std::sort(expected.begin() + 3, expected.end());
  std::string wanted;
  for (const std::int64_t value : expected) {
    if (!wanted.empty()) wanted += " ";
    wanted += std::to_string(value);
  }
  EXPECT_EQ(text, wanted);
}

TEST(Generated, IncreasingRowsHaveNoTwins) {
  const at::Tensor tensor = generated(Clauses("x")
                                          .dtype(DType::int32)
                                          .shape({"3", "5"})
                                          .min("0")
                                          .max("5")
                                          .word(ClauseKind::sorted, "increasing"));
  for (int row = 0; row < 3; ++row) {
    std::vector<std::int64_t> drawn = distinct(philox_key(0, "x." + std::to_string(row)), 5, 0, 5);
    std::sort(drawn.begin(), drawn.end());
    for (int i = 0; i < 5; ++i)
      EXPECT_EQ(element_text(tensor, 5 * row + i), std::to_string(drawn[static_cast<std::size_t>(i)]));
  }
}

TEST(Generated, DistinctHoldsInTheWholeOrWithinDims) {
  const at::Tensor whole =
      generated(Clauses("x").dtype(DType::int64).shape({"2", "4"}).min("0").max("7").distinct());
  std::set<std::string> seen;
  for (int i = 0; i < 8; ++i) seen.insert(element_text(whole, i));
  EXPECT_EQ(seen.size(), 8u);

  const at::Tensor rows =
      generated(Clauses("x").dtype(DType::int64).shape({"2", "4"}).min("0").max("3").distinct({0}));
  // Within dimension 0 there are four rows of two elements, which lie four apart.
  for (int column = 0; column < 4; ++column) {
    const std::vector<std::int64_t> drawn = distinct(philox_key(0, "x." + std::to_string(column)), 2, 0, 3);
    EXPECT_EQ(element_text(rows, column), std::to_string(drawn[0]));
    EXPECT_EQ(element_text(rows, column + 4), std::to_string(drawn[1]));
  }
}

TEST(Generated, ASingleDistinctRowBearsThePlainName) {
  const at::Tensor tensor =
      generated(Clauses("x").dtype(DType::int64).shape({"5"}).min("0").max("99").distinct());
  const std::vector<std::int64_t> drawn = distinct(philox_key(0, "x"), 5, 0, 99);
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(element_text(tensor, i), std::to_string(drawn[static_cast<std::size_t>(i)]));
}

TEST(Generated, DistinctSaysWhenTheRangeIsTooNarrow) {
  EXPECT_EQ(refused(Clauses("x").dtype(DType::int64).shape({"5"}).min("0").max("3").distinct()),
            "x: 5 distinct values are needed, but there are only 4; widen the range in `requires` or give "
            "the input "
            "a form");
  EXPECT_EQ(refused(Clauses("x").dtype(DType::float8_e4m3fn).shape({"300"}).distinct()),
            "x: 300 distinct float8_e4m3fn values were not found in the range of `requires`; give the input "
            "a form");
}

TEST(Generated, DistinctFloatsSkipRepeats) {
  const at::Tensor tensor =
      generated(Clauses("x").dtype(DType::float16).shape({"500"}).min("1").max("2").distinct());
  std::set<std::string> seen;
  for (int i = 0; i < 500; ++i) seen.insert(element_text(tensor, i));
  EXPECT_EQ(seen.size(), 500u);
}

TEST(Generated, ComplexTakesItsImaginaryPartFromAnotherName) {
  const at::Tensor tensor = generated(Clauses("x").dtype(DType::complex64).shape({"1"}));
  const std::string real = number_text(static_cast<float>(normal_at(philox_key(0, "x"), 0)), at::kFloat);
  const std::string imaginary =
      number_text(static_cast<float>(normal_at(philox_key(0, "x.imag"), 0)), at::kFloat);
  EXPECT_EQ(element_text(tensor, 0), "(" + real + (imaginary[0] == '-' ? "" : "+") + imaginary + "j)");
}

TEST(Generated, OfSeveralDtypesTheFirst) {
  Clauses clauses = Clauses("x").shape({"2"});
  clauses.add(ClauseKind::dtype).dtypes = {dtype(DType::bfloat16), dtype(DType::float32)};
  EXPECT_EQ(generated(clauses).scalar_type(), at::kBFloat16);
}

}  // namespace
}  // namespace relapse
