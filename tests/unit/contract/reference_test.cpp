#include "contracts.hpp"

namespace relapse {
namespace {

using namespace test;

TEST(References, WidenFloatsOnceAndKeepIntegers) {
  Names names = with({{"x", "ones([2], dtype=float16)"}, {"n", "arange(2)"}});
  References references(names.scope().find, {}, names.symbols, nullptr);
  EXPECT_EQ(text_of(references.evaluate_expression(*expr("x"))), "float64 [2] 1 1");
  EXPECT_EQ(text_of(references.evaluate_expression(*expr("n"))), "int64 [2] 0 1");
  references.evaluate_expression(*expr("x")).tensor().add_(1);
  EXPECT_EQ(text_of(names.eval("x")), "float16 [2] 1 1") << "copies only";
  EXPECT_EQ(text_of(references.evaluate_expression(*expr("fft_fft(x)"))), "complex128 [2] (4+0j) (0+0j)");
}

TEST(References, PreferInputsBeforeOverResultsAfter) {
  Names before = with({{"x", "zeros([1])"}});
  Names after = with({{"x", "ones([1])"}, {"y", "full([1], 2)"}});
  References references(before.scope().find, after.scope().find, before.symbols, nullptr);
  EXPECT_EQ(text_of(references.evaluate_expression(*expr("x + y"))), "float64 [1] 2");
  EXPECT_EQ(text_of(references.evaluate_expression(*expr("old(x) + y"))), "float64 [1] 2");
  EXPECT_THROW(references.evaluate_expression(*expr("old(y)")), EvalError);
  EXPECT_THROW(references.evaluate_expression(*expr("z")), EvalError);
}

TEST(References, ForgetLocalsBetweenClauses) {
  Names names = with({{"x", "ones([1])"}});
  References references(names.scope().find, {}, names.symbols, nullptr);
  const std::vector<Step> steps = {*parse_step("a = x + 1"), *parse_step("a * 2")};
  EXPECT_EQ(text_of(references.evaluate_steps(steps)), "float64 [1] 4");
  EXPECT_THROW(references.evaluate_expression(*expr("a")), EvalError);
}

TEST(References, TellTheDtypeOfALoneName) {
  Names names = with({{"x", "ones([1], dtype=float16)"}});
  References references(names.scope().find, {}, names.symbols, nullptr);
  EXPECT_EQ(references.own_dtype({*parse_step("x")}), c10::kHalf);
  EXPECT_EQ(references.own_dtype({*parse_step("x + 1")}), std::nullopt);
  EXPECT_EQ(references.own_dtype({*parse_step("a = x"), *parse_step("a")}), std::nullopt);
}

}  // namespace
}  // namespace relapse
