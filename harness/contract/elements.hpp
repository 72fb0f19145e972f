#pragma once

// Walks over the elements of a tensor as exact numbers: what range, set and order clauses share.

#include <ATen/core/Tensor.h>
#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>

#include <cstdint>
#include <harness/operator/value.hpp>
#include <optional>
#include <string>

namespace relapse {

/// A dense CPU copy without autograd; the tensor itself when it is that already.
at::Tensor dense_cpu(const at::Tensor& tensor);

/// Calls `visit(const T*)` with the typed elements of a dense CPU tensor of integers, bool or floats; false
/// for other dtypes.
template <class Visit>
bool visit_elements(const at::Tensor& dense, Visit&& visit) {
  const void* data = dense.const_data_ptr();
  switch (dense.scalar_type()) {
    case c10::ScalarType::Bool:
      visit(static_cast<const bool*>(data));
      return true;
    case c10::ScalarType::Byte:
      visit(static_cast<const std::uint8_t*>(data));
      return true;
    case c10::ScalarType::Char:
      visit(static_cast<const std::int8_t*>(data));
      return true;
    case c10::ScalarType::Short:
      visit(static_cast<const std::int16_t*>(data));
      return true;
    case c10::ScalarType::Int:
      visit(static_cast<const std::int32_t*>(data));
      return true;
    case c10::ScalarType::Long:
      visit(static_cast<const std::int64_t*>(data));
      return true;
    case c10::ScalarType::UInt16:
      visit(static_cast<const std::uint16_t*>(data));
      return true;
    case c10::ScalarType::UInt32:
      visit(static_cast<const std::uint32_t*>(data));
      return true;
    case c10::ScalarType::UInt64:
      visit(static_cast<const std::uint64_t*>(data));
      return true;
    case c10::ScalarType::Half:
      visit(static_cast<const c10::Half*>(data));
      return true;
    case c10::ScalarType::BFloat16:
      visit(static_cast<const c10::BFloat16*>(data));
      return true;
    case c10::ScalarType::Float:
      visit(static_cast<const float*>(data));
      return true;
    case c10::ScalarType::Double:
      visit(static_cast<const double*>(data));
      return true;
    default:
      return false;
  }
}

template <class T>
constexpr bool is_float_element() {
  return std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, c10::Half> ||
         std::is_same_v<T, c10::BFloat16>;
}

/// A scalar of a clause as the tensor's dtype sees it: an exact integer for integer tensors, a rounded double
/// for floats.
struct ElementBound {
  bool is_integer = true;
  std::int64_t integer = 0;
  double real = 0;
};

/// How a bound that is no integer is taken for an integer tensor: up for lower bounds, down for upper ones.
enum class Rounding : std::uint8_t { none, up, down };
ElementBound element_bound(const Value& number, c10::ScalarType dtype, Rounding rounding = Rounding::none);

/// Equal to the bound in the tensor's own terms.
template <class T>
bool equals_bound(T element, const ElementBound& bound) {
  if constexpr (is_float_element<T>()) {
    return static_cast<double>(element) == bound.real;
  } else if constexpr (std::is_same_v<T, bool>) {
    return bound.is_integer && bound.integer == (element ? 1 : 0);
  } else {
    return bound.is_integer && std::cmp_equal(element, bound.integer);
  }
}

}  // namespace relapse
