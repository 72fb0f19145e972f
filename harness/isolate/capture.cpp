#include <fmt/format.h>

#include <algorithm>
#include <harness/isolate/capture.hpp>
#include <harness/support/text.hpp>

namespace relapse {

namespace {

bool is_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

/// Without the beginning of a character that was cut off at the end: at most three bytes.
std::string_view without_cut_end(std::string_view text) {
  std::size_t start = text.size();
  for (std::size_t back = 1; back <= 3 && back <= text.size(); ++back) {
    unsigned char c = static_cast<unsigned char>(text[text.size() - back]);
    if (is_continuation(char(c))) continue;
    std::size_t length = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;
    if (length > back) start = text.size() - back;
    break;
  }
  return text.substr(0, start);
}

std::string_view without_cut_start(std::string_view text) {
  std::size_t skip = 0;
  while (skip < 3 && skip < text.size() && is_continuation(text[skip])) ++skip;
  return text.substr(skip);
}

}  // namespace

void Capture::add(std::string_view bytes) {
  bytes_ += bytes.size();
  std::size_t room = std::size_t(std::min<std::uint64_t>(head_cap_ - head_.size(), bytes.size()));
  head_.append(bytes.substr(0, room));
  bytes.remove_prefix(room);
  if (bytes.size() > tail_cap_) bytes.remove_prefix(bytes.size() - tail_cap_);
  tail_.append(bytes);
  // Cut only now and then, so that a flood is not moved once for every read.
  if (tail_.size() > 2 * tail_cap_) tail_.erase(0, tail_.size() - tail_cap_);
}

Captured Capture::result() const {
  Captured out;
  out.bytes = bytes_;
  std::string_view tail = tail_;
  if (tail.size() > tail_cap_) tail.remove_prefix(tail.size() - tail_cap_);
  out.truncated = bytes_ > head_.size() + tail.size();
  if (!out.truncated) {
    out.text = to_valid_utf8(head_ + std::string(tail));
    return out;
  }
  std::string_view head = without_cut_end(head_);
  tail = without_cut_start(tail);
  out.text =
      fmt::format("{}\n[... {} bytes left out ...]\n{}", to_valid_utf8(head),
                  with_thousands(std::int64_t(bytes_ - head.size() - tail.size())), to_valid_utf8(tail));
  return out;
}

}  // namespace relapse
