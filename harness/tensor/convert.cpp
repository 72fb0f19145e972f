#include <cmath>
#include <cstring>
#include <harness/tensor/convert.hpp>
#include <harness/tensor/elements.hpp>
#include <harness/tensor/exact.hpp>

namespace relapse {

namespace {

using c10::ScalarType;

template <class T>
Exact exact_element(T value) {
  Exact exact;
  if constexpr (std::is_same_v<T, bool>) {
    exact.kind = Exact::Kind::boolean;
    exact.integer = value;
  } else if constexpr (std::is_same_v<T, std::uint64_t>) {
    exact.kind = value > INT64_MAX ? Exact::Kind::large : Exact::Kind::integer;
    exact.large = value;
    exact.integer = static_cast<std::int64_t>(value);
  } else if constexpr (kIsWhole<T>) {
    exact.integer = value;
  } else {
    exact.kind = Exact::Kind::real;
    exact.real = as_double(value);
  }
  return exact;
}

/// Elements of one size, gathered along the strides.
template <class Word>
void gather(const at::Tensor& from, at::Tensor& to) {
  const Word* source = static_cast<const Word*>(from.const_data_ptr());
  Word* out = static_cast<Word*>(to.mutable_data_ptr());
  walk(from.sizes(), from.strides(), [&](std::int64_t offset) { *out++ = source[offset]; });
}

struct Pair {
  std::uint64_t low, high;
};

void gather_bytes(const at::Tensor& from, at::Tensor& to) {
  switch (from.itemsize()) {
    case 1:
      return gather<std::uint8_t>(from, to);
    case 2:
      return gather<std::uint16_t>(from, to);
    case 4:
      return gather<std::uint32_t>(from, to);
    case 8:
      return gather<std::uint64_t>(from, to);
    default:
      return gather<Pair>(from, to);
  }
}

}  // namespace

ScalarType widened(ScalarType dtype) {
  if (is_float_type(dtype)) return ScalarType::Double;
  return c10::isComplexType(dtype) ? ScalarType::ComplexDouble : dtype;
}

at::Tensor dense_copy(const at::Tensor& tensor, ScalarType dtype) {
  at::Tensor copy = empty_dense(tensor.sizes(), dtype);
  if (copy.numel() == 0) return copy;
  if (dtype == tensor.scalar_type()) {
    if (tensor.is_contiguous()) {
      std::memcpy(copy.mutable_data_ptr(), tensor.const_data_ptr(),
                  static_cast<std::size_t>(tensor.numel()) * tensor.itemsize());
    } else {
      gather_bytes(tensor, copy);
    }
    return copy;
  }
  visit_dtype(tensor.scalar_type(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* source = elements_of<T>(tensor);
    if constexpr (kIsComplex<T>) {
      c10::complex<double>* out = elements_of<c10::complex<double>>(copy);
      walk(tensor.sizes(), tensor.strides(), [&](std::int64_t offset) {
        *out++ = c10::complex<double>(as_double(source[offset].real()), as_double(source[offset].imag()));
      });
    } else {
      double* out = elements_of<double>(copy);
      walk(tensor.sizes(), tensor.strides(),
           [&](std::int64_t offset) { *out++ = as_double(source[offset]); });
    }
  });
  return copy;
}

Conversion convert_dense(const at::Tensor& dense, ScalarType dtype) {
  Conversion result{empty_dense(dense.sizes(), dtype), -1};
  const std::size_t size = result.tensor.itemsize();
  std::byte* out = static_cast<std::byte*>(result.tensor.mutable_data_ptr());
  visit_dtype(dense.scalar_type(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const std::int64_t count = dense.numel();
    const T* source = elements_of<T>(dense);
    for (std::int64_t i = 0; i < count && result.refused < 0; ++i) {
      Exact value;
      if constexpr (kIsComplex<T>) {
        // A complex number is no real one, whatever its imaginary part.
        result.refused = i;
        return;
      } else {
        value = exact_element(source[i]);
      }
      if (!why_not(value, dtype).empty()) {
        result.refused = i;
        return;
      }
      const ElementBytes element = encode(value, dtype);
      std::memcpy(out + static_cast<std::size_t>(i) * size, element.bytes.data(), size);
    }
  });
  return result;
}

}  // namespace relapse
