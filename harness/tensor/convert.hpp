#pragma once

// Copies of elements into dense tensors, also of another dtype, without operator calls.

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace relapse {

/// The same elements, row-major in a storage of their own. CPU tensors without lazy conjugation; to the same
/// dtype or from a float or complex to the wider one.
at::Tensor dense_copy(const at::Tensor& tensor, c10::ScalarType dtype);

/// float16, bfloat16, float8 and float32 to float64; complex to complex128; every other type is its own.
c10::ScalarType widened(c10::ScalarType dtype);

struct Conversion {
  at::Tensor tensor;
  std::int64_t refused = -1;  ///< row-major position of the first value that the dtype cannot hold
};
/// Between real dtypes, every value exact or rounded once; of a dense tensor.
Conversion convert_dense(const at::Tensor& dense, c10::ScalarType dtype);

}  // namespace relapse
