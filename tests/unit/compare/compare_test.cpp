#include <gtest/gtest.h>

#include <cmath>
#include <harness/contract/compare.hpp>
#include <harness/contract/mismatch.hpp>
#include <limits>

#include "../tensor/builders.hpp"

namespace relapse {
namespace {

using namespace test;
using I = std::int64_t;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

at::Tensor of(DType type, std::vector<Scalar> values) {
  const Context context;
  return made(with_dtype(row(std::move(values)), type), context.form);
}
Compare mode(CompareMode kind) {
  Compare compare;
  compare.mode = kind;
  return compare;
}
Compare close(double rtol, double atol) {
  Compare compare = mode(CompareMode::close);
  compare.rtol = rtol;
  compare.atol = atol;
  return compare;
}
Comparison compared(const at::Tensor& actual, const at::Tensor& expected, const Compare& compare = {},
                    CompareTable table = CompareTable::equals) {
  return compare_tensors(actual, expected, compare, table);
}
std::string lines_of(const Comparison& comparison, const std::vector<I>& shape) {
  std::string text;
  for (const std::string& line : comparison.lines(shape)) text += line + "\n";
  return text;
}

TEST(Compare, HoldsTheTablesOfTolerances) {
  const auto same = [](c10::ScalarType dtype, CompareTable table, double rtol, double atol) {
    const Tolerance tolerance = default_tolerance(dtype, table);
    EXPECT_DOUBLE_EQ(tolerance.rtol, rtol) << c10::toString(dtype);
    EXPECT_DOUBLE_EQ(tolerance.atol, atol) << c10::toString(dtype);
  };
  same(at::kDouble, CompareTable::equals, 1e-7, 1e-7);
  same(at::kFloat, CompareTable::equals, 1.3e-6, 1e-5);
  same(at::kHalf, CompareTable::equals, 1e-3, 1e-5);
  same(at::kBFloat16, CompareTable::equals, 1.6e-2, 1e-5);
  same(at::kFloat, CompareTable::same_as, 1e-4, 1e-5);
  same(at::kHalf, CompareTable::same_as, 5e-3, 1e-3);
  same(at::kBFloat16, CompareTable::same_as, 3e-2, 1e-2);
  same(at::kDouble, CompareTable::agrees, 1e-7, 1e-7);
  same(at::kFloat, CompareTable::agrees, 1e-3, 1e-3);
  same(at::kHalf, CompareTable::agrees, 1e-2, 1e-2);
  same(at::kBFloat16, CompareTable::agrees, 5e-2, 5e-2);
  same(at::kComplexFloat, CompareTable::equals, 1.3e-6, 1e-5);
  same(at::kFloat8_e4m3fn, CompareTable::equals, 0.16, 1e-4);
  same(at::kLong, CompareTable::agrees, 0, 0);
  same(at::kBool, CompareTable::agrees, 0, 0);
}

struct CloseRow {
  double actual, expected, rtol, atol;
  bool close;
};

// What torch.isclose(actual, expected, rtol, atol) answers in float64, worked out by hand from its rule
// |a - e| <= atol + rtol * |e|, with infinities equal to themselves only.
TEST(Compare, IsCloseAsTorchIsClose) {
  const CloseRow rows[] = {
      {1.0, 1.0, 0, 0, true},
      {1.0, 1.125, 0, 0.125, true},  // exactly at the tolerance
      {1.0, 1.125, 0, 0.0625, false},
      {8.0, 10.0, 0.25, 0, true},   // 2 <= 2.5
      {10.0, 8.0, 0.25, 0, true},   // 2 <= 2
      {10.5, 8.0, 0.25, 0, false},  // 2.5 > 2: relative to the expected one, not to the larger
      {8.0, 10.5, 0.25, 0, true},   // 2.5 <= 2.625
      {-8.0, -10.0, 0.25, 0, true},
      {-8.0, 8.0, 1, 0, false},   // 16 > 8
      {0.5, 0.0, 1e9, 0, false},  // nothing is relative to 0
      {0.5, 0.0, 0, 0.5, true},
      {0.0, -0.0, 0, 0, true},
      {kInfinity, kInfinity, 0, 0, true},
      {-kInfinity, kInfinity, 1, 1, false},
      {1e308, kInfinity, 1, 1, false},  // an infinite tolerance does not help
      {kInfinity, 1e308, 1, 1e308, false},
      {1e308, -1e308, 10, 0, false},  // the distance overflows
      {kNaN, kNaN, 1, 1, false},
      {kNaN, 1.0, 1, kInfinity, false},
      {1.0, kNaN, 1, kInfinity, false},
      {5e-324, 0.0, 0, 5e-324, true},
  };
  for (const CloseRow& row : rows) {
    const Comparison result = compared(of(DType::float64, {row.actual}), of(DType::float64, {row.expected}),
                                       close(row.rtol, row.atol));
    EXPECT_EQ(result.equal, row.close) << row.actual << " and " << row.expected;
  }
}

TEST(Compare, AutomaticIsExactForWholeNumbersElseClose) {
  EXPECT_EQ(compared(of(DType::int64, {I(1)}), of(DType::int64, {I(1)})).rule, "exact");
  EXPECT_EQ(compared(of(DType::boolean, {true}), of(DType::boolean, {true})).rule, "exact");
  EXPECT_EQ(compared(of(DType::float32, {1.0}), of(DType::float64, {1.0}), {}, CompareTable::same_as).rule,
            "close, float32: rtol 0.0001, atol 1e-05");
  Compare ulp = mode(CompareMode::ulp);
  ulp.ulp = 2;
  ulp.nan_same_places = true;
  ulp.mismatch = 0.001;
  EXPECT_EQ(compared(of(DType::float16, {1.0}), of(DType::float64, {1.0}), ulp).rule,
            "ulp, float16: 2, NaN in the same places, up to 0.1 % may differ");
}

TEST(Compare, SaysHowManyWhereAndByHowMuch) {
  std::vector<Scalar> seen(4096, I(0)), due(4096, I(0));
  seen[17 * 64 + 2] = 65504.0;
  due[17 * 64 + 2] = 61440.0;
  seen[5] = 1.0;
  due[5] = 1.015625;
  seen[6] = -1.0;
  due[6] = -1.015625;
  const Comparison result =
      compared(of(DType::float16, seen), of(DType::float64, due), {}, CompareTable::same_as);
  EXPECT_FALSE(result.equal);
  EXPECT_EQ(
      lines_of(result, {64, 64}),
      "3 of 4,096 elements differ; worst at [17, 2]: 65504 where 61440 was due (off by 6.6 %, 127 ulp)\n"
      "it would have passed at rtol 0.0662\n");
}

TEST(Compare, TheNamedRtolPassesAndOneBelowDoesNot) {
  const at::Tensor seen = of(DType::float32, {1.1, 2.0, 3.3}), due = of(DType::float32, {1.0, 2.0, 3.0});
  const Comparison result = compared(seen, due);
  ASSERT_TRUE(result.would_pass_at_rtol.has_value());
  EXPECT_TRUE(compared(seen, due, close(*result.would_pass_at_rtol * (1 + 1e-12), 1e-5)).equal);
  EXPECT_FALSE(compared(seen, due, close(*result.would_pass_at_rtol * (1 - 1e-9), 1e-5)).equal);
}

TEST(Compare, NoRtolHelpsWhereZeroOrNaNWasDue) {
  const Comparison zero = compared(of(DType::float32, {0.5, 1.5}), of(DType::float32, {0.0, 1.0}));
  EXPECT_FALSE(zero.would_pass_at_rtol.has_value());
  EXPECT_EQ(lines_of(zero, {2}), "2 of 2 elements differ; worst at [0]: 0.5 where 0 was due (off by 0.5)\n");
  const Comparison nan = compared(of(DType::float32, {1.0, kNaN}), of(DType::float32, {2.0, 2.0}));
  EXPECT_EQ(lines_of(nan, {2}), "2 of 2 elements differ; worst at [1]: nan where 2 was due\n");
}

TEST(Compare, SpeaksOfOneElementAsOne) {
  EXPECT_EQ(lines_of(compared(of(DType::int64, {I(3), I(1)}), of(DType::int64, {I(5), I(1)})), {2}),
            "1 of 2 elements differs; worst at [0]: 3 where 5 was due (off by 2)\n");
  EXPECT_EQ(lines_of(compared(of(DType::int64, {I(3)}), of(DType::int64, {I(5)})), {1}),
            "the only element differs: 3 where 5 was due (off by 2)\n");
  EXPECT_EQ(lines_of(compared(of(DType::int64, {I(3)}), of(DType::int64, {I(5)})), {}),
            "3 where 5 was due (off by 2)\n");
  EXPECT_EQ(lines_of(compared(of(DType::boolean, {true}), of(DType::boolean, {false})), {1}),
            "the only element differs: true where false was due (off by 1)\n");
}

TEST(Compare, Keeps64BitIntegersExact) {
  EXPECT_FALSE(compared(of(DType::int64, {INT64_MAX}), of(DType::int64, {INT64_MAX - 1})).equal);
  EXPECT_TRUE(compared(of(DType::int64, {INT64_MAX}), of(DType::int64, {INT64_MAX})).equal);
  // 2^53 + 1 is no double: a float64 reference cannot have meant it.
  EXPECT_FALSE(
      compared(of(DType::int64, {I(9007199254740993)}), of(DType::float64, {I(9007199254740992)})).equal);
  EXPECT_TRUE(
      compared(of(DType::int64, {I(9007199254740992)}), of(DType::float64, {I(9007199254740992)})).equal);
  EXPECT_FALSE(
      compared(of(DType::int64, {I(-1)}), of(DType::uint64, {std::uint64_t(18446744073709551615u)})).equal);
  EXPECT_TRUE(compared(of(DType::uint8, {I(200)}), of(DType::int64, {I(200)})).equal);
  EXPECT_EQ(lines_of(compared(of(DType::int64, {INT64_MAX}), of(DType::int64, {INT64_MIN})), {}),
            "9223372036854775807 where -9223372036854775808 was due (off by 1.84467e+19)\n");
}

TEST(Compare, AFractionIsNeverAnInteger) {
  const Comparison result = compared(of(DType::int64, {I(3)}), of(DType::float64, {2.5}));
  EXPECT_EQ(lines_of(result, {}), "3 where 2.5 was due (off by 0.5)\n");
  EXPECT_TRUE(compared(of(DType::int64, {I(3)}), of(DType::float64, {2.5}), close(0, 0.5)).equal);
  EXPECT_FALSE(compared(of(DType::int64, {I(3)}), of(DType::float64, {kNaN}), close(0, 10)).equal);
  EXPECT_TRUE(compared(of(DType::boolean, {true}), of(DType::float64, {1.0})).equal);
}

TEST(Compare, ExactRoundsTheReferenceFirst) {
  EXPECT_TRUE(compared(of(DType::float32, {0.1}), of(DType::float64, {0.1}), mode(CompareMode::exact)).equal);
  EXPECT_FALSE(compared(of(DType::float32, {0.1}), of(DType::float64, {0.1}), close(0, 0)).equal);
  EXPECT_TRUE(
      compared(of(DType::float32, {I(16777216)}), of(DType::int64, {I(16777217)}), mode(CompareMode::exact))
          .equal);
  EXPECT_TRUE(
      compared(of(DType::float16, {kInfinity}), of(DType::float64, {65520.0}), mode(CompareMode::exact))
          .equal);
  EXPECT_EQ(lines_of(compared(of(DType::float32, {0.1, 1.0}), of(DType::float64, {0.1, 1.0000001}),
                              mode(CompareMode::exact)),
                     {2}),
            "1 of 2 elements differs; worst at [1]: 1 where 1.0000001 was due (off by 1.2e-05 %, 1 ulp)\n");
}

TEST(Compare, CountsUlpInTheDtypeOfTheResult) {
  Compare ulp = mode(CompareMode::ulp);
  ulp.ulp = 1;
  const double next = 1 + 0x1p-10;
  EXPECT_TRUE(compared(of(DType::float16, {1.0}), of(DType::float64, {next}), ulp).equal);
  EXPECT_FALSE(compared(of(DType::float16, {1.0}), of(DType::float64, {next + 0x1p-10}), ulp).equal);
  EXPECT_FALSE(compared(of(DType::float32, {1.0}), of(DType::float64, {next}), ulp).equal);
  EXPECT_FALSE(compared(of(DType::float16, {65504.0}), of(DType::float64, {kInfinity}), ulp).equal);
  EXPECT_TRUE(compared(of(DType::int32, {I(4)}), of(DType::int32, {I(5)}), ulp).equal);
}

TEST(Compare, NaNIsRefusedUnlessInTheSamePlaces) {
  const at::Tensor a = of(DType::float32, {kNaN, 1.0});
  EXPECT_FALSE(compared(a, a).equal);
  Compare same = mode(CompareMode::automatic);
  same.nan_same_places = true;
  EXPECT_TRUE(compared(a, a, same).equal);
  EXPECT_FALSE(compared(a, of(DType::float32, {1.0, kNaN}), same).equal);
  same.mode = CompareMode::exact;
  EXPECT_TRUE(compared(a, a, same).equal);
}

TEST(Compare, TellsSignedZerosOnlyWhenAsked) {
  const at::Tensor plus = of(DType::float32, {0.0}), minus = of(DType::float32, {-0.0});
  EXPECT_TRUE(compared(plus, minus).equal);
  Compare strict = mode(CompareMode::exact);
  strict.signed_zero = true;
  EXPECT_EQ(lines_of(compared(plus, minus, strict), {}), "0 where -0 was due\n");
}

TEST(Compare, LetsAFractionDiffer) {
  Compare some = mode(CompareMode::exact);
  some.mismatch = 0.25;
  const at::Tensor zeros = of(DType::int64, {I(0), I(0), I(0), I(0)});
  EXPECT_TRUE(compared(of(DType::int64, {I(0), I(0), I(0), I(9)}), zeros, some).equal);
  EXPECT_FALSE(compared(of(DType::int64, {I(0), I(0), I(8), I(9)}), zeros, some).equal);
}

TEST(Compare, TakesComplexNumbersAsTheirParts) {
  const Context context;
  const at::Tensor one = of(DType::complex64, {1.0});
  EXPECT_TRUE(compared(one, of(DType::complex128, {1.000001})).equal);
  const Comparison result = compared(one, of(DType::complex128, {2.0}));
  EXPECT_EQ(
      lines_of(result, {1}),
      "the only element differs: (1+0j) where (2+0j) was due (off by 1)\nit would have passed at rtol 0.5\n");
  EXPECT_TRUE(compared(of(DType::complex64, {1.0}), of(DType::float64, {1.0})).equal);
  EXPECT_TRUE(compared(of(DType::float32, {1.0}), of(DType::complex128, {1.0})).equal);
}

TEST(Compare, ReadsStridedAndEmptyTensors) {
  const Context context;
  const at::Tensor matrix = made(values({2, 2}, {I(1), I(2), I(3), I(4)}), context.form);
  EXPECT_TRUE(compared(matrix.t(), made(values({2, 2}, {I(1), I(3), I(2), I(4)}), context.form)).equal);
  const Comparison result = compared(matrix.t(), matrix);
  EXPECT_EQ(result.differing, 2);
  EXPECT_EQ(result.worst, 1);
  EXPECT_EQ(result.seen, "3");
  EXPECT_TRUE(compared(of(DType::float32, {}), of(DType::float32, {})).equal);
  EXPECT_TRUE(compared(of(DType::float32, {}), of(DType::float32, {})).lines({0}).empty());
}

TEST(Compare, CountsDifferencesByPlaceAndDistance) {
  const Context context;
  const at::Tensor seen = made(values({2, 3}, {I(1), I(2), I(3), I(4), I(5), I(6)}), context.form);
  const at::Tensor due = made(values({2, 3}, {I(1), I(2), I(4), I(4), I(35), I(6)}), context.form);
  const Comparison result = compared(seen, due);
  ASSERT_TRUE(result.picture);
  EXPECT_EQ(result.picture->shape, (std::vector<I>{2, 3}));
  EXPECT_EQ(result.picture->rows, 2);
  EXPECT_EQ(result.picture->columns, 3);
  EXPECT_EQ(result.picture->counts, (std::vector<I>{0, 0, 1, 0, 1, 0}));
  EXPECT_EQ(result.picture->decade, 0);
  EXPECT_EQ(result.picture->errors, (std::vector<I>{1, 1}));
  EXPECT_EQ(result.picture->unmeasured, 0);
  EXPECT_FALSE(compared(seen, seen).picture);
  EXPECT_FALSE(compared(of(DType::float32, {1.0}), of(DType::float32, {2.0})).picture) << "one element";
}

TEST(Mismatch, FoldsWhatIsLargerThanTheGrid) {
  MismatchCounter counter({5, 13, 100});  // 65 rows of 100
  for (I i = 0; i < 6500; ++i) counter.add(i, 0.5);
  const MismatchPicture picture = counter.picture();
  EXPECT_EQ(picture.rows, 32);
  EXPECT_EQ(picture.columns, 32);
  I sum = 0;
  for (const I count : picture.counts) {
    EXPECT_GE(count, 6);  // 2 or 3 rows by 3 or 4 columns
    EXPECT_LE(count, 12);
    sum += count;
  }
  EXPECT_EQ(sum, 6500);
  EXPECT_EQ(picture.decade, -1);
  EXPECT_EQ(picture.errors, (std::vector<I>{6500}));
}

TEST(Mismatch, KeepsTheLargestDistancesApartAndCountsWhatHasNone) {
  MismatchCounter counter({40});
  for (int i = 0; i < 40; ++i) counter.add(i, std::pow(10.0, i - 20) * 1.5);
  counter.add(0, kNaN);
  counter.add(0, kInfinity);
  counter.add(0, 0);
  const MismatchPicture picture = counter.picture();
  EXPECT_EQ(picture.rows, 1);
  EXPECT_EQ(picture.columns, 32);
  EXPECT_EQ(picture.errors.size(), 32u);
  EXPECT_EQ(picture.decade, -12);
  EXPECT_EQ(picture.errors.front(), 9) << "with the eight decades below";
  EXPECT_EQ(picture.errors.back(), 1);
  EXPECT_EQ(picture.unmeasured, 3);
}

TEST(Mismatch, KnowsThatNothingDiffered) {
  const MismatchPicture picture = MismatchCounter({3, 0}).picture();
  EXPECT_TRUE(picture.counts.empty());
  EXPECT_TRUE(picture.errors.empty());
}

TEST(Compare, ShowsAllDigitsWhereThoseOfTheDtypeWouldNotDiffer) {
  const Comparison result = compared(of(DType::float16, {1.0}), of(DType::float64, {1.0001}), close(0, 0));
  EXPECT_EQ(lines_of(result, {}),
            "1 where 1.0001 was due (off by 0.01 %)\nit would have passed at rtol 0.0001\n");
}

TEST(Compare, WorksForEveryPairOfDtypes) {
  for (const std::string& a : dtype_names()) {
    for (const std::string& e : dtype_names()) {
      const at::Tensor actual = of(*dtype_from(a), {I(1), I(0)}), expected = of(*dtype_from(e), {I(1), I(0)});
      EXPECT_TRUE(compared(actual, expected).equal) << a << " and " << e;
      EXPECT_EQ(compared(actual, of(*dtype_from(e), {I(0), I(0)})).differing, 1) << a << " and " << e;
    }
  }
}

}  // namespace
}  // namespace relapse
