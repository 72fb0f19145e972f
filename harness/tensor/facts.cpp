#include <cmath>
#include <harness/support/text.hpp>
#include <harness/tensor/dtype_map.hpp>
#include <harness/tensor/elements.hpp>
#include <harness/tensor/facts.hpp>
#include <harness/tensor/inputs.hpp>

namespace relapse {

namespace {

/// Smallest and largest element that is no NaN, and whether all are finite.
template <class T>
struct Extremes {
  T low{}, high{};
  bool any = false, finite = true;
  std::int64_t nans = 0;

  void add(T value) {
    if constexpr (!kIsWhole<T>) {
      const double real = as_double(value);
      if (std::isnan(real)) {
        ++nans;
        finite = false;
        return;
      }
      finite = finite && std::isfinite(real);
    }
    if (!any) {
      low = high = value;
      any = true;
    } else if (as_comparable(value) < as_comparable(low)) {
      low = value;
    } else if (as_comparable(high) < as_comparable(value)) {
      high = value;
    }
  }

  static auto as_comparable(T value) {
    if constexpr (kIsWhole<T>) {
      return value;
    } else {
      return as_double(value);
    }
  }
};

template <class T>
std::string text_of(T value, c10::ScalarType dtype) {
  if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (kIsWhole<T>) {
    return std::to_string(value);
  } else {
    return number_text(as_double(value), dtype);
  }
}

template <class T>
void read_real(const at::Tensor& tensor, TensorFacts& facts) {
  Extremes<T> extremes;
  const T* elements = elements_of<T>(tensor);
  walk(tensor.sizes(), tensor.strides(), [&](std::int64_t offset) { extremes.add(elements[offset]); });
  if constexpr (!kIsWhole<T>) facts.finite = extremes.finite;
  facts.nans = extremes.nans;
  if (!extremes.any) return;
  facts.min = text_of(extremes.low, tensor.scalar_type());
  facts.max = text_of(extremes.high, tensor.scalar_type());
}

template <class T>
void read_complex(const at::Tensor& tensor, TensorFacts& facts) {
  const T* elements = elements_of<T>(tensor);
  bool finite = true;
  walk(tensor.sizes(), tensor.strides(), [&](std::int64_t offset) {
    const double real = as_double(elements[offset].real()), imaginary = as_double(elements[offset].imag());
    if (std::isnan(real) || std::isnan(imaginary)) ++facts.nans;
    finite = finite && std::isfinite(real) && std::isfinite(imaginary);
  });
  facts.finite = finite;
}

void read_elements(const at::Tensor& tensor, TensorFacts& facts) {
  visit_dtype(tensor.scalar_type(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (kIsComplex<T>) {
      read_complex<T>(tensor, facts);
    } else {
      read_real<T>(tensor, facts);
    }
  });
}

std::string scalar_text(const c10::IValue& value) {
  if (value.isNone()) return "none";
  if (value.isBool()) return value.toBool() ? "true" : "false";
  if (value.isInt()) return std::to_string(value.toInt());
  if (value.isDouble()) return number_text(value.toDouble(), c10::ScalarType::Double);
  if (value.isString()) return relapse::quoted(value.toStringRef());
  if (value.isTensorList()) return "list of " + std::to_string(value.toTensorList().size()) + " tensors";
  return value.tagKind();
}

}  // namespace

TensorFacts facts_of(const std::string& name, const at::Tensor& tensor, bool read_values) {
  TensorFacts facts;
  facts.name = name;
  if (!tensor.defined()) {
    facts.text = "none";
    return facts;
  }
  facts.dtype = dtype_name(tensor.scalar_type());
  facts.shape = tensor.sizes().vec();
  facts.device = tensor.device().str();
  facts.requires_grad = tensor.requires_grad();
  const bool strided = tensor.layout() == c10::Layout::Strided;
  if (strided) {
    facts.strides = tensor.strides().vec();
    facts.offset = tensor.storage_offset();
  }
  if (!read_values) return facts;
  if (strided && tensor.device().is_cpu() && !tensor.is_neg() && !tensor.is_conj()) {
    read_elements(tensor, facts);
  } else {
    read_elements(dense_tensor(tensor, false), facts);
  }
  return facts;
}

TensorFacts facts_of(const std::string& name, const c10::IValue& value, bool read_values) {
  if (value.isTensor()) return facts_of(name, value.toTensor(), read_values);
  TensorFacts facts;
  facts.name = name;
  facts.text = scalar_text(value);
  return facts;
}

}  // namespace relapse
