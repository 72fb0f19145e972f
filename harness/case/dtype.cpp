#include <algorithm>
#include <array>
#include <harness/case/dtype.hpp>

namespace relapse {

namespace {

enum class Family : std::uint8_t { boolean, integral, floating, complex };

struct DTypeRow {
  DType dtype;
  std::string_view name;
  int bytes;
  Family family;
};

// In the order of the enumerators, so that a dtype is its own row number.
constexpr std::array kDTypes = {
    DTypeRow{DType::boolean, "bool", 1, Family::boolean},
    DTypeRow{DType::uint8, "uint8", 1, Family::integral},
    DTypeRow{DType::int8, "int8", 1, Family::integral},
    DTypeRow{DType::int16, "int16", 2, Family::integral},
    DTypeRow{DType::int32, "int32", 4, Family::integral},
    DTypeRow{DType::int64, "int64", 8, Family::integral},
    DTypeRow{DType::uint16, "uint16", 2, Family::integral},
    DTypeRow{DType::uint32, "uint32", 4, Family::integral},
    DTypeRow{DType::uint64, "uint64", 8, Family::integral},
    DTypeRow{DType::float16, "float16", 2, Family::floating},
    DTypeRow{DType::bfloat16, "bfloat16", 2, Family::floating},
    DTypeRow{DType::float32, "float32", 4, Family::floating},
    DTypeRow{DType::float64, "float64", 8, Family::floating},
    DTypeRow{DType::complex32, "complex32", 4, Family::complex},
    DTypeRow{DType::complex64, "complex64", 8, Family::complex},
    DTypeRow{DType::complex128, "complex128", 16, Family::complex},
    DTypeRow{DType::float8_e4m3fn, "float8_e4m3fn", 1, Family::floating},
    DTypeRow{DType::float8_e4m3fnuz, "float8_e4m3fnuz", 1, Family::floating},
    DTypeRow{DType::float8_e5m2, "float8_e5m2", 1, Family::floating},
    DTypeRow{DType::float8_e5m2fnuz, "float8_e5m2fnuz", 1, Family::floating},
};

constexpr std::array<std::string_view, 4> kMemoryFormats = {"contiguous_format", "preserve_format",
                                                            "channels_last", "channels_last_3d"};

constexpr std::array<std::string_view, 18> kReserved = {
    "where", "log",    "old", "guard",     "backward", "data",  "seed", "synchronize", "zeros",
    "ones",  "arange", "eye", "generated", "true",     "false", "none", "nan",         "inf"};
constexpr std::array<std::string_view, 7> kLayouts = {"strided",    "sparse_coo", "sparse_csr", "sparse_csc",
                                                      "sparse_bsr", "sparse_bsc", "jagged"};
constexpr std::array<std::string_view, 4> kReservedForDims = {"inputs", "ensures", "name", "needs"};
constexpr std::array<std::string_view, 6> kReservedForResults = {"libraries", "python",  "command",
                                                                 "script",    "package", "none"};

template <class Names>
bool contains(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

const DTypeRow& row_of(DType dtype) {
  return kDTypes[static_cast<std::size_t>(dtype)];
}

}  // namespace

std::string_view to_string(DType dtype) {
  return row_of(dtype).name;
}

std::optional<DType> dtype_from(std::string_view name) {
  for (const DTypeRow& row : kDTypes) {
    if (row.name == name) return row.dtype;
  }
  return std::nullopt;
}

const std::vector<std::string>& dtype_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const DTypeRow& row : kDTypes) all.emplace_back(row.name);
    return all;
  }();
  return names;
}

int element_size(DType dtype) {
  return row_of(dtype).bytes;
}
bool is_floating(DType dtype) {
  return row_of(dtype).family == Family::floating;
}
bool is_complex(DType dtype) {
  return row_of(dtype).family == Family::complex;
}
bool is_integral(DType dtype) {
  return row_of(dtype).family == Family::integral;
}

std::string_view to_string(MemoryFormat format) {
  return kMemoryFormats[static_cast<std::size_t>(format)];
}

std::optional<MemoryFormat> memory_format_from(std::string_view name) {
  for (std::size_t i = 0; i < kMemoryFormats.size(); ++i) {
    if (kMemoryFormats[i] == name) return static_cast<MemoryFormat>(i);
  }
  // torch's own short forms of the first two.
  if (name == "contiguous") return MemoryFormat::contiguous;
  if (name == "preserve") return MemoryFormat::preserve;
  return std::nullopt;
}

const std::vector<std::string>& memory_format_names() {
  static const std::vector<std::string> names(kMemoryFormats.begin(), kMemoryFormats.end());
  return names;
}

bool is_layout_name(std::string_view name) {
  return contains(kLayouts, name);
}

bool is_reserved_name(std::string_view name) {
  return contains(kReserved, name) || contains(kMemoryFormats, name) || is_layout_name(name) ||
         dtype_from(name).has_value();
}

bool is_reserved_for_dims(std::string_view name) {
  return contains(kReservedForDims, name);
}
bool is_reserved_for_results(std::string_view name) {
  return contains(kReservedForResults, name);
}

}  // namespace relapse
