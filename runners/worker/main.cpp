// relapse-worker: the program with LibTorch. relapse starts it; nobody needs to call it by hand.

#include <torch/headeronly/version.h>
#include <harness/device/library.hpp>
#include <harness/execute/run_request.hpp>
#include <harness/isolate/spawner.hpp>

#include <fcntl.h>

#include <charconv>
#include <cstdio>
#include <string_view>
#include <vector>

#include "bench_fork.hpp"

namespace {

constexpr const char* kUsage =
    "relapse-worker runs checks with LibTorch for relapse, one process an attempt; it is started by relapse "
    "and is not\n"
    "meant to be called by hand. Try `relapse run`, or `relapse doctor` to see what this machine has.\n"
    "\n"
    "  --zygote --control-fd N [--load LIB]...        load LibTorch once and fork a child for every attempt\n"
    "  --oneshot --request-fd N --protocol-fd N       answer one request\n"
    "  --oneshot --request-file F --protocol-file F   the same, through files\n"
    "  --version                                      versions of this program and of its LibTorch\n";

/// The descriptor after `name`, or -1.
int fd_of(const std::vector<std::string_view>& arguments, std::string_view name) {
  for (std::size_t i = 0; i + 1 < arguments.size(); ++i) {
    int fd = -1;
    std::string_view text = arguments[i + 1];
    if (arguments[i] == name && std::from_chars(text.data(), text.data() + text.size(), fd).ec == std::errc())
      return fd;
  }
  return -1;
}

/// The word after `name`, or nothing.
std::string text_of(const std::vector<std::string_view>& arguments, std::string_view name) {
  for (std::size_t i = 0; i + 1 < arguments.size(); ++i) {
    if (arguments[i] == name) return std::string(arguments[i + 1]);
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string_view> arguments(argv + 1, argv + argc);
  std::string_view what = arguments.empty() ? "" : arguments[0];
  if (what == "--version") {
    std::printf("relapse-worker %s, LibTorch %s\n", RELAPSE_VERSION, TORCH_VERSION);
    return 0;
  }
  if (what == "--zygote" && fd_of(arguments, "--control-fd") >= 0) {
    for (std::size_t i = 0; i + 1 < arguments.size(); ++i) {
      if (arguments[i] != "--load") continue;
      if (const auto loaded = relapse::load_library(std::string(arguments[i + 1])); !loaded) {
        std::fprintf(stderr, "%s\n", loaded.error().message.c_str());
        return 1;
      }
    }
    relapse::warm_up();
    return relapse::run_spawner(fd_of(arguments, "--control-fd"),
                                {relapse::run_request, relapse::why_not_fork});
  }
  if (what == "--oneshot" && fd_of(arguments, "--request-fd") >= 0 && fd_of(arguments, "--protocol-fd") >= 0)
    relapse::run_oneshot(fd_of(arguments, "--request-fd"), fd_of(arguments, "--protocol-fd"),
                         relapse::run_request);
  // Below a program that hands no descriptors on, the request and the answers are files.
  const std::string request_file = text_of(arguments, "--request-file"),
                    protocol_file = text_of(arguments, "--protocol-file");
  if (what == "--oneshot" && !request_file.empty() && !protocol_file.empty()) {
    const int request = open(request_file.c_str(), O_RDONLY | O_CLOEXEC);
    const int protocol = open(protocol_file.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    if (request >= 0 && protocol >= 0) relapse::run_oneshot(request, protocol, relapse::run_request);
    std::perror("relapse-worker: the files of the request cannot be opened");
    return 1;
  }
  // For the benchmark of isolation: what a bare fork of this process costs.
  if (what == "--bench-fork") {
    relapse::warm_up();
    return relapse::bench_fork(fd_of(arguments, "--bench-fork"));
  }
  std::fputs(kUsage, stderr);
  return 2;
}
