#include <gtest/gtest.h>

#include <cmath>
#include <harness/case/expression.hpp>
#include <limits>

namespace relapse {
namespace {

std::optional<std::int64_t> dims(std::string_view name) {
  if (name == "N") return 7;
  if (name == "BIG") return std::numeric_limits<std::int64_t>::max();
  return std::nullopt;
}

std::string integer(std::string_view text) {
  const Result<std::int64_t> value = evaluate_integer(**parse_expression(text), dims, {"N", "BIG"});
  return value ? std::to_string(*value) : value.error().message;
}

TEST(EvaluateInteger, IsExact) {
  EXPECT_EQ(integer("2 * N + 1"), "15");
  EXPECT_EQ(integer("BIG - 1"), "9223372036854775806");
  EXPECT_EQ(integer("-N // 2"), "-4");
  EXPECT_EQ(integer("-N % 4"), "1");
  EXPECT_EQ(integer("N % -4"), "-1");
}

TEST(EvaluateInteger, ChecksForOverflow) {
  EXPECT_EQ(integer("BIG + 1"), "\"BIG + 1\" does not fit 64 bits");
  EXPECT_EQ(integer("-BIG - 2"), "\"-BIG - 2\" does not fit 64 bits");
  EXPECT_EQ(integer("BIG * 2"), "\"BIG * 2\" does not fit 64 bits");
  EXPECT_EQ(integer("-9223372036854775808 // -1"), "\"-9223372036854775808 // -1\" does not fit 64 bits");
  EXPECT_EQ(integer("-9223372036854775808 % -1"), "0");
  EXPECT_EQ(integer("N // (N - 7)"), "\"N // (N - 7)\" divides by 0");
}

TEST(EvaluateInteger, RefusesWhatIsNoInteger) {
  EXPECT_EQ(integer("N / 2"), "\"N / 2\" divides two integers: write // for the floor, or make one a float");
  EXPECT_EQ(integer("N * 0.5"), "\"N * 0.5\" is not an integer");
  EXPECT_EQ(integer("true"), "\"true\" is not an integer");
  EXPECT_EQ(integer("true + 1"), "\"true + 1\" is not arithmetic");
  EXPECT_EQ(integer("N == 7"), "\"N == 7\" is not arithmetic");
  EXPECT_EQ(integer("f(N)"), "\"f(N)\" is not a number");
  EXPECT_EQ(integer("BGI"), "unknown name \"BGI\"; did you mean \"BIG\"?");
}

TEST(EvaluateNumber, MixesIntegersAndFloats) {
  const Number half = *evaluate_number(**parse_expression("N / 2.0"), dims);
  EXPECT_FALSE(half.is_integer);
  EXPECT_EQ(half.real, 3.5);
  EXPECT_EQ(evaluate_number(**parse_expression("-N * 1.0 % 4"), dims)->real, 1.0);
  EXPECT_EQ(evaluate_number(**parse_expression("-7.5 // 2"), dims)->real, -4.0);
  EXPECT_TRUE(std::isnan(evaluate_number(**parse_expression("nan"), dims)->real));
  EXPECT_TRUE(evaluate_number(**parse_expression("true"), dims)->is_bool);
  EXPECT_EQ(evaluate_number(**parse_expression("N"), dims)->real, 7.0);
}

}  // namespace
}  // namespace relapse
