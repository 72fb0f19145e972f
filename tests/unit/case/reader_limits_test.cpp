#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "read_helpers.hpp"

namespace relapse {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing_case::mistakes_in;
using testing_case::small_case;

TEST(ReadLimits, RefuseALargeFile) {
  ReadLimits limits;
  limits.file_bytes = 100;
  EXPECT_THAT(
      mistakes_in(small_case(), limits),
      ElementsAre(testing::HasSubstr("B, more than 100 B | keep large data in a .safetensors or .npy file")));
}

TEST(ReadLimits, RefuseADeepFile) {
  EXPECT_THAT(mistakes_in("relapse: " + std::string(40, '[') + std::string(40, ']')),
              ElementsAre("1:41 the file is nested deeper than 32"));
  EXPECT_THAT(mistakes_in(std::string(100000, '[')),
              ElementsAre(testing::EndsWith("the file is nested deeper than 32")));
  EXPECT_THAT(mistakes_in(std::string(100000, '{')),
              ElementsAre(testing::EndsWith("the file is nested deeper than 32")));
}

TEST(ReadLimits, RefuseAFileOfManyValues) {
  ReadLimits limits;
  limits.nodes = 10;
  EXPECT_THAT(mistakes_in(small_case(), limits),
              ElementsAre("3:36 the file has more than 10 values | keep large data in a .safetensors or .npy "
                          "file beside the case"));
}

TEST(ReadLimits, RefuseALongList) {
  ReadLimits limits;
  limits.elements = 5;
  EXPECT_THAT(
      mistakes_in(small_case("x: zeros", "x: [[1, 2, 3], [1, 2, 3]]"), limits),
      ElementsAre(
          "10:23 failing.inputs.x: more than 5 values in one list | keep large data in a .safetensors or "
          ".npy file beside the case"));
}

TEST(ReadLimits, RefuseATensorThatCouldNeverBeMade) {
  EXPECT_THAT(mistakes_in(small_case("{N: 8}", "{N: 9223372036854775807}")),
              ElementsAre("8:42 x.shape: more than 1,099,511,627,776 elements in batch-1"));
  EXPECT_THAT(mistakes_in(small_case("{N: 8}", "{N: [8, 1099511627777]}")),
              ElementsAre("8:42 x.shape: more than 1,099,511,627,776 elements in batch-1"));
  EXPECT_THAT(mistakes_in(small_case("{N: 8}", "{N: -1}")),
              ElementsAre("8:42 x.shape: the extent N is -1 in batch-1"));
  EXPECT_THAT(mistakes_in(small_case("{N: 8}", "{N: 0}")), IsEmpty());
}

TEST(ReadLimits, RefuseAProductOfManyLists) {
  std::string list = "[1";
  for (int i = 2; i <= 200; ++i) list += ", " + std::to_string(i);
  list += "]";
  const std::string text = small_case("{N: 8}", "{N: " + list + ", M: " + list + "}");
  EXPECT_THAT(mistakes_in(text),
              testing::Contains("12:5 batch-1: its lists make more than 10,000 combinations"));
}

TEST(ReadLimits, RefuseNumbersThatNoFloatHolds) {
  EXPECT_THAT(
      mistakes_in(small_case("finite: true", "max: 1e999")),
      ElementsAre("8:51 contract.requires.x.max: the number 1e999 does not fit float64 | write inf or 0"));
  EXPECT_THAT(
      mistakes_in(small_case("finite: true", "min: -1e-999")),
      ElementsAre("8:52 contract.requires.x.min: the number 1e-999 does not fit float64 | write inf or 0"));
  EXPECT_THAT(mistakes_in(small_case("x: zeros", "x: [1e999, 0, 0, 0]")), testing::SizeIs(1));
  EXPECT_THAT(mistakes_in(small_case("finite: true", "max: 1e308, min: 1e-308")), IsEmpty());
}

}  // namespace
}  // namespace relapse
