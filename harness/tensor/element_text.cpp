#include <charconv>
#include <cmath>
#include <cstdlib>
#include <harness/tensor/elements.hpp>
#include <harness/tensor/facts.hpp>
#include <harness/tensor/form.hpp>
#include <system_error>

namespace relapse {

namespace {

using c10::ScalarType;

/// Whole numbers up to here are written without an exponent: 61440, not 6.144e+04.
constexpr double kPlainWhole = 1e15;

template <class T>
std::string shortest(T value) {
  char buffer[64];
  const std::to_chars_result end = std::to_chars(buffer, buffer + sizeof buffer, value);
  return std::string(buffer, end.ptr);
}

/// The fewest digits that round to the same value of the dtype.
std::string shortest_small(double value, ScalarType dtype) {
  for (int digits = 1; digits < 10; ++digits) {
    char buffer[64];
    const std::to_chars_result end =
        std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, digits);
    double back = 0;
    std::from_chars(buffer, end.ptr, back);
    if (round_to_dtype(back, dtype) == value) return shortest(back);
  }
  return shortest(value);
}

std::string signed_imaginary(const std::string& text) {
  return (text[0] == '-' ? text : "+" + text) + "j";
}

}  // namespace

std::string number_text(double value, ScalarType dtype) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  if (dtype == ScalarType::Bool) return value != 0 ? "true" : "false";
  if (value == std::trunc(value) && std::fabs(value) < kPlainWhole) {
    const std::string digits = std::to_string(static_cast<std::int64_t>(value));
    return value == 0 && std::signbit(value) ? "-0" : digits;
  }
  const ScalarType part = component_type(dtype);
  if (round_to_dtype(value, part) != value) return shortest(value);
  if (part == ScalarType::Float) return shortest(static_cast<float>(value));
  return small_float_of(part) ? shortest_small(value, part) : shortest(value);
}

std::string element_text(const at::Tensor& tensor, std::int64_t flat_index) {
  if (tensor.is_conj() || tensor.is_neg()) {
    return element_text(tensor.resolve_conj().resolve_neg(), flat_index);
  }
  std::int64_t rest = flat_index, offset = 0;
  for (std::int64_t d = tensor.dim(); d-- > 0;) {
    const std::int64_t size = tensor.size(d);
    offset += rest % size * tensor.stride(d);
    rest /= size;
  }
  std::string text = "?";
  visit_dtype(tensor.scalar_type(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T value = elements_of<T>(tensor)[offset];
    if constexpr (std::is_same_v<T, bool>) {
      text = value ? "true" : "false";
    } else if constexpr (kIsWhole<T>) {
      text = std::to_string(value);
    } else if constexpr (kIsComplex<T>) {
      const ScalarType part = component_type(tensor.scalar_type());
      text = "(" + number_text(as_double(value.real()), part) +
             signed_imaginary(number_text(as_double(value.imag()), part)) + ")";
    } else {
      text = number_text(as_double(value), tensor.scalar_type());
    }
  });
  return text;
}

std::string index_text(const std::vector<std::int64_t>& shape, std::int64_t flat_index) {
  std::vector<std::int64_t> index(shape.size());
  for (std::size_t d = shape.size(); d-- > 0;) {
    if (shape[d] == 0) continue;
    index[d] = flat_index % shape[d];
    flat_index /= shape[d];
  }
  return shape_text(index);
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text = "[";
  for (const std::int64_t extent : shape) {
    if (text.size() > 1) text += ", ";
    text += std::to_string(extent);
  }
  return text + "]";
}

}  // namespace relapse
