#include <cmath>
#include <harness/contract/elements.hpp>
#include <harness/tensor/form.hpp>
#include <limits>

namespace relapse {

at::Tensor dense_cpu(const at::Tensor& tensor) {
  at::Tensor dense = tensor.requires_grad() ? tensor.detach() : tensor;
  if (!dense.device().is_cpu()) dense = dense.cpu();
  if (dense.is_conj() || dense.is_neg()) return dense.clone(c10::MemoryFormat::Contiguous);
  return dense.contiguous();
}

ElementBound element_bound(const Value& number, c10::ScalarType dtype, Rounding rounding) {
  ElementBound bound;
  if (c10::isFloatingType(dtype)) {
    bound.is_integer = false;
    bound.real = round_to_dtype(number.as_double(), dtype);
    return bound;
  }
  if (number.is_integer() || number.is_bool()) {
    bound.integer = number.is_integer() ? number.integer() : (std::get<bool>(number.held) ? 1 : 0);
    return bound;
  }
  double real = number.as_double();
  if (rounding == Rounding::up) real = std::ceil(real);
  if (rounding == Rounding::down) real = std::floor(real);
  // Beyond 64 bits every integer is on the inner or on the outer side: the extreme integer says the same.
  if (real >= 9223372036854775808.0) {
    bound.integer = std::numeric_limits<std::int64_t>::max();
  } else if (real < -9223372036854775808.0) {
    bound.integer = std::numeric_limits<std::int64_t>::min();
  } else {
    bound.is_integer = std::floor(real) == real;
    bound.integer = static_cast<std::int64_t>(real);
  }
  return bound;
}

}  // namespace relapse
