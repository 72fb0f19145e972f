#include <fmt/format.h>

#include <algorithm>
#include <harness/case/source_text.hpp>
#include <harness/support/text.hpp>

namespace relapse {

namespace {

/// Counts first bytes, so that a sequence may be cut anywhere.
int count_starts(std::string_view text) {
  return static_cast<int>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace

SourceText::SourceText(std::string_view text) : text_(text) {
  line_starts_.push_back(0);
  for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1)) {
    line_starts_.push_back(at + 1);
  }
  blocks_.push_back(0);
  for (std::size_t at = 0; at + kBlock <= text.size(); at += kBlock)
    blocks_.push_back(blocks_.back() + count_starts(text.substr(at, kBlock)));
}

SourcePos SourceText::pos_at(std::size_t offset) const {
  offset = std::min(offset, text_.size());
  const auto next = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  const auto line = static_cast<std::size_t>(next - line_starts_.begin()) - 1;
  const std::size_t start = line_starts_[line];
  const bool short_line = offset - start <= kBlock;
  const int before = short_line ? count_code_points(text_.substr(start, offset - start))
                                : count_up_to(offset) - count_up_to(start);
  return {static_cast<int>(line) + 1, before + 1};
}

int SourceText::count_up_to(std::size_t offset) const {
  const std::size_t block = offset / kBlock;
  return blocks_[block] + count_starts(text_.substr(block * kBlock, offset - block * kBlock));
}

std::string_view SourceText::line(int number) const {
  if (number < 1 || static_cast<std::size_t>(number) > line_starts_.size()) return {};
  const std::size_t start = line_starts_[static_cast<std::size_t>(number) - 1];
  std::string_view line = text_.substr(start, text_.find('\n', start) - start);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

std::optional<BadByte> find_bad_byte(std::string_view text) {
  // A run of plain ASCII is by far the most, so only what is not is looked at closely.
  for (std::size_t at = 0; at < text.size();) {
    const auto c = static_cast<unsigned char>(text[at]);
    if (c < 0x80) {
      const bool control = (c < 0x20 && c != '\n' && c != '\r' && c != '\t') || c == 0x7F;
      if (control)
        return BadByte{at, fmt::format("the control character 0x{:02x} cannot stand in a case", c)};
      ++at;
      continue;
    }
    const std::size_t length = c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : 2;
    const std::string_view sequence = text.substr(at, length);
    if (sequence.size() < length || count_code_points(sequence) != 1) {
      return BadByte{at, fmt::format("the byte 0x{:02x} is not UTF-8, the encoding of case files", c)};
    }
    at += length;
  }
  return std::nullopt;
}

}  // namespace relapse
