#pragma once

// The bytes of a case file and where each of them lies. Knows nothing of YAML.

#include <harness/support/diagnostic.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace relapse {

/// Positions within a text that outlives it. Not for several threads: the last answer is kept, since
/// questions come in the order of the text.
class SourceText {
 public:
  explicit SourceText(std::string_view text);

  std::string_view text() const { return text_; }
  SourcePos pos_at(std::size_t offset) const;
  /// The whole line without its end; empty where there is no such line.
  std::string_view line(int number) const;

 private:
  std::string_view text_;
  std::vector<std::size_t> line_starts_;
  mutable std::size_t last_offset_ = 0;
  mutable std::size_t last_line_ = 0;  ///< index into line_starts_
  mutable int last_column_ = 1;
};

/// What makes a text unfit to be a case at all, with its offset: bytes that are not UTF-8, control
/// characters.
struct BadByte {
  std::size_t offset = 0;
  std::string message;
};
std::optional<BadByte> find_bad_byte(std::string_view text);

}  // namespace relapse
