#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <harness/support/text.hpp>
#include <harness/verdict/assert_lines.hpp>
#include <optional>

namespace relapse {
namespace {

constexpr std::string_view kBlock = ": block: [", kThread = "], thread: [";

/// `1,2,3`.
bool read_three(std::string_view text, std::array<long, 3>& out) {
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  for (std::size_t i = 0; i < 3; ++i) {
    if (i > 0 && (at == end || *at++ != ',')) return false;
    const auto [next, error] = std::from_chars(at, end, out[i]);
    if (error != std::errc()) return false;
    at = next;
  }
  return at == end;
}

/// `FILE:LINE: FUNCTION`, from the left: a file name holds no `: `, a signature may.
bool read_place(std::string_view text, KernelAssert& out) {
  for (std::size_t colon = text.find(':'); colon != std::string_view::npos;
       colon = text.find(':', colon + 1)) {
    const char* const begin = text.data() + colon + 1;
    const char* const end = text.data() + text.size();
    const auto [next, error] = std::from_chars(begin, end, out.line);
    if (colon == 0 || error != std::errc() || end - next < 2 || next[0] != ':' || next[1] != ' ') continue;
    out.file = text.substr(0, colon);
    out.function = trim(std::string_view(next + 2, static_cast<std::size_t>(end - next - 2)));
    return true;
  }
  return false;
}

/// From the right: what stands left of the block may hold anything.
std::optional<KernelAssert> read_line(std::string_view line) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  constexpr std::string_view kPlain = "] Assertion `", kPlainEnd = "` failed.";
  constexpr std::string_view kVerbose = "]: Assertion failed: `", kTag = "[CUDA_KERNEL_ASSERT] ";
  KernelAssert found;
  const std::size_t block = line.rfind(kBlock);
  if (block == std::string_view::npos) return std::nullopt;
  const std::size_t thread = line.find(kThread, block);
  if (thread == std::string_view::npos) return std::nullopt;
  const std::size_t indices = thread + kThread.size();
  std::size_t close = line.find(kPlain, indices);
  std::string_view tail;
  if (close != std::string_view::npos) {
    tail = line.substr(close + kPlain.size());
    const std::size_t end = tail.rfind(kPlainEnd);
    if (end == std::string_view::npos) return std::nullopt;
    found.condition = tail.substr(0, end);
  } else {
    close = line.find(kVerbose, indices);
    if (close == std::string_view::npos) return std::nullopt;
    tail = line.substr(close + kVerbose.size());
    std::size_t end = tail.find("`: ");
    if (end == std::string_view::npos) end = tail.rfind('`');
    if (end == std::string_view::npos) return std::nullopt;
    found.condition = tail.substr(0, end);
    if (end + 3 <= tail.size()) found.message = tail.substr(end + 3);
  }
  std::string_view place = line.substr(0, block);
  if (place.substr(0, kTag.size()) == kTag) place.remove_prefix(kTag.size());
  if (!read_three(line.substr(block + kBlock.size(), thread - block - kBlock.size()), found.block) ||
      !read_three(line.substr(indices, close - indices), found.thread) || !read_place(place, found))
    return std::nullopt;
  found.lines = 1;
  return found;
}

}  // namespace

std::vector<KernelAssert> kernel_asserts(std::string_view printed) {
  std::vector<KernelAssert> all;
  while (!printed.empty()) {
    const std::size_t end = std::min(printed.find('\n'), printed.size());
    std::optional<KernelAssert> one = read_line(printed.substr(0, end));
    printed.remove_prefix(std::min(end + 1, printed.size()));
    if (!one) continue;
    const auto known = std::find_if(all.begin(), all.end(), [&](const KernelAssert& other) {
      return other.line == one->line && other.file == one->file && other.condition == one->condition;
    });
    if (known == all.end())
      all.push_back(std::move(*one));
    else
      ++known->lines;
  }
  return all;
}

std::string to_string(const KernelAssert& one) {
  const std::string file = one.file.substr(one.file.rfind('/') + 1);
  return fmt::format("{}:{}: `{}`{}  block [{},{},{}] thread [{},{},{}], {} {}", file, one.line,
                     one.condition, one.message.empty() ? "" : " (" + one.message + ")", one.block[0],
                     one.block[1], one.block[2], one.thread[0], one.thread[1], one.thread[2],
                     with_thousands(one.lines), one.lines == 1 ? "thread" : "threads");
}

}  // namespace relapse
