#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <harness/support/file.hpp>
#include <harness/support/text.hpp>
#include <memory>

namespace relapse {

namespace {

/// Closes the descriptor when it goes out of scope.
class OwnedDescriptor {
 public:
  explicit OwnedDescriptor(int fd) : fd_(fd) {}
  OwnedDescriptor(const OwnedDescriptor&) = delete;
  OwnedDescriptor& operator=(const OwnedDescriptor&) = delete;
  ~OwnedDescriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

tl::unexpected<Error> system_failure(const char* doing, const std::string& path, int error) {
  return fail(ErrorKind::infrastructure, fmt::format("cannot {} {}: {}", doing, path, std::strerror(error)));
}

}  // namespace

Result<std::string> read_file(const std::string& path, std::size_t limit) {
  const OwnedDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return system_failure("read", path, errno);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return system_failure("read", path, errno);
  if (S_ISDIR(status.st_mode)) return system_failure("read", path, EISDIR);

  // The size is only a first guess: a pipe has none, and a file may grow while it is read.
  std::string bytes;
  constexpr std::size_t kChunk = 1u << 16;
  const auto guess = static_cast<std::size_t>(status.st_size > 0 ? status.st_size : 0);
  if (guess <= limit) bytes.reserve(guess + 1);
  std::size_t used = 0;
  while (guess <= limit && used <= limit) {
    if (bytes.size() == used) bytes.resize(used + (guess > used ? guess - used + 1 : kChunk));
    const ssize_t got = ::read(file.get(), bytes.data() + used, bytes.size() - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_failure("read", path, errno);
    if (got == 0) break;
    used += static_cast<std::size_t>(got);
  }
  if (used > limit || guess > limit) {
    return fail(ErrorKind::infrastructure,
                fmt::format("cannot read {}: it is larger than {}", path, bytes_text(limit)));
  }
  bytes.resize(used);
  return bytes;
}

namespace {

Result<void> write_all(int fd, const std::string& path, const std::string& bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t put = ::write(fd, bytes.data() + done, bytes.size() - done);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return system_failure("write", path, errno);
    done += static_cast<std::size_t>(put);
  }
  return {};
}

/// The file that a link ends at; the path itself when it is no link or leads nowhere.
std::string behind_links(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> resolved(::realpath(path.c_str(), nullptr), &std::free);
  return resolved ? resolved.get() : path;
}

}  // namespace

Result<void> write_file_atomically(const std::string& given, const std::string& bytes) {
  const std::string path = behind_links(given);
  struct stat kind {};
  if (::stat(path.c_str(), &kind) == 0 && !S_ISREG(kind.st_mode)) {
    // A pipe, a terminal, a device: what is there is written to. A rename would take its place.
    const OwnedDescriptor target(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (target.get() < 0) return system_failure("write", path, errno);
    return write_all(target.get(), path, bytes);
  }
  // A new file gets what the umask leaves of 0666; one that is replaced keeps its mode.
  struct stat status {};
  const bool existed = ::stat(path.c_str(), &status) == 0;
  std::string temporary;
  int fd = -1;
  for (int attempt = 0; attempt < 100; ++attempt) {
    temporary = fmt::format("{}.{}-{}.tmp", path, ::getpid(), attempt);
    fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0 || errno != EEXIST) break;
  }
  if (fd < 0) return system_failure("write", path, errno);
  const OwnedDescriptor file(fd);
  const auto give_up = [&](int error) {
    ::unlink(temporary.c_str());
    return system_failure("write", path, error);
  };

  if (Result<void> written = write_all(file.get(), path, bytes); !written) {
    ::unlink(temporary.c_str());
    return written;
  }
  if (existed && ::fchmod(file.get(), status.st_mode & 07777) != 0) return give_up(errno);
  if (::fdatasync(file.get()) != 0 && errno != EINVAL) return give_up(errno);
  if (::rename(temporary.c_str(), path.c_str()) != 0) return give_up(errno);
  return {};
}

}  // namespace relapse
