#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <harness/isolate/child_setup.hpp>
#include <harness/isolate/unique_fd.hpp>
#include <harness/isolate/wrapped_attempt.hpp>
#include <thread>
#include <vector>

namespace relapse {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kLookPeriod{20};
constexpr int kCannotRun = 127;

/// A folder of this attempt; gone with this object.
class Folder {
 public:
  Folder() {
    std::error_code error;
    std::string pattern = (fs::temp_directory_path(error) / "relapse-XXXXXX").string();
    if (const char* made = ::mkdtemp(pattern.data())) path_ = made;
  }
  ~Folder() {
    std::error_code error;
    if (!path_.empty()) fs::remove_all(path_, error);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string file(const char* name) const { return (path_ / name).string(); }
  bool made() const { return !path_.empty(); }

 private:
  fs::path path_;
};

bool write_file(const std::string& path, const std::string& text) {
  UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  return file && ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

/// Passes on what was appended since the last call.
void pass_on(int from, int to) {
  char part[1 << 16];
  for (;;) {
    const ssize_t n = ::read(from, part, sizeof(part));
    if (n <= 0) return;
    for (ssize_t sent = 0; sent < n;) {
      const ssize_t written = ::write(to, part + sent, static_cast<std::size_t>(n - sent));
      if (written < 0 && errno != EINTR) return;
      if (written > 0) sent += written;
    }
  }
}

pid_t start(const std::string& worker, const Request& request, const Folder& folder) {
  std::vector<std::string> words = request.wrapper;
  for (const std::string& word :
       {worker, std::string("--oneshot"), std::string("--request-file"), folder.file("request"),
        std::string("--protocol-file"), folder.file("protocol")})
    words.push_back(word);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t self = ::getpid();
  const pid_t pid = ::fork();
  if (pid != 0) return pid;
  if (die_with_parent(self)) ::execv(argv[0], argv.data());
  std::fprintf(stderr, "%s: %s\n", argv[0], std::strerror(errno));
  ::_exit(kCannotRun);
}

}  // namespace

int run_wrapped_attempt(const std::string& worker, const Request& request, int protocol_fd) {
  int status = 0;
  {
    const Folder folder;
    if (!folder.made() || !write_file(folder.file("request"), to_line(request) + "\n") ||
        !write_file(folder.file("protocol"), "")) {
      std::fprintf(stderr, "relapse: no files for the request below %s can be made: %s\n",
                   request.wrapper.front().c_str(), std::strerror(errno));
      return kCannotRun;
    }
    const UniqueFd answers(::open(folder.file("protocol").c_str(), O_RDONLY | O_CLOEXEC));
    const pid_t pid = start(worker, request, folder);
    if (pid < 0) {
      std::fprintf(stderr, "relapse: fork: %s\n", std::strerror(errno));
      return kCannotRun;
    }
    while (::waitpid(pid, &status, WNOHANG) == 0) {
      pass_on(answers.get(), protocol_fd);
      std::this_thread::sleep_for(kLookPeriod);
    }
    pass_on(answers.get(), protocol_fd);
  }
  if (WIFSIGNALED(status)) ::raise(WTERMSIG(status));
  return WIFEXITED(status) ? WEXITSTATUS(status) : kCannotRun;
}

}  // namespace relapse
