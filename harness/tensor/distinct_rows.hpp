#pragma once

// Which elements of a tensor must differ from each other, as rows that the generator draws one by one.

#include <harness/tensor/resolve.hpp>
#include <string>
#include <vector>

namespace relapse {

/// Row-major positions of the elements of one row, in drawing order, and the name that the generator's key is
/// made from.
struct DistinctRow {
  std::string name;
  std::vector<std::int64_t> positions;
};

/// The rows of `distinct` (the whole tensor, or one row for every place in the other dims), else those of
/// `sorted: increasing` (the last dimension). Empty where nothing has to differ. A single row bears the
/// input's name, several `x.0`, `x.1`, ...
FormResult<std::vector<DistinctRow>> distinct_rows(const Extents& shape, const FormContext& context);

}  // namespace relapse
