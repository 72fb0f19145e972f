#pragma once

// Two tensors, one verdict: how many elements differ, where worst, by how much, and what would have passed.
// CPU tensors; dtypes may differ, shapes must be equal (the caller has said so already).

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <harness/case/case.hpp>
#include <harness/plan/observation.hpp>
#include <optional>
#include <string>

namespace relapse {

/// Which table of default tolerances holds (docs/case-format.md, "Tolerances").
enum class CompareTable : std::uint8_t { equals, same_as, agrees };

struct Tolerance {
  double rtol = 0, atol = 0;
};
/// The default for results of this dtype; {0, 0} for integers and bool. float8 as bfloat16 times ten; complex
/// as its parts.
Tolerance default_tolerance(c10::ScalarType dtype, CompareTable table);

struct Comparison {
  bool equal = true;
  std::int64_t total = 0, differing = 0;
  std::int64_t worst = -1;  ///< row-major position of the worst element
  std::string seen, due;    ///< the worst element and what it should have been
  double worst_abs = 0, worst_rel = 0;
  std::optional<std::uint64_t> worst_ulp;    ///< in the result's dtype
  std::optional<double> would_pass_at_rtol;  ///< with the same atol; nothing when no rtol could
  std::optional<MismatchPicture> picture;    ///< of more than one element, where some differ
  std::string rule;                          ///< `close, float32: rtol 0.0001, atol 1e-05`, `exact`
  /// `3 of 4,096 elements differ; worst at [17, 2]: 65504 where 61440 was due (off by 6.6 %, 127 ulp)`, then
  /// the rtol line.
  std::vector<std::string> lines(const std::vector<std::int64_t>& shape) const;
};

/// |actual - expected| <= atol + rtol * |expected|, infinities equal only to themselves. NaN is refused, also
/// in the same places, unless `nan_same_places`. `exact` first rounds `expected` to the dtype of `actual`.
/// `automatic` is exact for integers and bool, else close. `signed_zero` tells -0 from 0.
Comparison compare_tensors(const at::Tensor& actual, const at::Tensor& expected, const Compare& compare,
                           CompareTable table);

}  // namespace relapse
