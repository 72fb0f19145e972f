#pragma once

// The range that `requires` gives an input, as bounds that a generator can draw between.

#include <harness/tensor/exact.hpp>
#include <harness/tensor/form.hpp>
#include <optional>
#include <vector>

namespace relapse {

/// Whole numbers from `low` to `high`, both inclusive: `above` and fractions have been rounded inwards, and
/// what the dtype cannot hold is cut off.
struct WholeBounds {
  std::optional<std::int64_t> low, high;
};
FormResult<WholeBounds> whole_bounds(const FormContext& context, c10::ScalarType dtype);

/// Bounds of a float dtype, already values of it; an infinite one is no bound. `open`: the value itself is
/// outside (`above`, `below`).
struct RealBounds {
  std::optional<double> low, high;
  bool low_open = false, high_open = false;
};
FormResult<RealBounds> real_bounds(const FormContext& context, c10::ScalarType dtype);

/// The values of `one_of`, or of `except`; empty where there are none.
FormResult<std::vector<Exact>> listed_values(const std::vector<ExprPtr>& exprs, const FormContext& context,
                                             SourcePos pos);

}  // namespace relapse
