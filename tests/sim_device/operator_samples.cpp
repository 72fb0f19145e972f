#include "operator_samples.hpp"

#include <ATen/ATen.h>

#include <array>
#include <string_view>

namespace sim_test {

namespace {

constexpr std::int64_t kIndices = 2;  // Indices are 0 or 1, below every extent of every shape.

/// The same on every machine: splitmix64.
std::uint64_t next(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

Elements elements_of(std::string_view name) {
  constexpr std::array<std::string_view, 6> kIntegers = {"ind",    "target",  "bucket",
                                                         "offset", "lengths", "repeats"};
  constexpr std::array<std::string_view, 2> kTruth = {"mask", "condition"};
  for (const std::string_view word : kIntegers) {
    if (name.find(word) != std::string_view::npos) return Elements::integers;
  }
  for (const std::string_view word : kTruth) {
    if (name.find(word) != std::string_view::npos) return Elements::truth;
  }
  return Elements::floats;
}

at::Tensor tensor(Elements elements, const std::vector<std::int64_t>& shape, std::uint64_t& state) {
  const at::Tensor numbers = at::empty(shape, at::kDouble);
  auto* data = numbers.mutable_data_ptr<double>();
  for (std::int64_t i = 0; i < numbers.numel(); ++i) {
    // From 0.05 to 0.95: where logarithms, square roots and inverse functions are defined.
    data[i] = 0.05 + 0.9 * static_cast<double>(next(state) >> 11) * 0x1p-53;
  }
  switch (elements) {
    case Elements::integers:
      return (numbers * kIndices).to(at::kLong);
    case Elements::truth:
      return numbers > 0.5;
    case Elements::complex:
      return at::complex(numbers, 1 - numbers).to(at::kComplexFloat);
    default:
      return numbers.to(at::kFloat);
  }
}

class Arguments {
 public:
  Arguments(const Recipe& recipe, std::uint64_t seed) : recipe_(recipe), state_(seed) {}

  std::optional<c10::IValue> make(const c10::Argument& argument) {
    // What has a default keeps it.
    if (argument.default_value()) return *argument.default_value();
    return make(argument, argument.real_type());
  }

 private:
  std::optional<c10::IValue> make(const c10::Argument& argument, const c10::TypePtr& type) {
    switch (type->kind()) {
      case c10::TypeKind::TensorType:
        return next_tensor(argument);
      case c10::TypeKind::OptionalType:
        return c10::IValue();
      case c10::TypeKind::IntType:
      case c10::TypeKind::SymIntType:
        return recipe_.number;
      case c10::TypeKind::FloatType:
        return 0.5;
      case c10::TypeKind::BoolType:
        return false;
      case c10::TypeKind::NumberType:
        return recipe_.elements == Elements::integers ? c10::IValue(recipe_.number) : c10::IValue(0.75);
      case c10::TypeKind::ListType:
        return make_list(argument, type);
      default:
        return std::nullopt;
    }
  }

  at::Tensor next_tensor(const c10::Argument& argument) {
    const Elements elements =
        recipe_.elements == Elements::by_name ? elements_of(argument.name()) : recipe_.elements;
    return tensor(elements, recipe_.shape, state_);
  }

  std::optional<c10::IValue> make_list(const c10::Argument& argument, const c10::TypePtr& type) {
    const auto element = type->castRaw<c10::ListType>()->getElementType();
    switch (element->kind()) {
      case c10::TypeKind::IntType:
      case c10::TypeKind::SymIntType:
        if (argument.N())
          return std::vector<std::int64_t>(static_cast<std::size_t>(*argument.N()), recipe_.number);
        return recipe_.list;
      case c10::TypeKind::FloatType:
        return std::vector<double>{0.5, 0.5};
      case c10::TypeKind::TensorType: {
        c10::List<at::Tensor> list;
        list.push_back(next_tensor(argument));
        list.push_back(next_tensor(argument));
        return list;
      }
      case c10::TypeKind::OptionalType: {
        if (element->castRaw<c10::OptionalType>()->getElementType()->kind() != c10::TypeKind::TensorType)
          break;
        c10::List<std::optional<at::Tensor>> list;
        list.push_back(tensor(Elements::integers, {3}, state_));
        return list;
      }
      default:
        break;
    }
    return std::nullopt;
  }

  const Recipe& recipe_;
  std::uint64_t state_;
};

std::vector<Recipe> make_recipes() {
  const std::vector<std::vector<std::int64_t>> shapes = {
      {3, 3}, {3}, {2, 3, 3}, {2, 2, 6, 6}, {1, 2, 4, 6, 6}};
  const std::vector<Elements> elements = {Elements::floats, Elements::by_name, Elements::integers,
                                          Elements::truth, Elements::complex};
  std::vector<Recipe> all;
  for (const Elements kind : elements) {
    for (const auto& shape : shapes) {
      for (const std::int64_t number : {1, 0, 2, 3}) {
        all.push_back({shape, kind, number, {number}});
        all.push_back({shape, kind, number, {0, 1}});
        all.push_back({shape, kind, number, shape});
      }
    }
  }
  return all;
}

}  // namespace

const std::vector<Recipe>& recipes() {
  static const std::vector<Recipe> all = make_recipes();
  return all;
}

std::optional<torch::jit::Stack> arguments_for(const c10::FunctionSchema& schema, const Recipe& recipe,
                                               std::uint64_t seed) {
  Arguments arguments(recipe, seed);
  torch::jit::Stack stack;
  for (const c10::Argument& argument : schema.arguments()) {
    std::optional<c10::IValue> made = arguments.make(argument);
    if (!made) return std::nullopt;
    stack.push_back(std::move(*made));
  }
  return stack;
}

}  // namespace sim_test
