#pragma once

// NumPy's .npy file, versions 1 to 3, of numbers and bool. Own reader: others believe the header.

#include <cstdint>
#include <harness/case/dtype.hpp>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace relapse {

struct NpyArray {
  DType dtype = DType::float32;
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
  std::string_view bytes;  ///< into the file's; little-endian, not aligned
};

/// The error is a sentence about the file.
tl::expected<NpyArray, std::string> read_npy(std::string_view file);

}  // namespace relapse
