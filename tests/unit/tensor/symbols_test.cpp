#include <gtest/gtest.h>

#include <harness/tensor/symbols.hpp>

namespace relapse {
namespace {

DimValue dim(const std::string& name, const std::string& text) {
  return {name, *parse_expression(text), {}};
}
std::vector<ExprPtr> shape(const std::vector<std::string>& texts) {
  std::vector<ExprPtr> result;
  for (const std::string& text : texts) result.push_back(*parse_expression(text));
  return result;
}

TEST(Symbols, OverlayTheCaseByTheScenario) {
  Case kase;
  kase.dims = {dim("N", "4"), dim("M", "2 * N")};
  kase.dtypes = {{"F", DType::float32, {}}};
  Scenario scenario;
  scenario.dims = {dim("N", "5"), dim("K", "M + 1")};
  scenario.dtypes = {{"F", DType::float16, {}}};
  const Result<Symbols> symbols = symbols_of(kase, scenario);
  ASSERT_TRUE(symbols);
  EXPECT_EQ(symbols->dim("N"), 5);
  EXPECT_EQ(symbols->dim("M"), 10);
  EXPECT_EQ(symbols->dim("K"), 11);
  EXPECT_EQ(symbols->dim("Q"), std::nullopt);
  EXPECT_EQ(symbols->dtype({std::nullopt, "F", {}}), DType::float16);
  EXPECT_EQ(symbols->dtype({DType::int64, "", {}}), DType::int64);
  EXPECT_EQ(symbols->dtype({std::nullopt, "G", {}}), std::nullopt);
}

TEST(Symbols, ComputeADimFromOneFurtherDown) {
  Case kase;
  kase.dims = {dim("N", "4"), dim("C", "3")};
  Scenario scenario;
  scenario.dims = {dim("N", "2 * C")};
  EXPECT_EQ(symbols_of(kase, scenario)->dim("N"), 6);
}

TEST(Symbols, NameTheDimThatCannotBeComputed) {
  Case kase;
  kase.dims = {dim("N", "M + 1"), dim("M", "N")};
  const Result<Symbols> symbols = symbols_of(kase, {});
  ASSERT_FALSE(symbols);
  EXPECT_EQ(symbols.error().kind, ErrorKind::case_file);
  EXPECT_EQ(symbols.error().message.substr(0, 8), "dims.N: ");
}

TEST(Symbols, BindFreeNamesAndCompareTheRest) {
  Symbols symbols;
  symbols.dims["C"] = 3;
  EXPECT_EQ(bind_shape(shape({"2 * N", "C", "N"}), {8, 3, 4}, symbols), "");
  EXPECT_EQ(symbols.dim("N"), 4);
  EXPECT_EQ(bind_shape(shape({"N"}), {8}, symbols), "extent 0 is 8, expected N = 4");
  EXPECT_EQ(bind_shape(shape({"N", "7"}), {4, 8}, symbols), "extent 1 is 8, expected 7");
  EXPECT_EQ(bind_shape(shape({"2 * N"}), {9}, symbols), "extent 0 is 9, expected 2 * N = 8");
  EXPECT_EQ(bind_shape(shape({"N", "C"}), {8}, symbols), "rank is 1, expected 2 ([N, C])");
}

TEST(Symbols, StayUnboundWhereAShapeDoesNotFit) {
  Symbols symbols;
  EXPECT_EQ(bind_shape(shape({"N", "3"}), {4, 5}, symbols), "extent 1 is 5, expected 3");
  EXPECT_EQ(symbols.dim("N"), std::nullopt);
}

}  // namespace
}  // namespace relapse
