#pragma once

// The safetensors container, read with every check of its reference implementation (huggingface/safetensors,
// safetensors/src/tensor.rs): nothing of the file is believed before it was compared with the file's size.

#include <cstdint>
#include <harness/case/dtype.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace relapse {

struct StoredTensor {
  std::string name;
  std::optional<DType> dtype;  ///< nothing: a dtype that cases have not
  std::string dtype_text;      ///< as written, `F4`
  std::vector<std::int64_t> shape;
  std::string_view bytes;  ///< into the file's; little-endian, row-major, not aligned
};

/// In the order of their data. The error is a sentence about the file.
tl::expected<std::vector<StoredTensor>, std::string> read_safetensors(std::string_view file);

}  // namespace relapse
