#include <gtest/gtest.h>

#include <harness/support/text.hpp>

namespace relapse {
namespace {

TEST(CountCodePoints, CountsCharactersAndNotBytes) {
  EXPECT_EQ(count_code_points("abc"), 3);
  EXPECT_EQ(count_code_points("\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"), 3);
}

TEST(CountCodePoints, CountsAByteThatIsNotUtf8AsOne) {
  EXPECT_EQ(count_code_points("a\xFF\xFE"
                              "b"),
            4);
}

TEST(ToValidUtf8, KeepsWhatIsValid) {
  EXPECT_EQ(to_valid_utf8("\xC3\xA9 x"), "\xC3\xA9 x");
}

TEST(ToValidUtf8, ReplacesOverlongFormsSurrogatesAndHalves) {
  EXPECT_EQ(to_valid_utf8("\xC0\xAF"), "\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(to_valid_utf8("\xED\xA0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(to_valid_utf8("a\xE2\x82"), "a\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(Quoted, EscapesWhatWouldNotBeSeen) {
  EXPECT_EQ(quoted("a\n\t\"\\\x01"), "\"a\\n\\t\\\"\\\\\\x01\"");
  EXPECT_EQ(quoted("\xFF"), "\"\\xff\"");
}

TEST(Quoted, CutsAtTheLimit) {
  EXPECT_EQ(quoted("abcdef", 3), "\"abc...\"");
}

}  // namespace
}  // namespace relapse
