#include <bit>
#include <cmath>
#include <harness/tensor/form.hpp>
#include <harness/tensor/rounding.hpp>
#include <limits>

namespace relapse {

namespace {

using c10::ScalarType;

constexpr SmallFloat kHalf{5, 10, 15, true, true};
constexpr SmallFloat kBFloat16{8, 7, 127, true, true};
constexpr SmallFloat kE5m2{5, 2, 15, true, true};
constexpr SmallFloat kE4m3fn{4, 3, 7, false, true};
constexpr SmallFloat kE5m2fnuz{5, 2, 16, false, false};
constexpr SmallFloat kE4m3fnuz{4, 3, 8, false, false};

int width_of(const SmallFloat& format) {
  return format.exponent_bits + format.mantissa_bits;
}
std::uint32_t largest_bits(const SmallFloat& format) {
  const std::uint32_t all = (1u << width_of(format)) - 1;
  if (format.has_infinity) return all - (1u << format.mantissa_bits);
  // Without infinity all bits set is the NaN, or, where -0 is the NaN, the largest value.
  return format.negative_zero ? all - 1 : all;
}
std::uint16_t nan_bits(const SmallFloat& format) {
  if (!format.negative_zero) return static_cast<std::uint16_t>(1u << width_of(format));
  const std::uint32_t all = (1u << width_of(format)) - 1;
  if (!format.has_infinity) return static_cast<std::uint16_t>(all);
  // float8_e5m2 has its NaN at all bits set in LibTorch, the 16-bit floats at the first mantissa bit.
  if (format.mantissa_bits == 2) return static_cast<std::uint16_t>(all);
  return static_cast<std::uint16_t>(largest_bits(format) + 1 + (1u << (format.mantissa_bits - 1)));
}
std::uint16_t sign_bit(const SmallFloat& format) {
  return static_cast<std::uint16_t>(1u << width_of(format));
}
std::uint16_t too_large(bool negative, const SmallFloat& format) {
  if (!format.has_infinity) return nan_bits(format);
  return static_cast<std::uint16_t>((largest_bits(format) + 1) | (negative ? sign_bit(format) : 0));
}

}  // namespace

const SmallFloat* small_float_of(ScalarType type) {
  switch (type) {
    case ScalarType::Half:
    case ScalarType::ComplexHalf:
      return &kHalf;
    case ScalarType::BFloat16:
      return &kBFloat16;
    case ScalarType::Float8_e5m2:
      return &kE5m2;
    case ScalarType::Float8_e4m3fn:
      return &kE4m3fn;
    case ScalarType::Float8_e5m2fnuz:
      return &kE5m2fnuz;
    case ScalarType::Float8_e4m3fnuz:
      return &kE4m3fnuz;
    default:
      return nullptr;
  }
}

std::uint16_t encode_small(bool negative, std::uint64_t mantissa, int exponent, const SmallFloat& format) {
  std::uint32_t bits = 0;
  if (mantissa != 0) {
    const int smallest_normal = 1 - format.bias;
    const int top = 63 - std::countl_zero(mantissa) + exponent;
    const int unit = std::max(top, smallest_normal) - format.mantissa_bits;
    const int shift = unit - exponent;
    // More than 64 bits below half a unit: nothing is left of it.
    if (shift > 65) return negative && format.negative_zero ? sign_bit(format) : std::uint16_t(0);
    __extension__ using Wide = unsigned __int128;
    std::uint64_t rounded;
    if (shift <= 0) {
      rounded = mantissa << -shift;
    } else {
      const Wide wide = mantissa;
      const Wide half = Wide(1) << (shift - 1);
      const Wide rest = wide & ((Wide(1) << shift) - 1);
      rounded = static_cast<std::uint64_t>(wide >> shift);
      if (rest > half || (rest == half && (rounded & 1))) ++rounded;
    }
    const int field = std::max(top - smallest_normal, 0);
    if (field > (1 << format.exponent_bits)) return too_large(negative, format);
    // A normal number's leading one adds 1 to the exponent field; a carry of the rounding does the rest.
    bits = (static_cast<std::uint32_t>(field) << format.mantissa_bits) + static_cast<std::uint32_t>(rounded);
    if (bits > largest_bits(format)) return too_large(negative, format);
  }
  if (negative && (bits != 0 || format.negative_zero)) bits |= sign_bit(format);
  return static_cast<std::uint16_t>(bits);
}

std::uint16_t encode_small(double value, const SmallFloat& format) {
  if (std::isnan(value)) return nan_bits(format);
  const bool negative = std::signbit(value);
  if (std::isinf(value)) return too_large(negative, format);
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
  const int field = static_cast<int>(bits >> 52 & 0x7ff);
  const std::uint64_t fraction = bits & ((std::uint64_t(1) << 52) - 1);
  const std::uint64_t mantissa = field == 0 ? fraction : fraction | std::uint64_t(1) << 52;
  return encode_small(negative, mantissa, std::max(field, 1) - 1075, format);
}

double decode_small(std::uint16_t bits, const SmallFloat& format) {
  const bool negative = bits & sign_bit(format);
  const std::uint32_t magnitude = bits & (sign_bit(format) - 1u);
  if (negative && magnitude == 0 && !format.negative_zero) return std::numeric_limits<double>::quiet_NaN();
  if (magnitude > largest_bits(format)) {
    const bool infinite = format.has_infinity && magnitude == largest_bits(format) + 1;
    const double value =
        infinite ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
    return negative ? -value : value;
  }
  const int field = static_cast<int>(magnitude >> format.mantissa_bits);
  std::uint32_t mantissa = magnitude & ((1u << format.mantissa_bits) - 1);
  if (field > 0) mantissa |= 1u << format.mantissa_bits;
  const double value = std::ldexp(mantissa, std::max(field, 1) - format.bias - format.mantissa_bits);
  return negative ? -value : value;
}

std::int64_t order_of_small(std::uint16_t bits, const SmallFloat& format) {
  const std::int64_t magnitude = bits & (sign_bit(format) - 1);
  return bits & sign_bit(format) ? -magnitude : magnitude;
}

ScalarType component_type(ScalarType type) {
  switch (type) {
    case ScalarType::ComplexHalf:
      return ScalarType::Half;
    case ScalarType::ComplexFloat:
      return ScalarType::Float;
    case ScalarType::ComplexDouble:
      return ScalarType::Double;
    default:
      return type;
  }
}

bool is_float_type(ScalarType type) {
  return c10::isFloatingType(type);
}

bool is_whole_type(ScalarType type) {
  return type != ScalarType::Bool && whole_range(type).has_value();
}

double largest_value(ScalarType type) {
  if (const SmallFloat* format = small_float_of(type))
    return decode_small(static_cast<std::uint16_t>(largest_bits(*format)), *format);
  return component_type(type) == ScalarType::Float ? std::numeric_limits<float>::max()
                                                   : std::numeric_limits<double>::max();
}

bool has_infinity(ScalarType type) {
  const SmallFloat* format = small_float_of(type);
  return format ? format->has_infinity : true;
}

std::optional<WholeRange> whole_range(ScalarType type) {
  switch (type) {
    case ScalarType::Bool:
      return WholeRange{0, 1};
    case ScalarType::Byte:
      return WholeRange{0, UINT8_MAX};
    case ScalarType::Char:
      return WholeRange{INT8_MIN, INT8_MAX};
    case ScalarType::Short:
      return WholeRange{INT16_MIN, INT16_MAX};
    case ScalarType::Int:
      return WholeRange{INT32_MIN, INT32_MAX};
    case ScalarType::Long:
      return WholeRange{INT64_MIN, INT64_MAX};
    case ScalarType::UInt16:
      return WholeRange{0, UINT16_MAX};
    case ScalarType::UInt32:
      return WholeRange{0, UINT32_MAX};
    case ScalarType::UInt64:
      return WholeRange{0, UINT64_MAX};
    default:
      return std::nullopt;
  }
}

double round_to_dtype(double value, ScalarType dtype) {
  if (const SmallFloat* format = small_float_of(dtype))
    return decode_small(encode_small(value, *format), *format);
  return component_type(dtype) == ScalarType::Float ? static_cast<double>(static_cast<float>(value)) : value;
}

double next_value(double value, bool up, ScalarType dtype) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double towards = up ? kInfinity : -kInfinity;
  if (whole_range(dtype)) return up ? std::floor(value) + 1 : std::ceil(value) - 1;
  if (std::isnan(value) || value == towards) return value;
  const SmallFloat* format = small_float_of(dtype);
  if (!format) {
    if (component_type(dtype) == ScalarType::Float)
      return std::nextafterf(static_cast<float>(value), static_cast<float>(towards));
    return std::nextafter(value, towards);
  }
  if (std::isinf(value)) return up ? -largest_value(dtype) : largest_value(dtype);
  const std::int64_t order = order_of_small(encode_small(value, *format), *format) + (up ? 1 : -1);
  const std::uint32_t magnitude = static_cast<std::uint32_t>(order < 0 ? -order : order);
  // Past the largest value lies infinity, also where the dtype itself has none.
  if (magnitude > largest_bits(*format)) return towards;
  const double size = decode_small(static_cast<std::uint16_t>(magnitude), *format);
  return order < 0 ? -size : size;
}

}  // namespace relapse
