#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <harness/tensor/facts.hpp>
#include <limits>
#include <set>

#include "builders.hpp"

namespace relapse {
namespace {

using namespace test;
using I = std::int64_t;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST(Facts, TellPlaceShapeAndRange) {
  InputForm form = row({I(3), I(-2), I(7)});
  form.strides = exprs({"2"});
  form.offset = expr("1");
  const TensorFacts facts = facts_of("x", made(form, Context().form));
  EXPECT_EQ(facts.name, "x");
  EXPECT_EQ(facts.dtype, "int64");
  EXPECT_EQ(facts.shape, std::vector<I>{3});
  EXPECT_EQ(facts.strides, std::vector<I>{2});
  EXPECT_EQ(facts.offset, 1);
  EXPECT_EQ(facts.device, "cpu");
  EXPECT_EQ(facts.min, "-2");
  EXPECT_EQ(facts.max, "7");
  EXPECT_FALSE(facts.finite.has_value());
}

TEST(Facts, CountNaNsAndSeeInfinities) {
  const TensorFacts facts =
      facts_of("x", made(row({0.5, kNaN, -std::numeric_limits<double>::infinity()}), Context().form));
  EXPECT_EQ(facts.nans, 1);
  EXPECT_EQ(facts.finite, false);
  EXPECT_EQ(facts.min, "-inf");
  EXPECT_EQ(facts.max, "0.5");
  const TensorFacts all = facts_of("x", made(row({kNaN}), Context().form));
  EXPECT_EQ(all.min, "");
  EXPECT_EQ(all.nans, 1);
}

TEST(Facts, WorkForEveryDtype) {
  for (const std::string& name : dtype_names()) {
    const Context context;
    const at::Tensor tensor = made(with_dtype(row({I(1), I(0), I(1)}), *dtype_from(name)), context.form);
    const TensorFacts facts = facts_of("x", tensor);
    EXPECT_EQ(facts.dtype, name);
    const std::string one = name == "bool" ? "true" : name.substr(0, 7) == "complex" ? "" : "1";
    EXPECT_EQ(facts.max, one) << name;
    EXPECT_EQ(digest_of(tensor).size(), 16u);
  }
}

TEST(Facts, AreCarefulWithEmptyAnd0dTensors) {
  const TensorFacts empty = facts_of("x", made(with_dtype(row({}), DType::float32), Context().form));
  EXPECT_EQ(empty.min, "");
  EXPECT_EQ(empty.finite, true);
  EXPECT_EQ(facts_of("x", made(with_shape(full(2.5), {}), Context().form)).max, "2.5");
  EXPECT_EQ(facts_of("x", at::Tensor()).text, "none");
  EXPECT_EQ(facts_of("x", made(row({0.5}), Context().form), false).min, "");
}

TEST(Facts, OfScalarArgumentsAreTheirText) {
  EXPECT_EQ(facts_of("n", c10::IValue(3)).text, "3");
  EXPECT_EQ(facts_of("n", c10::IValue(0.1)).text, "0.1");
  EXPECT_EQ(facts_of("n", c10::IValue(true)).text, "true");
  EXPECT_EQ(facts_of("n", c10::IValue()).text, "none");
  EXPECT_EQ(facts_of("n", c10::IValue("mean")).text, "\"mean\"");
  EXPECT_EQ(facts_of("n", c10::IValue("mean")).dtype, "");
}

TEST(ElementText, TellsNeighboursApart) {
  EXPECT_EQ(number_text(65504, at::kHalf), "65504");
  EXPECT_EQ(number_text(0.0999755859375, at::kHalf), "0.1");
  EXPECT_EQ(number_text(0.10003662109375, at::kHalf), "0.10004");
  EXPECT_EQ(number_text(0.1f, at::kFloat), "0.1");
  EXPECT_EQ(number_text(std::nextafterf(0.1f, 1), at::kFloat), "0.10000001");
  EXPECT_EQ(number_text(0.1, at::kDouble), "0.1");
  EXPECT_EQ(number_text(-0.0, at::kFloat), "-0");
  EXPECT_EQ(number_text(kNaN, at::kFloat), "nan");
  EXPECT_EQ(number_text(1e20, at::kFloat), "1e+20");
  EXPECT_EQ(number_text(61440.25, at::kHalf), "61440.25");
  EXPECT_EQ(element_text(made(with_dtype(row({I(2)}), DType::complex64), Context().form), 0), "(2+0j)");
}

TEST(ElementText, CountsRowMajorWhateverTheStrides) {
  const at::Tensor matrix = made(values({2, 3}, {I(1), I(2), I(3), I(4), I(5), I(6)}), Context().form);
  EXPECT_EQ(element_text(matrix.t(), 1), "4");
  EXPECT_EQ(index_text({2, 3}, 4), "[1, 1]");
  EXPECT_EQ(index_text({}, 0), "[]");
  EXPECT_EQ(shape_text({2, 3}), "[2, 3]");
}

TEST(Digest, DependsOnDtypeShapeAndBitsButNotOnTheLayout) {
  const Context context;
  const at::Tensor row_major = made(values({2, 2}, {I(1), I(2), I(3), I(4)}), context.form);
  InputForm form = values({2, 2}, {I(1), I(2), I(3), I(4)});
  form.strides = exprs({"1", "5"});
  EXPECT_EQ(digest_of(row_major), digest_of(made(form, context.form)));
  const std::set<std::string> all = {
      digest_of(row_major),
      digest_of(row_major.t()),
      digest_of(made(row({I(1), I(2), I(3), I(4)}), context.form)),
      digest_of(made(with_dtype(values({2, 2}, {I(1), I(2), I(3), I(4)}), DType::float64), context.form)),
      digest_of(made(row({}), context.form)),
      digest_of(made(with_dtype(row({}), DType::float32), context.form)),
      digest_of(made(row({0.0}), context.form)),
      digest_of(made(row({-0.0}), context.form)),
  };
  EXPECT_EQ(all.size(), 8u);
}

TEST(Digest, SeesThePayloadOfNaN) {
  InputForm a = row({I(0x7fc00000)}), b = row({I(0x7fc00001)});
  a.source = b.source = InputSource::bits;
  const Context context;
  EXPECT_NE(digest_of(made(a, context.form)), digest_of(made(b, context.form)));
}

}  // namespace
}  // namespace relapse
