#pragma once

// Output of a child, kept up to a cap: the first half and the last half of it.

#include <cstdint>
#include <harness/isolate/ending.hpp>
#include <string>
#include <string_view>

namespace relapse {

class Capture {
 public:
  explicit Capture(std::uint64_t cap) : head_cap_(cap / 2), tail_cap_(cap - cap / 2) {}

  void add(std::string_view bytes);

  /// Valid UTF-8. Between head and tail stands a line that says how many bytes were left out.
  Captured result() const;

 private:
  std::uint64_t head_cap_, tail_cap_;
  std::uint64_t bytes_ = 0;
  std::string head_, tail_;
};

}  // namespace relapse
