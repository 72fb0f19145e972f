#include <gtest/gtest.h>

#include <cmath>
#include <harness/tensor/facts.hpp>
#include <limits>

#include "builders.hpp"

namespace relapse {
namespace {

using namespace test;
using I = std::int64_t;

TEST(ValuesForm, TakesInt64OrFloat32WhereNothingSaysADtype) {
  const Context context;
  EXPECT_EQ(made(row({I(0), I(2)}), context.form).scalar_type(), at::kLong);
  EXPECT_EQ(made(row({I(0), 0.5}), context.form).scalar_type(), at::kFloat);
  EXPECT_EQ(made(row({true, false}), context.form).scalar_type(), at::kBool);
  EXPECT_EQ(made(row({}), context.form).sizes(), c10::IntArrayRef({0}));
}

TEST(ValuesForm, TakesTheDtypeOfRequires) {
  const Clauses clauses = Clauses("x").dtype(DType::uint8).shape({"N"});
  const Context context(clauses);
  const at::Tensor tensor = made(row({I(0), I(255)}), context.form);
  EXPECT_EQ(tensor.scalar_type(), at::kByte);
  EXPECT_EQ(text_of(tensor), "0 255");
}

TEST(ValuesForm, KeepsEveryBitOf64BitIntegers) {
  const Context context;
  EXPECT_EQ(text_of(made(row({INT64_MIN, INT64_MAX}), context.form)),
            "-9223372036854775808 9223372036854775807");
  const InputForm large = row({std::uint64_t(18446744073709551615u), I(1)});
  EXPECT_EQ(text_of(made(large, context.form)), "18446744073709551615 1");
  EXPECT_EQ(text_of(made(with_dtype(row({I(9007199254740993)}), DType::float32), context.form)),
            "9.007199e+15");
}

TEST(ValuesForm, RefusesWhatTheDtypeCannotHold) {
  const Context context("target");
  const auto error = [&](Scalar value, DType type) {
    return error_of(with_dtype(row({I(0), std::move(value)}), type), context.form);
  };
  const std::string tail = "; change the value or give the form a dtype";
  EXPECT_EQ(error(I(300), DType::uint8), "target: element [1]: 300 does not fit uint8 (0 to 255)" + tail);
  EXPECT_EQ(error(I(-1), DType::uint64),
            "target: element [1]: -1 does not fit uint64 (0 to 18446744073709551615)" + tail);
  EXPECT_EQ(error(0.5, DType::int64),
            "target: element [1]: 0.5 does not fit int64 (whole numbers only)" + tail);
  EXPECT_EQ(error(std::nan(""), DType::int32),
            "target: element [1]: nan does not fit int32 (whole numbers only)" + tail);
  EXPECT_EQ(error(I(2), DType::boolean),
            "target: element [1]: 2 does not fit bool (true or false, 0 or 1)" + tail);
  EXPECT_EQ(error(I(70000), DType::float16),
            "target: element [1]: 70000 does not fit float16 (largest 65504)" + tail);
  EXPECT_EQ(error(std::numeric_limits<double>::infinity(), DType::float8_e4m3fn),
            "target: element [1]: inf does not fit float8_e4m3fn (it has no infinity)" + tail);
  EXPECT_EQ(error(2.0, DType::int64), "no error");
}

TEST(ValuesForm, PointsAtTheList) {
  const Context context;
  const auto made = make_form(with_dtype(row({0.5}), DType::int64), context.form);
  EXPECT_EQ(made.error().pos, (SourcePos{20, 12}));
}

TEST(ValuesForm, RefusesAShapeThatTheListDoesNotHave) {
  const Context context;
  EXPECT_EQ(error_of(with_shape(row({I(1), I(2)}), {"3"}), context.form),
            "x: the values have shape [2], but `shape` says [3]");
  EXPECT_EQ(made(with_shape(row({}), {"0", "3"}), context.form).sizes(), c10::IntArrayRef({0, 3}));
}

TEST(ValuesForm, EvaluatesDims) {
  Context context;
  context.dim("C", 7);
  EXPECT_EQ(text_of(made(row({expr("C - 1"), expr("-C")}), context.form)), "6 -7");
  EXPECT_EQ(error_of(row({expr("D")}), context.form), "x: unknown name \"D\"");
}

TEST(BitsForm, MakesTheVeryPatterns) {
  const Context context;
  InputForm form = row({I(0xffc00000), I(0x80000000), I(0x7f800000)});
  form.source = InputSource::bits;
  EXPECT_EQ(text_of(made(form, context.form)), "nan -0 inf");
  EXPECT_EQ(error_of(with_dtype(form, DType::float16), context.form),
            "x: element [0]: 4290772992 is not a pattern of 16 bits, the width of float16");
}

TEST(FillForms, FillShapeAndDtypeOfRequires) {
  const Clauses clauses = Clauses("x").dtype(DType::float16).shape({"N", "C"});
  Context context(clauses);
  context.dim("N", 2).dim("C", 3);
  EXPECT_EQ(text_of(made(fill(Fill::zeros), context.form)), "0 0 0 0 0 0");
  EXPECT_EQ(text_of(made(fill(Fill::ones), context.form)), "1 1 1 1 1 1");
  EXPECT_EQ(text_of(made(fill(Fill::arange), context.form)), "0 1 2 3 4 5");
  EXPECT_EQ(text_of(made(fill(Fill::eye), context.form)), "1 0 0 0 1 0");
  EXPECT_EQ(text_of(made(full(0.3333), context.form)), "0.3333 0.3333 0.3333 0.3333 0.3333 0.3333");
  EXPECT_EQ(text_of(made(full(std::nan("")), context.form)), "nan nan nan nan nan nan");
  EXPECT_EQ(error_of(full(I(1000000)), context.form), "x: 1000000 does not fit float16 (largest 65504)");
}

TEST(FillForms, NeedAShape) {
  const Context context;
  EXPECT_EQ(error_of(fill(Fill::zeros), context.form),
            "x: it has no shape; give the form `shape`, or add it to `requires`");
  EXPECT_EQ(error_of(with_shape(fill(Fill::eye), {"4"}), context.form),
            "x: `eye` needs two dimensions, its shape is [4]");
  EXPECT_EQ(
      error_of(with_shape(fill(Fill::zeros), {"N"}), context.form),
      "x: extent N: unknown name \"N\"; dims are listed in `dims`, or bound by the shape of an input with "
      "values");
  EXPECT_EQ(error_of(with_shape(fill(Fill::zeros), {"-2"}), context.form),
            "x: shape [-2] has a negative extent");
}

TEST(FillForms, CountElementsBeforeTheyAllocate) {
  Context context;
  context.form.element_limit = 1000;
  EXPECT_EQ(error_of(with_shape(fill(Fill::zeros), {"11", "100"}), context.form),
            "x: shape [11, 100] has more than 1,000 elements, the most an input may have");
  EXPECT_EQ(error_of(with_shape(fill(Fill::zeros), {"4294967296", "4294967296"}), context.form),
            "x: shape [4294967296, 4294967296] has more than 1,000 elements, the most an input may have");
  EXPECT_EQ(made(with_shape(fill(Fill::zeros), {"0", "4294967296"}), context.form).numel(), 0);
}

TEST(NumberForms, AreNoTensors) {
  Context context;
  context.dim("R", 6);
  const auto number = [&](const std::string& text) {
    InputForm form = form_of(InputSource::number);
    form.expr = expr(text);
    return *make_form(form, context.form);
  };
  EXPECT_EQ(number("2 * R + 1").toInt(), 13);
  EXPECT_EQ(number("0.5").toDouble(), 0.5);
  EXPECT_TRUE(number("true").isBool());
  EXPECT_TRUE(number("none").isNone());
  InputForm text = form_of(InputSource::text);
  text.text = "left";
  EXPECT_EQ(make_form(text, context.form)->toStringRef(), "left");
}

TEST(ListForm, HoldsTensors) {
  const Context context;
  InputForm list = form_of(InputSource::list);
  list.list = {row({I(1)}), with_shape(with_dtype(fill(Fill::zeros), DType::float32), {"2"})};
  const c10::IValue value = *make_form(list, context.form);
  ASSERT_TRUE(value.isTensorList());
  EXPECT_EQ(value.toTensorVector().size(), 2u);
}

TEST(RandomForms, DrawFromTheNamedGenerator) {
  Context context;
  const auto draw = [&](InputForm form, DType type) {
    return text_of(made(with_dtype(with_shape(form, {"3"}), type), context.form));
  };
  EXPECT_EQ(draw(random(RandomKind::normal), DType::float64),
            "-1.1322433506138623 -0.9750165969599038 -0.05565304355695844");
  EXPECT_EQ(draw(random(RandomKind::uniform), DType::float32), "0.73417497 0.15644434 0.9350982");
  InputForm integers = random(RandomKind::integers);
  integers.random.low = expr("-5");
  integers.random.high = expr("5");
  EXPECT_EQ(draw(integers, DType::int32), "3 -4 5");
  InputForm bernoulli = random(RandomKind::bernoulli);
  bernoulli.random.p = expr("0.5");
  EXPECT_EQ(draw(bernoulli, DType::boolean), "false true false");
  InputForm scaled = random(RandomKind::normal);
  scaled.random.mean = expr("10");
  scaled.random.std = expr("0.5");
  EXPECT_EQ(draw(scaled, DType::float32), "9.433878 9.512491 9.972174");
  EXPECT_EQ(text_of(made(with_shape(random(RandomKind::permutation), {"8"}), context.form)),
            "1 7 6 5 3 0 2 4");
}

TEST(RandomForms, TakeASeedOfTheirOwn) {
  Context context("target");
  InputForm form = with_shape(random(RandomKind::integers), {"4"});
  form.random.low = expr("0");
  form.random.high = expr("3");
  form.random.seed = expr("7");
  EXPECT_EQ(text_of(made(form, context.form)), "2 3 2 0");
  context.form.seed = 7;
  form.random.seed = nullptr;
  EXPECT_EQ(text_of(made(form, context.form)), "2 3 2 0");
}

TEST(RandomForms, SayWhatTheyLack) {
  const Context context;
  InputForm integers = with_shape(random(RandomKind::integers), {"4"});
  EXPECT_EQ(error_of(integers, context.form),
            "x: `random: integers` needs `low`; nothing in `requires` gives it either");
  integers.random.low = expr("5");
  integers.random.high = expr("4");
  EXPECT_EQ(error_of(integers, context.form), "x: `low` 5 is above `high` 4");
  EXPECT_EQ(
      error_of(with_dtype(with_shape(random(RandomKind::normal), {"4"}), DType::int64), context.form),
      "x: `random: normal` needs a floating dtype, not int64; use `random: integers` or give the form a "
      "dtype");
}

TEST(RandomForms, TakeTheRangeOfRequires) {
  const Clauses clauses = Clauses("x").dtype(DType::int64).shape({"4"}).min("0").below("4");
  const Context context(clauses);
  EXPECT_EQ(text_of(made(random(RandomKind::integers), context.form)), "2 0 3 2");
}

TEST(EqualsForms, TakeShapeAndDtypeOfTheResult) {
  Context context;
  context.form.default_shape = {{2, 2}};
  context.form.default_dtype = at::kHalf;
  EXPECT_EQ(text_of(made(full(I(1)), context.form)), "1 1 1 1");
  EXPECT_EQ(made(full(I(1)), context.form).scalar_type(), at::kHalf);
  InputForm number = form_of(InputSource::number);
  number.expr = expr("40000");
  EXPECT_EQ(made(number, context.form).dim(), 0);
  EXPECT_EQ(made(number, context.form).scalar_type(), at::kHalf);
}

TEST(EqualsForms, MayExpectWhatTheResultCannotHold) {
  Context context;
  context.form.default_shape = {{1}};
  context.form.default_dtype = at::kByte;
  EXPECT_EQ(text_of(made(row({0.5}), context.form)), "0.5");
  EXPECT_EQ(made(full(I(300)), context.form).scalar_type(), at::kLong);
  context.form.default_dtype = at::kHalf;
  EXPECT_EQ(made(full(I(70000)), context.form).scalar_type(), at::kLong);
}

TEST(Gradient, IsAskedForByFormOrRequires) {
  Clauses clauses = Clauses("x").dtype(DType::float32).shape({"2"});
  clauses.add(ClauseKind::requires_grad);
  const Context context(clauses);
  EXPECT_TRUE(made(fill(Fill::ones), context.form).requires_grad());
  InputForm off = fill(Fill::ones);
  off.requires_grad = false;
  EXPECT_FALSE(made(off, context.form).requires_grad());
  EXPECT_EQ(error_of(with_dtype(fill(Fill::ones), DType::int64), context.form),
            "x: requires_grad needs a floating or complex dtype, not int64");
}

}  // namespace
}  // namespace relapse
