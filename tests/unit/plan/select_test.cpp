#include <gtest/gtest.h>

#include <harness/plan/select.hpp>

namespace relapse {
namespace {

bool selects(const std::string& word, const std::string& id = "index/labels",
             const std::string& path = "cases/index/labels.yaml",
             const std::vector<std::string>& labels = {"loss"}) {
  return selects_case(parse_selector(word), id, path, labels);
}

TEST(Select, TakesAWordApart) {
  const Selector whole = parse_selector("index/labels@cuda/batch-2:N=1");
  EXPECT_EQ(whole.kase, "index/labels");
  EXPECT_EQ(whole.device, "cuda");
  EXPECT_EQ(whole.check, "batch-2:N=1");
  EXPECT_EQ(whole.word, "index/labels@cuda/batch-2:N=1");
  const Selector device = parse_selector("@cpu");
  EXPECT_EQ(device.kase, "");
  EXPECT_EQ(device.device, "cpu");
  EXPECT_EQ(device.check, "");
  EXPECT_EQ(parse_selector("index/labels").device, "");
}

TEST(Select, TakesIdsFoldersGlobsLabelsAndPaths) {
  for (const char* word :
       {"index/labels", "index", "index/", "in*", "index/lab?ls", "index/l[aeiou]bels", "loss", "",
        "cases/index/labels.yaml", "cases/index", "cases", "./cases/index/", "./cases"}) {
    EXPECT_TRUE(selects(word)) << word;
  }
  for (const char* word : {"index/label", "ind", "labels", "lossy", "los", "x*", "index/labels/more",
                           "cases/in", "*.yaml", "INDEX"}) {
    EXPECT_FALSE(selects(word)) << word;
  }
}

TEST(Select, MeetsPathsWrittenWithADotOnEitherSide) {
  EXPECT_TRUE(selects("cases/index", "index/labels", "./cases/index/labels.yaml"));
  EXPECT_TRUE(selects("./cases/index", "index/labels", "cases/index/labels.yaml"));
  EXPECT_TRUE(selects("./", "index/labels", "./cases/index/labels.yaml"));
  EXPECT_TRUE(selects(".", "index/labels", "cases/index/labels.yaml"));
}

TEST(Select, TakesDevicesAndChecksByNameOrGlob) {
  EXPECT_TRUE(selects_device(parse_selector("a"), "cpu"));
  EXPECT_TRUE(selects_device(parse_selector("a@cpu"), "cpu"));
  EXPECT_TRUE(selects_device(parse_selector("a@c*"), "cuda"));
  EXPECT_FALSE(selects_device(parse_selector("a@cuda"), "cpu"));
  EXPECT_TRUE(selects_check(parse_selector("a"), "batch-1"));
  EXPECT_TRUE(selects_check(parse_selector("a@cpu/batch-1"), "batch-1"));
  EXPECT_TRUE(selects_check(parse_selector("a@cpu/boundary:*"), "boundary:x.min.first"));
  EXPECT_FALSE(selects_check(parse_selector("a@cpu/batch"), "batch-1"));
}

}  // namespace
}  // namespace relapse
