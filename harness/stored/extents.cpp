#include <algorithm>
#include <harness/case/expression.hpp>
#include <harness/stored/extents.hpp>

namespace relapse {

std::optional<std::uint64_t> bytes_of(const std::vector<std::int64_t>& shape, int element_bits) {
  std::optional<std::int64_t> bits = element_bits;
  for (const std::int64_t extent : shape)
    bits = bits ? checked_mul(*bits, std::max(extent, std::int64_t{1})) : bits;
  if (!bits) return std::nullopt;
  const bool is_empty = std::find(shape.begin(), shape.end(), 0) != shape.end();
  if (is_empty) return 0;
  if (*bits % 8 != 0) return std::nullopt;
  return static_cast<std::uint64_t>(*bits) / 8;
}

}  // namespace relapse
