#pragma once

// Counts differing elements by place and by distance while two tensors are compared.

#include <array>
#include <cstdint>
#include <harness/plan/observation.hpp>
#include <vector>

namespace relapse {

class MismatchCounter {
 public:
  MismatchCounter() = default;
  explicit MismatchCounter(std::vector<std::int64_t> shape);

  /// `position` is row-major; `distance` may be NaN or infinite.
  void add(std::int64_t position, double distance);
  MismatchPicture picture() const;

 private:
  static constexpr int kLowest = -330, kHighest = 310;  ///< decades of doubles
  MismatchPicture picture_;
  std::int64_t height_ = 1, width_ = 1;  ///< of the tensor folded to two dimensions
  std::vector<std::int64_t> decades_;    ///< made at the first difference
};

}  // namespace relapse
