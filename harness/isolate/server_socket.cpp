#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <harness/isolate/server.hpp>
#include <harness/isolate/server_socket.hpp>
#include <harness/support/text.hpp>

namespace relapse {

namespace {

// A server answers at once; one that does not is as good as none.
constexpr int kAnswerPatienceMs = 5'000;

std::optional<sockaddr_un> address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path) return std::nullopt;
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

std::string folder_of(const std::string& socket) {
  return std::filesystem::path(socket).parent_path().string();
}

/// Empty: it is ours alone.
std::string why_not_private(const std::string& folder) {
  struct stat facts {};
  if (::lstat(folder.c_str(), &facts) != 0) return std::strerror(errno);
  if (!S_ISDIR(facts.st_mode)) return "it is no folder";
  if (facts.st_uid != ::geteuid()) return "it belongs to another user";
  if (facts.st_mode & 077) return "others may enter it";
  return {};
}

}  // namespace

std::string default_server_socket(const std::string& worker) {
  std::error_code ignored;
  std::string path = std::filesystem::weakly_canonical(worker, ignored).string();
  // Another build is another server: its zygote would be another program.
  struct stat facts {};
  std::string build = path.empty() ? worker : path;
  if (::stat(build.c_str(), &facts) == 0)
    build +=
        fmt::format("|{}|{}|{}.{}", facts.st_ino, facts.st_size, facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec);
  std::string name = fmt::format("{:016x}.sock", fnv1a64(build));
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  std::string folder = runtime && *runtime == '/' ? std::string(runtime) + "/relapse" : std::string();
  if (folder.empty() || !address_of(folder + "/" + name))
    folder = fmt::format("/tmp/relapse-{}", ::geteuid());
  return folder + "/" + name;
}

Result<void> prepare_server_folder(const std::string& socket) {
  if (!address_of(socket))
    return fail(ErrorKind::infrastructure,
                fmt::format("the socket path {} is longer than the system allows ({} bytes)",
                            relapse::quoted(socket), sizeof(sockaddr_un::sun_path) - 1));
  std::string folder = folder_of(socket);
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    return fail(ErrorKind::infrastructure, fmt::format("the folder {} cannot be made: {}",
                                                       relapse::quoted(folder), std::strerror(errno)));
  if (std::string why = why_not_private(folder); !why.empty())
    return fail(
        ErrorKind::infrastructure,
        fmt::format(
            "the folder {} is not safe for a server: {}. Remove it, or set XDG_RUNTIME_DIR to a folder "
            "of your own.",
            relapse::quoted(folder), why));
  return {};
}

Result<UniqueFd> listen_at(const std::string& path) {
  UniqueFd fd(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  auto address = address_of(path);
  ::unlink(path.c_str());
  if (!fd || !address || ::bind(fd.get(), reinterpret_cast<sockaddr*>(&*address), sizeof *address) != 0 ||
      ::listen(fd.get(), 128) != 0)
    return fail(ErrorKind::infrastructure,
                fmt::format("no server can listen at {}: {}", relapse::quoted(path), std::strerror(errno)));
  return fd;
}

std::string server_lock_file(const std::string& socket) {
  return socket + ".lock";
}

int connect_to_server(const std::string& socket) {
  auto address = address_of(socket);
  if (!address || !why_not_private(folder_of(socket)).empty()) return -1;
  UniqueFd fd(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  timeval patience{kAnswerPatienceMs / 1000, 0};
  if (fd) ::setsockopt(fd.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  if (!fd || ::connect(fd.get(), reinterpret_cast<sockaddr*>(&*address), sizeof *address) != 0) return -1;
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(fd.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.uid != ::geteuid())
    return -1;
  // Its first packet says that a zygote serves this connection; it is left there for the caller.
  pollfd answer{fd.get(), POLLIN, 0};
  int n = 0;
  do {
    n = ::poll(&answer, 1, kAnswerPatienceMs);
  } while (n < 0 && errno == EINTR);
  char byte;
  if (n <= 0 || ::recv(fd.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) <= 0) return -1;
  return fd.release();
}

}  // namespace relapse
