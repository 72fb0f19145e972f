#include <ATen/core/List.h>

#include "names.hpp"

namespace relapse {
namespace {

using namespace test;

Value list(std::vector<Value> values) {
  return {ValueList(std::move(values))};
}
const Value kOne{std::int64_t{1}}, kHalf{0.5}, kTrue{true};

TEST(Value, ComesBackFromAnIValue) {
  EXPECT_TRUE(value_of(c10::IValue()).is_none());
  EXPECT_EQ(value_text(value_of(c10::IValue(true))), "true");
  EXPECT_EQ(value_text(value_of(c10::IValue(std::int64_t{-3}))), "-3");
  EXPECT_EQ(value_text(value_of(c10::IValue(0.1))), "0.1");
  EXPECT_EQ(value_text(value_of(c10::IValue("left"))), "'left'");
  EXPECT_EQ(value_text(value_of(c10::IValue(std::vector<std::int64_t>{1, 2}))), "[1, 2]");
}

// A list of anything but integers and tensors used to end in std::bad_variant_access, which passed for an
// error of the subject.
TEST(Value, BecomesAListOfItsOwnKind) {
  EXPECT_TRUE(to_ivalue(list({kOne, kOne})).isIntList());
  EXPECT_TRUE(to_ivalue(list({kOne, kHalf})).isDoubleList());
  EXPECT_TRUE(to_ivalue(list({{tensor("arange(2)")}})).isTensorList());
  EXPECT_TRUE(to_ivalue(list({})).isIntList());
  EXPECT_TRUE(to_ivalue(list({kTrue, kOne})).isList());
  EXPECT_TRUE(to_ivalue(list({{std::string("a")}, {NoneValue{}}})).isList());
  EXPECT_EQ(value_text(value_of(to_ivalue(list({{tensor("arange(2)")}, kOne, list({kHalf})})))),
            "[int64 [2], 1, [0.5]]");
}

TEST(Value, IsNamedByItsKind) {
  EXPECT_EQ(kind_text({NoneValue{}}), "none");
  EXPECT_EQ(kind_text(kTrue), "a bool");
  EXPECT_EQ(kind_text(kOne), "an integer");
  EXPECT_EQ(kind_text(kHalf), "a float");
  EXPECT_EQ(kind_text(list({kOne, kOne})), "a list of 2");
  EXPECT_EQ(kind_text({c10::kFloat}), "a dtype");
  EXPECT_EQ(kind_text({c10::Layout::Sparse}), "a layout");
  EXPECT_EQ(kind_text({tensor("arange(2)")}), "a tensor");
}

TEST(Value, IsShownShort) {
  EXPECT_EQ(value_text(list(std::vector<Value>(9, kOne))), "[1, 1, 1, 1, 1, 1, 1, 1, ...]");
  EXPECT_EQ(value_text({c10::kHalf}), "float16");
  EXPECT_EQ(value_text({at::Tensor()}), "an undefined tensor");
}

TEST(Value, KeepsTheKindOfAScalar) {
  EXPECT_TRUE(to_scalar(kTrue).isBoolean());
  EXPECT_TRUE(to_scalar(kOne).isIntegral(false));
  EXPECT_TRUE(to_scalar(kHalf).isFloatingPoint());
  EXPECT_EQ(kTrue.as_double(), 1.0);
}

}  // namespace
}  // namespace relapse
