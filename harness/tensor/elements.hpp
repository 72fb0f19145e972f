#pragma once

// Elements of CPU tensors as typed values: which C++ type a dtype has, how to walk along strides, how to
// write one rounded value. Everything that reads or writes elements in loops is built on these, because an
// operator call on a tiny tensor costs more than the whole loop.

#include <ATen/core/Tensor.h>
#include <c10/util/complex.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <harness/tensor/rounding.hpp>
#include <type_traits>
#include <vector>

namespace relapse {

template <class T>
struct TypeTag {
  using type = T;
};

template <class T>
struct IsComplex : std::false_type {};
template <class T>
struct IsComplex<c10::complex<T>> : std::true_type {};
template <class T>
inline constexpr bool kIsComplex = IsComplex<T>::value;
/// Of a complex type the type of its parts; c10::complex<c10::Half> does not say it itself.
template <class T>
struct PartOf {
  using type = T;
};
template <class T>
struct PartOf<c10::complex<T>> {
  using type = T;
};
template <class T>
using Part = typename PartOf<T>::type;
/// Integers and bool.
template <class T>
inline constexpr bool kIsWhole = std::is_integral_v<T>;

/// Calls `visit(TypeTag<T>{})` with the C++ type of the dtype's elements; false: a type that the format has
/// not.
template <class Visit>
bool visit_dtype(c10::ScalarType type, Visit&& visit) {
  switch (type) {
#define RELAPSE_DTYPE(enumerator, T) \
  case c10::ScalarType::enumerator:  \
    visit(TypeTag<T>{});             \
    return true;
    RELAPSE_DTYPE(Bool, bool)
    RELAPSE_DTYPE(Byte, std::uint8_t)
    RELAPSE_DTYPE(Char, std::int8_t)
    RELAPSE_DTYPE(Short, std::int16_t)
    RELAPSE_DTYPE(Int, std::int32_t)
    RELAPSE_DTYPE(Long, std::int64_t)
    RELAPSE_DTYPE(UInt16, std::uint16_t)
    RELAPSE_DTYPE(UInt32, std::uint32_t)
    RELAPSE_DTYPE(UInt64, std::uint64_t)
    RELAPSE_DTYPE(Half, c10::Half)
    RELAPSE_DTYPE(BFloat16, c10::BFloat16)
    RELAPSE_DTYPE(Float, float)
    RELAPSE_DTYPE(Double, double)
    RELAPSE_DTYPE(ComplexHalf, c10::complex<c10::Half>)
    RELAPSE_DTYPE(ComplexFloat, c10::complex<float>)
    RELAPSE_DTYPE(ComplexDouble, c10::complex<double>)
    RELAPSE_DTYPE(Float8_e4m3fn, c10::Float8_e4m3fn)
    RELAPSE_DTYPE(Float8_e4m3fnuz, c10::Float8_e4m3fnuz)
    RELAPSE_DTYPE(Float8_e5m2, c10::Float8_e5m2)
    RELAPSE_DTYPE(Float8_e5m2fnuz, c10::Float8_e5m2fnuz)
#undef RELAPSE_DTYPE
    default:
      return false;
  }
}

/// Calls `visit(offset)` for every element in row-major order; `offset` counts elements from the first one.
template <class Visit>
void walk(c10::IntArrayRef sizes, c10::IntArrayRef strides, Visit&& visit) {
  const std::size_t rank = sizes.size();
  for (const std::int64_t size : sizes) {
    if (size == 0) return;
  }
  if (rank == 0) {
    visit(std::int64_t(0));
    return;
  }
  constexpr std::size_t kInline = 16;
  std::array<std::int64_t, kInline> few{};
  std::vector<std::int64_t> many(rank > kInline ? rank : 0);
  std::int64_t* index = rank > kInline ? many.data() : few.data();
  const std::int64_t inner = sizes[rank - 1], step = strides[rank - 1];
  std::int64_t row = 0;
  while (true) {
    for (std::int64_t i = 0; i < inner; ++i) visit(row + i * step);
    std::size_t d = rank - 1;
    while (d > 0) {
      --d;
      row += strides[d];
      if (++index[d] < sizes[d]) break;
      row -= strides[d] * sizes[d];
      index[d] = 0;
      if (d == 0) return;
    }
    if (rank == 1) return;
  }
}

/// The nearest value of T, rounded once.
template <class T>
T rounded(double value) {
  if constexpr (kIsComplex<T>) {
    return T(rounded<Part<T>>(value), rounded<Part<T>>(0));
  } else if constexpr (kIsWhole<T> || std::is_same_v<T, double> || std::is_same_v<T, float>) {
    return static_cast<T>(value);
  } else {
    const std::uint16_t bits = encode_small(value, *small_float_of(c10::CppTypeToScalarType<T>::value));
    T result;
    result.x = static_cast<decltype(result.x)>(bits);
    return result;
  }
}

/// The exact value of a float element; whole numbers above 2^53 are rounded.
template <class T>
double as_double(T value) {
  if constexpr (kIsWhole<T> || std::is_same_v<T, double>) {
    return static_cast<double>(value);
  } else {
    return static_cast<double>(static_cast<float>(value));
  }
}

/// An uninitialised row-major CPU tensor.
at::Tensor empty_dense(c10::IntArrayRef shape, c10::ScalarType dtype);

/// The first element, without LibTorch's checks.
template <class T>
T* elements_of(const at::Tensor& tensor) {
  return static_cast<T*>(tensor.mutable_data_ptr());
}

}  // namespace relapse
