#include <gtest/gtest.h>

#include <harness/operator/operator_table.hpp>

namespace relapse {
namespace {

TEST(OperatorTable, HasOverloadsInTheOrderOfTheirNames) {
  const auto& overloads = OperatorTable::installed().overloads("aten::add");
  ASSERT_GE(overloads.size(), 4u);
  for (std::size_t i = 1; i < overloads.size(); ++i) {
    EXPECT_LT(overloads[i - 1].schema().overload_name(), overloads[i].schema().overload_name());
  }
  EXPECT_TRUE(OperatorTable::installed().overloads("aten::no_such").empty());
  EXPECT_TRUE(OperatorTable::installed().overloads("add").empty());
}

TEST(OperatorTable, IsTheSameAfterItIsTakenAgain) {
  const std::size_t before = OperatorTable::installed().overloads("aten::add").size();
  OperatorTable::refresh();
  EXPECT_EQ(OperatorTable::installed().overloads("aten::add").size(), before);
}

TEST(OperatorTable, FindsTheNearestNameOfTheSameNamespace) {
  const OperatorTable& table = OperatorTable::installed();
  EXPECT_EQ(table.nearest("aten::softmx"), std::vector<std::string>{"softmax"});
  EXPECT_TRUE(table.nearest("aten::qqqqqqqq").empty());
  EXPECT_TRUE(table.nearest("none::softmx").empty());
  EXPECT_TRUE(table.nearest("").empty());
}

}  // namespace
}  // namespace relapse
