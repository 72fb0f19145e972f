#include <gtest/gtest.h>

#include <harness/support/text.hpp>

namespace relapse {
namespace {

TEST(NearestName, FindsATransposition) {
  EXPECT_EQ(nearest_name("devcie", {"dims", "device"}), "device");
}

TEST(NearestName, FindsAPluralTooMany) {
  EXPECT_EQ(nearest_name("symptoms", {"inputs", "symptom"}), "symptom");
}

TEST(NearestName, TakesTheNearerOfTwo) {
  EXPECT_EQ(nearest_name("targt", {"tarry", "target"}), "target");
}

TEST(NearestName, FindsNothingWhenNothingIsNear) {
  EXPECT_EQ(nearest_name("batches", {"title", "policy"}), std::nullopt);
}

TEST(NearestName, DoesNotTakeAnotherLetterForAMisspeltOne) {
  EXPECT_EQ(nearest_name("N", {"C", "T"}), std::nullopt);
}

TEST(NearestName, GivesUpOnTextsThatAreNoNames) {
  EXPECT_EQ(nearest_name(std::string(5000, 'x'), {std::string(4999, 'x')}), std::nullopt);
  EXPECT_EQ(nearest_name("", {"a"}), std::nullopt);
}

TEST(DidYouMean, IsEmptyOrAQuestion) {
  EXPECT_EQ(did_you_mean("symptoms", {"symptom"}), "; did you mean \"symptom\"?");
  EXPECT_EQ(did_you_mean("x", {"symptom"}), "");
}

TEST(Join, MakesProseAndLists) {
  EXPECT_EQ(join_or({}), "");
  EXPECT_EQ(join_or({"a"}), "a");
  EXPECT_EQ(join_or({"a", "b"}), "a or b");
  EXPECT_EQ(join_or({"a", "b", "c"}), "a, b or c");
  EXPECT_EQ(join({"a", "b"}, " -> "), "a -> b");
}

TEST(Split, KeepsEmptyParts) {
  EXPECT_EQ(split("a,,b", ','), (std::vector<std::string>{"a", "", "b"}));
  EXPECT_EQ(split("", ','), (std::vector<std::string>{""}));
}

TEST(Trim, TakesBlanksFromBothEnds) {
  EXPECT_EQ(trim(" \t a b\r\n"), "a b");
  EXPECT_EQ(trim("  "), "");
}

TEST(WithThousands, GroupsDigits) {
  EXPECT_EQ(with_thousands(0), "0");
  EXPECT_EQ(with_thousands(999), "999");
  EXPECT_EQ(with_thousands(1127), "1,127");
  EXPECT_EQ(with_thousands(-1234567), "-1,234,567");
}

TEST(BytesText, TakesTheLargestUnit) {
  EXPECT_EQ(bytes_text(12), "12 B");
  EXPECT_EQ(bytes_text(1024), "1 KiB");
  EXPECT_EQ(bytes_text(6815744), "6.5 MiB");
  EXPECT_EQ(bytes_text(4ull << 30), "4 GiB");
}

TEST(GlobMatch, MatchesTheWholeText) {
  EXPECT_TRUE(glob_match("index/*", "index/a/b"));
  EXPECT_FALSE(glob_match("index", "index/a"));
  EXPECT_TRUE(glob_match("*lab?ls*", "index/labels-beyond"));
  EXPECT_TRUE(glob_match("[a-c]x", "bx"));
  EXPECT_FALSE(glob_match("[!a-c]x", "bx"));
  EXPECT_TRUE(glob_match("[", "["));
  EXPECT_TRUE(glob_match("", ""));
  EXPECT_TRUE(glob_match("**", "anything"));
}

TEST(GlobMatch, IsNotExponential) {
  EXPECT_FALSE(glob_match("*a*a*a*a*a*a*a*a*b", std::string(20000, 'a')));
}

}  // namespace
}  // namespace relapse
