#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <harness/case/discover.hpp>
#include <harness/support/file.hpp>

namespace relapse {
namespace {

class DiscoverTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "relapse-discover-XXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name) {
    std::filesystem::create_directories(std::filesystem::path(folder_ + "/" + name).parent_path());
    ASSERT_TRUE(write_file_atomically(folder_ + "/" + name, "relapse: 1\n"));
  }
  std::vector<std::string> ids() {
    std::vector<std::string> all;
    const auto files = discover_cases(folder_);
    for (const CaseFile& file : files.value()) all.push_back(file.id);
    return all;
  }

  std::string folder_;
};

TEST_F(DiscoverTest, SortsByIdAcrossFolders) {
  for (const char* name : {"b.yaml", "a/z.yaml", "a/b/c.yaml", "notes.md"}) write(name);
  EXPECT_THAT(ids(), testing::ElementsAre("a/b/c", "a/z", "b"));
  EXPECT_EQ(discover_cases(folder_)->back().path, folder_ + "/b.yaml");
}

TEST_F(DiscoverTest, PassesOverHiddenAndIgnoredFolders) {
  for (const char* name : {".git/x.yaml", ".x.yaml", "old/x.yaml", "old/.relapse-ignore", "kept.yaml"})
    write(name);
  EXPECT_THAT(ids(), testing::ElementsAre("kept"));
}

TEST_F(DiscoverTest, RefusesTheOtherEnding) {
  write("a/b.yml");
  EXPECT_EQ(discover_cases(folder_).error().message,
            folder_ + "/a/b.yml would not be run: case files end in .yaml; rename it to b.yaml");
}

TEST_F(DiscoverTest, SaysThatThereIsNoSuchFolder) {
  EXPECT_EQ(discover_cases(folder_ + "/none").error().message,
            "cannot look for cases in " + folder_ + "/none: there is no such folder");
}

}  // namespace
}  // namespace relapse
