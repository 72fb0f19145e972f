#pragma once

// The safetensors container, read with every check of its reference implementation (huggingface/safetensors,
// safetensors/src/tensor.rs): nothing of the file is believed before it was compared with the file's size.

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace relapse {

struct StoredTensor {
  std::string name;
  c10::ScalarType dtype = c10::ScalarType::Undefined;  ///< Undefined: a dtype that the format has not
  std::string dtype_text;                              ///< as written, `F4`
  std::vector<std::int64_t> shape;
  std::string_view bytes;  ///< into the file's; little-endian, row-major, not aligned
};

/// In the order of their data. The error is a sentence about the file.
tl::expected<std::vector<StoredTensor>, std::string> read_safetensors(std::string_view file);

}  // namespace relapse
