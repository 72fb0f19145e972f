#pragma once

// How many representable values lie between two floats of one dtype.

#include <bit>
#include <cstdint>
#include <harness/tensor/elements.hpp>

namespace relapse {

/// Positions on a line where neighbours are one apart and -0 is 0. NaN has no place on it.
template <class T>
std::int64_t order_of(T value) {
  if constexpr (std::is_same_v<T, double>) {
    const std::int64_t bits = std::bit_cast<std::int64_t>(value);
    return bits < 0 ? INT64_MIN - bits : bits;
  } else if constexpr (std::is_same_v<T, float>) {
    const std::int32_t bits = std::bit_cast<std::int32_t>(value);
    return bits < 0 ? std::int64_t(INT32_MIN) - bits : bits;
  } else {
    return order_of_small(value.x, *small_float_of(c10::CppTypeToScalarType<T>::value));
  }
}

template <class T>
std::uint64_t ulp_distance(T a, T b) {
  const std::uint64_t x = static_cast<std::uint64_t>(order_of(a)),
                      y = static_cast<std::uint64_t>(order_of(b));
  return order_of(a) > order_of(b) ? x - y : y - x;
}

}  // namespace relapse
