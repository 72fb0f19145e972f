#include <array>
#include <harness/tensor/dtype_map.hpp>

namespace relapse {

namespace {

struct Row {
  DType ours;
  c10::ScalarType theirs;
};

// In the order of DType, so that a dtype is its own row number.
constexpr std::array kRows = {
    Row{DType::boolean, c10::ScalarType::Bool},
    Row{DType::uint8, c10::ScalarType::Byte},
    Row{DType::int8, c10::ScalarType::Char},
    Row{DType::int16, c10::ScalarType::Short},
    Row{DType::int32, c10::ScalarType::Int},
    Row{DType::int64, c10::ScalarType::Long},
    Row{DType::uint16, c10::ScalarType::UInt16},
    Row{DType::uint32, c10::ScalarType::UInt32},
    Row{DType::uint64, c10::ScalarType::UInt64},
    Row{DType::float16, c10::ScalarType::Half},
    Row{DType::bfloat16, c10::ScalarType::BFloat16},
    Row{DType::float32, c10::ScalarType::Float},
    Row{DType::float64, c10::ScalarType::Double},
    Row{DType::complex32, c10::ScalarType::ComplexHalf},
    Row{DType::complex64, c10::ScalarType::ComplexFloat},
    Row{DType::complex128, c10::ScalarType::ComplexDouble},
    Row{DType::float8_e4m3fn, c10::ScalarType::Float8_e4m3fn},
    Row{DType::float8_e4m3fnuz, c10::ScalarType::Float8_e4m3fnuz},
    Row{DType::float8_e5m2, c10::ScalarType::Float8_e5m2},
    Row{DType::float8_e5m2fnuz, c10::ScalarType::Float8_e5m2fnuz},
};

}  // namespace

c10::ScalarType to_scalar_type(DType dtype) {
  return kRows[static_cast<std::size_t>(dtype)].theirs;
}

std::optional<DType> to_dtype(c10::ScalarType type) {
  for (const Row& row : kRows) {
    if (row.theirs == type) return row.ours;
  }
  return std::nullopt;
}

std::string dtype_name(c10::ScalarType type) {
  const std::optional<DType> dtype = to_dtype(type);
  return dtype ? std::string(to_string(*dtype)) : std::string(c10::toString(type));
}

c10::MemoryFormat to_memory_format(MemoryFormat format) {
  switch (format) {
    case MemoryFormat::contiguous:
      return c10::MemoryFormat::Contiguous;
    case MemoryFormat::preserve:
      return c10::MemoryFormat::Preserve;
    case MemoryFormat::channels_last:
      return c10::MemoryFormat::ChannelsLast;
    case MemoryFormat::channels_last_3d:
      return c10::MemoryFormat::ChannelsLast3d;
  }
  return c10::MemoryFormat::Contiguous;
}

}  // namespace relapse
