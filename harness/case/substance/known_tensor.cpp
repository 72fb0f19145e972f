#include <algorithm>
#include <cmath>
#include <harness/case/substance/known_tensor.hpp>

namespace relapse {

bool KnownTensor::holds_nothing() const {
  return shape && elements_in(*shape) == 0;
}

Number whole(std::int64_t value) {
  return {true, false, value, static_cast<double>(value)};
}

Number real(double value) {
  return {false, false, 0, value};
}

Number truth(bool value) {
  return {true, true, value ? 1 : 0, value ? 1.0 : 0.0};
}

std::optional<std::int64_t> elements_in(const std::vector<std::int64_t>& shape) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) {
    if (extent < 0) return std::nullopt;
    const std::optional<std::int64_t> product = checked_mul(count, extent);
    if (!product) return std::nullopt;
    count = *product;
  }
  return count;
}

void fill_with(KnownTensor& tensor, const Number& value) {
  if (!std::isnan(value.real)) tensor.least = tensor.most = value;
  if (!tensor.shape) return;
  const std::optional<std::int64_t> count = elements_in(*tensor.shape);
  if (!count) return;
  if (*count > 0) tensor.present = {value};
  if (*count <= kMostKnownElements) tensor.elements.emplace(static_cast<std::size_t>(*count), value);
}

void summarise(KnownTensor& tensor) {
  tensor.least = tensor.most = std::nullopt;
  tensor.present.clear();
  if (!tensor.elements || tensor.elements->empty()) return;
  const std::vector<Number>& all = *tensor.elements;
  tensor.present = all;
  if (std::any_of(all.begin(), all.end(), [](const Number& one) { return std::isnan(one.real); })) return;
  const auto less = [](const Number& a, const Number& b) {
    return a.is_integer && b.is_integer ? a.integer < b.integer : a.real < b.real;
  };
  const auto [least, most] = std::minmax_element(all.begin(), all.end(), less);
  tensor.least = *least;
  tensor.most = *most;
}

}  // namespace relapse
