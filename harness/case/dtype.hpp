#pragma once

// The dtypes of tensors by the names that torch gives them. The worker maps them to c10::ScalarType.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace relapse {

enum class DType : std::uint8_t {
  boolean,
  uint8,
  int8,
  int16,
  int32,
  int64,
  uint16,
  uint32,
  uint64,
  float16,
  bfloat16,
  float32,
  float64,
  complex32,
  complex64,
  complex128,
  float8_e4m3fn,
  float8_e4m3fnuz,
  float8_e5m2,
  float8_e5m2fnuz,
};

std::string_view to_string(DType dtype);  ///< `bool`, `int64`, `bfloat16`, ...
std::optional<DType> dtype_from(std::string_view name);
const std::vector<std::string>& dtype_names();

int element_size(DType dtype);  ///< bytes
bool is_floating(DType dtype);  ///< float16, bfloat16, float32, float64, float8
bool is_complex(DType dtype);
bool is_integral(DType dtype);  ///< signed and unsigned integers; not bool

enum class MemoryFormat : std::uint8_t { contiguous, preserve, channels_last, channels_last_3d };
std::string_view to_string(MemoryFormat format);
std::optional<MemoryFormat> memory_format_from(std::string_view name);
const std::vector<std::string>& memory_format_names();

bool is_layout_name(std::string_view name);  ///< `strided`, `sparse_coo`, ...

/// Names that no input, result or dim may have (the format's "Reserved"), and those that only dims may not
/// have.
bool is_reserved_name(std::string_view name);
bool is_reserved_for_dims(std::string_view name);
bool is_reserved_for_results(std::string_view name);

}  // namespace relapse
