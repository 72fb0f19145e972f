#pragma once

// What a case file alone says of a tensor, before anything makes it: literal values, fills, ranges of draws,
// files. What is not certain is left open, so nothing that is concluded from it can be wrong.

#include <cstdint>
#include <harness/case/dtype.hpp>
#include <harness/case/expression.hpp>
#include <optional>
#include <vector>

namespace relapse {

/// Tensors of more elements are known by their extremes only.
inline constexpr std::int64_t kMostKnownElements = 1 << 16;

struct KnownTensor {
  std::optional<DType> dtype;
  std::optional<std::vector<std::int64_t>> shape;
  std::optional<std::vector<Number>> elements;  ///< all, row-major; then `shape` is there as well
  std::optional<Number> least, most;            ///< no element lies outside; together or not at all
  std::vector<Number> present;                  ///< values that some element has; not all of them
  bool drawn = false;      ///< elements are drawn between `least` and `most`: each of these values may come
  bool generated = false;  ///< made from `requires`: meets its clauses, though perhaps not its relations

  bool holds_nothing() const;  ///< has no element
};

Number whole(std::int64_t value);
Number real(double value);
Number truth(bool value);

/// The product of the extents; nothing where one is negative or it does not fit.
std::optional<std::int64_t> elements_in(const std::vector<std::int64_t>& shape);

/// Every element is this one.
void fill_with(KnownTensor& tensor, const Number& value);

/// Sets `least`, `most` and `present` from `elements`. Leaves them out where an element is a NaN.
void summarise(KnownTensor& tensor);

}  // namespace relapse
