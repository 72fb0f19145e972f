#pragma once

// The bytes of a case file and where each of them lies. Knows nothing of YAML.

#include <harness/support/diagnostic.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace relapse {

/// Positions within a text that outlives it.
class SourceText {
 public:
  explicit SourceText(std::string_view text);

  std::string_view text() const { return text_; }
  SourcePos pos_at(std::size_t offset) const;
  /// The whole line without its end; empty where there is no such line.
  std::string_view line(int number) const;

 private:
  static constexpr std::size_t kBlock = 1024;
  int count_up_to(std::size_t offset) const;

  std::string_view text_;
  std::vector<std::size_t> line_starts_;
  std::vector<int> blocks_;  ///< code points before each block of bytes: a line may be as long as the file
};

/// What makes a text unfit to be a case at all, with its offset: bytes that are not UTF-8, control
/// characters.
struct BadByte {
  std::size_t offset = 0;
  std::string message;
};
std::optional<BadByte> find_bad_byte(std::string_view text);

}  // namespace relapse
