#pragma once

// Rounding to the narrow floats, once and to nearest even, straight from float64 or a 64-bit integer: going
// through float32 would round twice. c10's own constructors take a float, so they cannot be used for that.

#include <c10/core/ScalarType.h>

#include <cstdint>
#include <optional>

namespace relapse {

/// The bits of a binary float of at most 16 bits, below its sign.
struct SmallFloat {
  int exponent_bits, mantissa_bits, bias;
  bool has_infinity;   ///< the largest exponent is kept for infinity and NaN
  bool negative_zero;  ///< false: the bits of -0 are the only NaN (`fnuz`)
};

/// float16, bfloat16 and the float8 of the format; null for every other type.
const SmallFloat* small_float_of(c10::ScalarType type);

/// Nearest bits of value; NaN is the positive quiet one; what is too large becomes infinity, or NaN where
/// there is none.
std::uint16_t encode_small(double value, const SmallFloat& format);
/// The same of mantissa * 2^exponent, exact for all 64 bits.
std::uint16_t encode_small(bool negative, std::uint64_t mantissa, int exponent, const SmallFloat& format);
double decode_small(std::uint16_t bits, const SmallFloat& format);

/// An order of the bits in which neighbours differ by one; NaN has no place in it.
std::int64_t order_of_small(std::uint16_t bits, const SmallFloat& format);

/// float32 of complex64; every other type is its own.
c10::ScalarType component_type(c10::ScalarType type);
bool is_float_type(c10::ScalarType type);  ///< floating, of any width; not complex
bool is_whole_type(c10::ScalarType type);  ///< signed or unsigned integers; not bool

/// The largest finite value of a float type.
double largest_value(c10::ScalarType type);
bool has_infinity(c10::ScalarType type);

/// The whole numbers that an integer type or bool holds.
struct WholeRange {
  std::int64_t low = 0;
  std::uint64_t high = 0;
};
std::optional<WholeRange> whole_range(c10::ScalarType type);

}  // namespace relapse
