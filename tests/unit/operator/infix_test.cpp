#include "names.hpp"

namespace relapse {
namespace {

using namespace test;

std::string value(const std::string& text) {
  return with({{"i", "arange(3)"},
               {"f", "full([2], 1.5)"},
               {"h", "full([2], 1.5, dtype=float16)"},
               {"b", "full([2], true, dtype=bool)"},
               {"u", "full([2], 250, dtype=uint8)"}})
      .text(text);
}

TEST(Infix, IsExactOnIntegers) {
  EXPECT_EQ(value("2 + 3 * 4"), "14");
  EXPECT_EQ(value("7 // 2"), "3");
  EXPECT_EQ(value("-7 // 2"), "-4");
  EXPECT_EQ(value("7 // -2"), "-4");
  EXPECT_EQ(value("-7 % 3"), "2");
  EXPECT_EQ(value("7 % -3"), "-2");
  EXPECT_EQ(value("6 & 3"), "2");
  EXPECT_EQ(value("6 | 3"), "7");
  EXPECT_EQ(value("~5"), "-6");
  EXPECT_EQ(value("-5"), "-5");
  EXPECT_EQ(value("9007199254740993 + 0"), "9007199254740993");
  EXPECT_EQ(value("9007199254740993 == 9007199254740992"), "false");
}

TEST(Infix, RefusesOverflowAndInexactDivision) {
  EXPECT_EQ(value("9223372036854775807 + 1").substr(5), "9223372036854775807 + 1 does not fit into 64 bits");
  EXPECT_EQ(value("-9223372036854775808 - 1").substr(5),
            "-9223372036854775808 - 1 does not fit into 64 bits");
  EXPECT_EQ(value("4294967296 * 4294967296").substr(5), "4294967296 * 4294967296 does not fit into 64 bits");
  EXPECT_NE(value("-9223372036854775808 // -1").find("does not fit into 64 bits"), std::string::npos);
  EXPECT_NE(value("-(-9223372036854775808)").find("does not fit into 64 bits"), std::string::npos);
  EXPECT_EQ(value("7 / 2").substr(5),
            "7 / 2: `/` of two integers is not exact; write `//`, or make one a float");
  EXPECT_EQ(value("7 // 0").substr(5), "7 // 0: division by zero");
  EXPECT_EQ(value("7 % 0").substr(5), "7 % 0: division by zero");
}

TEST(Infix, ComputesWithFloats) {
  EXPECT_EQ(value("7 / 2.0"), "3.5");
  EXPECT_EQ(value("-7.5 // 2"), "-4");
  EXPECT_EQ(value("-7.5 % 2"), "0.5");
  EXPECT_EQ(value("1.5 < 2"), "true");
  EXPECT_EQ(value("-0.5"), "-0.5");
  EXPECT_EQ(value("nan == nan"), "false");
  EXPECT_NE(value("1.0 / 0").find("division by zero"), std::string::npos);
}

TEST(Infix, ComparesTruthValues) {
  EXPECT_EQ(value("true & false"), "false");
  EXPECT_EQ(value("true | false"), "true");
  EXPECT_EQ(value("~true"), "false");
  EXPECT_EQ(value("true == true"), "true");
}

TEST(Infix, FollowsTorchesPromotion) {
  EXPECT_EQ(value("i + 1"), "int64 [3] 1 2 3");
  EXPECT_EQ(value("1 - i"), "int64 [3] 1 0 -1");
  EXPECT_EQ(value("i + 1.5"), "float32 [3] 1.5 2.5 3.5");
  EXPECT_EQ(value("1.5 + i"), "float32 [3] 1.5 2.5 3.5");
  EXPECT_EQ(value("h + 2.5"), "float16 [2] 4 4");
  EXPECT_EQ(value("2.5 + h"), "float16 [2] 4 4") << "a leading number is wrapped";
  EXPECT_EQ(value("2 * h"), "float16 [2] 3 3");
  EXPECT_EQ(value("h + f"), "float32 [2] 3 3");
  EXPECT_EQ(value("u + 10"), "uint8 [2] 4 4") << "wraps around, as torch does";
  EXPECT_EQ(value("10 + u"), "uint8 [2] 4 4");
  EXPECT_EQ(value("b + 1"), "int64 [2] 2 2");
  EXPECT_EQ(value("i / 2"), "float32 [3] 0 0.5 1");
}

TEST(Infix, FloorsOnTensorsAsPythonDoes) {
  EXPECT_EQ(value("(i - 2) // 2"), "int64 [3] -1 -1 0");
  EXPECT_EQ(value("(i - 2) % 2"), "int64 [3] 0 1 0");
  EXPECT_EQ(value("-5 // (i + 2)"), "int64 [3] -3 -2 -2");
  EXPECT_EQ(value("-5 % (i + 2)"), "int64 [3] 1 1 3");
  EXPECT_EQ(value("-f // 1"), "float32 [2] -2 -2");
}

TEST(Infix, ComparesElementByElement) {
  EXPECT_EQ(value("i < 1"), "bool [3] true false false");
  EXPECT_EQ(value("1 < i"), "bool [3] false false true");
  EXPECT_EQ(value("i == i"), "bool [3] true true true");
  EXPECT_EQ(value("i != 1"), "bool [3] true false true");
  EXPECT_EQ(value("(i > 0) & (i < 2)"), "bool [3] false true false");
  EXPECT_EQ(value("~(i > 0)"), "bool [3] true false false");
  EXPECT_EQ(value("(i == 0) | (i >= 2)"), "bool [3] true false true");
  EXPECT_EQ(value("-i"), "int64 [3] 0 -1 -2");
}

TEST(Infix, RefusesWhatHasNoMeaning) {
  EXPECT_NE(value("'a' + 1").find("`+` does not take a text and an integer"), std::string::npos)
      << value("'a' + 1");
  EXPECT_NE(value("none == 1").find("does not take none and an integer"), std::string::npos);
  EXPECT_NE(value("-'a'").find("`-` does not take a text"), std::string::npos);
  EXPECT_NE(value("1.5 & 1").find("does not take"), std::string::npos);
}

}  // namespace
}  // namespace relapse
