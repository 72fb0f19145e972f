#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <harness/isolate/sandbox.hpp>
#include <string>
#include <thread>

namespace relapse {
namespace {

/// What `attempt` answers in a process of its own, inside of a sandbox for the working folder: errno, or 0.
int inside(const std::function<int()>& attempt) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    if (!enter_sandbox(std::filesystem::current_path().string(), 5)) ::_exit(99);
    ::_exit(attempt());
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

int outcome(long result) {
  return result < 0 ? errno : 0;
}

class Sandbox : public testing::Test {
 protected:
  Sandbox() {
    std::string pattern = testing::TempDir() + "relapse-sandbox-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
    std::ofstream(folder_ + "/case.yaml") << "text";
    std::filesystem::current_path(folder_);
  }
  ~Sandbox() override {
    std::filesystem::current_path("/");
    std::filesystem::remove_all(folder_);
  }
  std::string folder_;
};

TEST_F(Sandbox, LetsTheFolderBeRead) {
  EXPECT_EQ(inside([] { return outcome(::open("case.yaml", O_RDONLY)); }), 0);
  EXPECT_EQ(inside([] {
              volatile int sum = 0;
              std::thread([&] { sum = 1; }).join();
              return sum == 1 ? 0 : 98;
            }),
            0)
      << "threads of the process itself are allowed";
}

TEST_F(Sandbox, RefusesEverythingThatReachesOut) {
  EXPECT_EQ(inside([] { return outcome(::open("new", O_WRONLY | O_CREAT, 0600)); }), EACCES);
  EXPECT_EQ(inside([] { return outcome(::open("case.yaml", O_RDWR)); }), EACCES);
  EXPECT_EQ(inside([] { return outcome(::open("case.yaml", O_RDONLY | O_TRUNC)); }), EACCES);
  EXPECT_EQ(inside([] { return outcome(::unlink("case.yaml")); }), EPERM);
  EXPECT_EQ(inside([] { return outcome(::rename("case.yaml", "other")); }), EPERM);
  EXPECT_EQ(inside([] { return outcome(::mkdir("folder", 0700)); }), EPERM);
  EXPECT_EQ(inside([] { return outcome(::symlink("/etc/passwd", "link")); }), EPERM);
  EXPECT_EQ(inside([] { return outcome(::socket(AF_INET, SOCK_STREAM, 0)); }), EPERM);
  EXPECT_EQ(inside([] { return outcome(::socket(AF_UNIX, SOCK_STREAM, 0)); }), EPERM);
  EXPECT_EQ(inside([] { return outcome(::fork()); }), EPERM);
  EXPECT_EQ(inside([] { return outcome(::kill(::getppid(), 0)); }), EPERM);
  EXPECT_EQ(inside([] { return outcome(::execl("/bin/true", "true", nullptr)); }), EPERM);
  EXPECT_TRUE(std::filesystem::exists(folder_ + "/case.yaml"));
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/new"));
}

TEST_F(Sandbox, ClosesTheRestOfTheFileSystemWhereTheKernelHasLandlock) {
  // 64: what is in force has Landlock in it.
  const bool landlock = inside([] { return 0; }) == 0 && [] {
    const pid_t pid = ::fork();
    if (pid == 0) {
      const Result<std::string> in_force = enter_sandbox("/", 5);
      ::_exit(in_force && in_force->find("landlock") != std::string::npos ? 64 : 0);
    }
    int status = 0;
    ::waitpid(pid, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 64;
  }();
  EXPECT_EQ(inside([] { return outcome(::open("/etc/passwd", O_RDONLY)); }), landlock ? EACCES : 0);
}

TEST_F(Sandbox, EndsAProcessThatComputesForEver) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    if (!enter_sandbox("/", 1)) ::_exit(99);
    volatile bool for_ever = true;
    while (for_ever) {
    }
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL));
}

TEST(ClearEnvironment, KeepsOnlyWhatAWorkerNeeds) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::setenv("GITHUB_TOKEN", "secret", 1);
    ::setenv("CUDA_LAUNCH_BLOCKING", "1", 1);
    clear_environment();
    ::_exit(!std::getenv("GITHUB_TOKEN") && !std::getenv("HOME") && std::getenv("CUDA_LAUNCH_BLOCKING") ? 0
                                                                                                        : 1);
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace relapse
