#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <harness/support/file.hpp>

namespace relapse {
namespace {

class FileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "relapse-file-XXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return folder_ + "/" + name; }

  std::string folder_;
};

TEST_F(FileTest, ReadsWhatWasWritten) {
  const std::string bytes("a\0b\n", 4);
  ASSERT_TRUE(write_file_atomically(path("x"), bytes));
  EXPECT_EQ(*read_file(path("x")), bytes);
}

TEST_F(FileTest, LeavesNothingBesideTheFile) {
  ASSERT_TRUE(write_file_atomically(path("x"), "1"));
  ASSERT_TRUE(write_file_atomically(path("x"), "2"));
  int files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder_)) ++files;
  EXPECT_EQ(files, 1);
}

TEST_F(FileTest, KeepsTheModeOfAFileThatIsReplaced) {
  ASSERT_TRUE(write_file_atomically(path("x"), "1"));
  ASSERT_EQ(chmod(path("x").c_str(), 0640), 0);
  ASSERT_TRUE(write_file_atomically(path("x"), "2"));
  struct stat status {};
  ASSERT_EQ(stat(path("x").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0640u);
}

TEST_F(FileTest, NamesTheFileAndTheReason) {
  EXPECT_EQ(read_file(path("none")).error().message,
            "cannot read " + path("none") + ": No such file or directory");
  EXPECT_EQ(read_file(folder_).error().message, "cannot read " + folder_ + ": Is a directory");
  EXPECT_THAT(write_file_atomically(path("no/x"), "").error().message,
              testing::StartsWith("cannot write " + path("no/x")));
}

TEST_F(FileTest, RefusesAFileAboveTheLimit) {
  ASSERT_TRUE(write_file_atomically(path("x"), std::string(2048, 'x')));
  EXPECT_EQ(read_file(path("x"), 1024).error().message,
            "cannot read " + path("x") + ": it is larger than 1 KiB");
  EXPECT_TRUE(read_file(path("x"), 2048));
}

TEST_F(FileTest, ReadsAFileWhoseSizeIsNotKnownBefore) {
  EXPECT_FALSE(read_file("/proc/self/status")->empty());
}

}  // namespace
}  // namespace relapse
