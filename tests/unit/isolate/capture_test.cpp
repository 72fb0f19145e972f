#include <gtest/gtest.h>

#include <harness/isolate/capture.hpp>

namespace relapse {
namespace {

TEST(Capture, KeepsEverythingUpToTheCap) {
  Capture capture(10);
  capture.add("01234");
  capture.add("56789");
  Captured result = capture.result();
  EXPECT_EQ(result.text, "0123456789");
  EXPECT_EQ(result.bytes, 10u);
  EXPECT_FALSE(result.truncated);
}

TEST(Capture, KeepsHeadAndTailAndSaysWhatIsMissing) {
  Capture capture(10);
  for (int i = 0; i < 1000; ++i) capture.add("abcdefghijklmnopqrstuvwxyz");
  Captured result = capture.result();
  EXPECT_EQ(result.text, "abcde\n[... 25,990 bytes left out ...]\nvwxyz");
  EXPECT_EQ(result.bytes, 26'000u);
  EXPECT_TRUE(result.truncated);
}

TEST(Capture, LeavesOutWholeCharactersAtTheCut) {
  Capture capture(8);
  capture.add("abc\xe2\x82\xac----\xe2\x82\xacxyz");  // the euro sign across both cuts
  EXPECT_EQ(capture.result().text, "abc\n[... 10 bytes left out ...]\nxyz");
}

TEST(Capture, MakesTextOfAnyBytes) {
  Capture capture(100);
  capture.add("\xff\xfe");
  EXPECT_EQ(capture.result().text, "\xef\xbf\xbd\xef\xbf\xbd");
}

TEST(Capture, KeepsNothingOfACapOfZero) {
  Capture capture(0);
  capture.add("abc");
  EXPECT_EQ(capture.result().text, "\n[... 3 bytes left out ...]\n");
}

}  // namespace
}  // namespace relapse
