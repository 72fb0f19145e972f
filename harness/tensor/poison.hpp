#pragma once

// Gaps: the elements of a storage that belong to no tensor. They are filled with poison when a layout is made
// (fill_with_poison() in inputs.hpp) and must hold it still when the subject has run.

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

namespace relapse {

/// Elements [begin, end) of a storage.
struct Gap {
  std::int64_t begin = 0, end = 0;
};
using Gaps = std::vector<Gap>;

/// What none of the tensors, which share one storage, covers.
Gaps gaps_of(const std::vector<at::Tensor>& tensors);

/// Empty when every gap still holds the poison, else what was found where. The tensor may be on any device;
/// only its storage and dtype count.
std::string find_damaged_poison(const at::Tensor& tensor, const Gaps& gaps);

}  // namespace relapse
