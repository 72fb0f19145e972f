#include <gtest/gtest.h>

#include <harness/isolate/line_reader.hpp>

namespace relapse {
namespace {

using Lines = std::vector<std::string>;

TEST(LineReader, GivesLinesHoweverTheyArrive) {
  LineReader reader;
  EXPECT_EQ(reader.feed("on"), Lines{});
  EXPECT_EQ(reader.feed("e\ntwo\n\nthr"), (Lines{"one", "two", ""}));
  EXPECT_EQ(reader.rest(), "thr");
  EXPECT_EQ(reader.feed("ee\n"), Lines{"three"});
  EXPECT_EQ(reader.rest(), "");
}

TEST(LineReader, CutsALineBeyondTheLimitAndDropsItsRest) {
  LineReader reader(4);
  EXPECT_EQ(reader.feed("12"), Lines{});
  EXPECT_EQ(reader.feed("345678"), Lines{"12345"});
  EXPECT_EQ(reader.feed("9"), Lines{});
  EXPECT_EQ(reader.rest(), "");
  EXPECT_EQ(reader.feed("0\nok\n"), Lines{"ok"});
}

TEST(LineReader, TakesALineOfExactlyTheLimit) {
  LineReader reader(4);
  EXPECT_EQ(reader.feed("1234\n12345\nab\n"), (Lines{"1234", "12345", "ab"}));
}

}  // namespace
}  // namespace relapse
