#pragma once

// Bytes in, lines out. Bounded: what never ends is dropped and said.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace relapse {

class LineReader {
 public:
  explicit LineReader(std::size_t limit = 8u << 20) : limit_(limit) {}

  /// The lines that are complete now, without their ends. A line beyond the limit comes back once, cut to one
  /// byte more than the limit, and its rest is dropped.
  std::vector<std::string> feed(std::string_view bytes);

  /// What came after the last line end.
  const std::string& rest() const { return rest_; }

 private:
  std::size_t limit_;
  std::string rest_;
  bool dropping_ = false;
};

}  // namespace relapse
