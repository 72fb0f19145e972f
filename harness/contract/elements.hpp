#pragma once

// Walks over the elements of a tensor as exact numbers: what range, set and order clauses share.

#include <ATen/core/Tensor.h>
#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>

#include <cstdint>
#include <harness/operator/value.hpp>
#include <harness/tensor/elements.hpp>
#include <optional>
#include <string>

namespace relapse {

/// A dense CPU copy without autograd; the tensor itself when it is that already.
at::Tensor dense_cpu(const at::Tensor& tensor);

template <class T>
constexpr bool is_float_element() {
  return std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, c10::Half> ||
         std::is_same_v<T, c10::BFloat16>;
}

/// Calls `visit(const T*)` with the typed elements of a dense CPU tensor of integers, bool or floats; false
/// for complex numbers and float8, which clauses of order do not take.
template <class Visit>
bool visit_elements(const at::Tensor& dense, Visit&& visit) {
  bool known = false;
  visit_dtype(dense.scalar_type(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (kIsWhole<T> || is_float_element<T>()) {
      visit(static_cast<const T*>(dense.const_data_ptr()));
      known = true;
    }
  });
  return known;
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
