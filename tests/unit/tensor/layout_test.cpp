#include <gtest/gtest.h>

#include <harness/tensor/facts.hpp>

#include "builders.hpp"

namespace relapse {
namespace {

using namespace test;
using I = std::int64_t;

InputForm with_strides(InputForm form, const std::vector<std::string>& strides) {
  form.strides = exprs(strides);
  return form;
}
SetItem set(std::vector<SetIndex> at, Scalar to) {
  return {std::move(at), std::move(to), {21, 3}};
}
SetIndex at(I index) {
  return {false, index, {}, {}, {}};
}
SetIndex slice(std::optional<I> start, std::optional<I> stop, std::optional<I> step = {}) {
  return {true, 0, start, stop, step};
}

TEST(Layout, StridesLeavePoisonedGaps) {
  const Context context;
  InputForm form = with_strides(row({I(1), I(2), I(3)}), {"2"});
  form.offset = expr("1");
  const at::Tensor tensor = made(form, context.form);
  EXPECT_EQ(text_of(tensor), "1 2 3");
  EXPECT_EQ(tensor.strides(), c10::IntArrayRef({2}));
  EXPECT_EQ(tensor.storage_offset(), 1);
  EXPECT_EQ(tensor.storage().nbytes(), 6 * sizeof(I));
  EXPECT_EQ(find_damaged_poison(tensor), "");
  static_cast<I*>(tensor.mutable_data_ptr())[1] = 7;
  EXPECT_EQ(find_damaged_poison(tensor),
            "element 2 of the storage, between the tensor's own, holds 7; it was not to be written");
  static_cast<I*>(tensor.mutable_data_ptr())[-1] = -1;
  EXPECT_EQ(
      find_damaged_poison(tensor),
      "element 0 of the storage, between the tensor's own, holds -1; 2 such elements were written and were "
      "not to be");
}

TEST(Layout, PoisonIsNaNForFloatsAndFarOutOfRangeForIntegers) {
  for (const DType type :
       {DType::float16, DType::bfloat16, DType::float32, DType::float64, DType::float8_e5m2}) {
    const Context context;
    const at::Tensor tensor = made(with_strides(with_dtype(row({I(0), I(0)}), type), {"2"}), context.form);
    const at::Tensor whole = tensor.as_strided({3}, {1}, 0);
    EXPECT_EQ(text_of(whole), "0 nan 0");
  }
  const Context context;
  const at::Tensor tensor =
      made(with_strides(with_dtype(row({I(0), I(0)}), DType::int32), {"2"}), context.form);
  EXPECT_EQ(text_of(tensor.as_strided({3}, {1}, 0)), "0 2071690107 0");
}

TEST(Layout, MemoryFormatIsDense) {
  const Clauses clauses = Clauses("x").dtype(DType::float32).shape({"2", "3", "4", "5"});
  const Context context(clauses);
  InputForm form = fill(Fill::arange);
  form.memory_format = MemoryFormat::channels_last;
  const at::Tensor tensor = made(form, context.form);
  EXPECT_TRUE(tensor.is_contiguous(at::MemoryFormat::ChannelsLast));
  EXPECT_EQ(element_text(tensor, 119), "119");
  EXPECT_EQ(find_damaged_poison(tensor), "");
  EXPECT_EQ(error_of(with_shape(form, {"2", "3"}), context.form),
            "x: channels_last needs 4 dimensions, the shape is [2, 3]");
}

TEST(Layout, IsInheritedFromRequiresWhereTheRankFits) {
  Clauses clauses = Clauses("x").dtype(DType::int64).shape({"3"});
  clauses.add(ClauseKind::strides).values = exprs({"2"});
  const Context context(clauses);
  EXPECT_EQ(made(fill(Fill::arange), context.form).strides(), c10::IntArrayRef({2}));
  EXPECT_EQ(made(with_strides(fill(Fill::arange), {"1"}), context.form).strides(), c10::IntArrayRef({1}));
  // A failing input of another rank is made as it is written.
  EXPECT_EQ(made(values({1, 3}, {I(1), I(2), I(3)}), context.form).strides(), c10::IntArrayRef({3, 1}));

  const Clauses images = Clauses("x")
                             .dtype(DType::float32)
                             .shape({"1", "2", "3", "4"})
                             .word(ClauseKind::memory_format, "channels_last");
  const Context image(images);
  EXPECT_TRUE(made(InputForm(), image.form).is_contiguous(at::MemoryFormat::ChannelsLast));
}

TEST(Layout, ExpandSharesElements) {
  const Context context;
  InputForm form = values({1, 2}, {I(1), I(2)});
  form.expand = exprs({"3", "-1"});
  const at::Tensor tensor = made(form, context.form);
  EXPECT_EQ(text_of(tensor), "1 2 1 2 1 2");
  EXPECT_EQ(tensor.strides(), c10::IntArrayRef({0, 1}));
  form.expand = exprs({"3", "4"});
  EXPECT_EQ(error_of(form, context.form), "x: a tensor of shape [1, 2] cannot be expanded to [3, 4]");
  InputForm lone = full(0.5);
  lone.expand = exprs({"2", "2"});
  EXPECT_EQ(text_of(made(lone, context.form)), "0.5 0.5 0.5 0.5");
}

TEST(Layout, RefusesStridesThatDisagreeWithTheValues) {
  const Context context;
  const InputForm form = with_strides(row({I(1), I(2)}), {"0"});
  EXPECT_EQ(
      error_of(form, context.form),
      "x: strides [0] let elements share memory whose values differ; use `expand`, or values that agree");
  EXPECT_EQ(text_of(made(with_strides(row({I(4), I(4)}), {"0"}), context.form)), "4 4");
  EXPECT_EQ(error_of(with_strides(row({I(1), I(2)}), {"2", "1"}), context.form),
            "x: `strides` [2, 1] for a tensor of shape [2]: one stride a dimension is needed");
  EXPECT_EQ(error_of(with_strides(row({I(1), I(2)}), {"-1"}), context.form),
            "x: strides must not be negative, torch has none such");
  EXPECT_EQ(error_of(with_strides(row({I(1), I(2)}), {"9223372036854775807"}), context.form),
            "x: strides [9223372036854775807] reach over more elements than an input may have");
}

TEST(SetForm, WritesElementsAndSlices) {
  const Context context;
  InputForm form = with_shape(full(I(0)), {"2", "6"});
  form.set = {set({at(0), slice(2, 5)}, I(7)), set({at(-1), at(-1)}, I(9)),
              set({at(1), slice({}, {}, 2)}, I(5))};
  EXPECT_EQ(text_of(made(form, context.form)), "0 0 7 7 7 0 5 0 5 0 5 9");
  form.set = {set({at(1)}, I(3))};
  EXPECT_EQ(text_of(made(form, context.form)), "0 0 0 0 0 0 3 3 3 3 3 3");
  form.set = {set({slice(0, 100), slice(-1, {})}, I(1))};
  EXPECT_EQ(text_of(made(form, context.form)), "0 0 0 0 0 1 0 0 0 0 0 1");
}

TEST(SetForm, ComesBeforeTheLayout) {
  const Context context;
  InputForm form = with_strides(with_shape(full(0.0), {"3"}), {"2"});
  form.set = {set({at(1)}, std::numeric_limits<double>::quiet_NaN())};
  const at::Tensor tensor = made(form, context.form);
  EXPECT_EQ(text_of(tensor), "0 nan 0");
  EXPECT_EQ(find_damaged_poison(tensor), "");
}

TEST(SetForm, SaysWhichIndexIsOutOfRange) {
  const Context context;
  InputForm form = with_shape(full(I(0)), {"2", "6"});
  form.set = {set({at(0), at(6)}, I(7))};
  EXPECT_EQ(error_of(form, context.form), "x: `set`: index 6 is out of range for dimension 1 of 6");
  form.set = {set({at(0), at(0), at(0)}, I(7))};
  EXPECT_EQ(error_of(form, context.form), "x: `set`: 3 indices for a tensor of shape [2, 6]");
  form.set = {set({at(0)}, 0.5)};
  EXPECT_EQ(error_of(form, context.form), "x: `set`: 0.5 does not fit int64 (whole numbers only)");
  form.set = {set({slice({}, {}, -1)}, I(1))};
  EXPECT_EQ(error_of(form, context.form), "x: `set`: the step of a slice must be positive");
  EXPECT_EQ(make_form(form, context.form).error().pos, (SourcePos{21, 3}));
}

}  // namespace
}  // namespace relapse
