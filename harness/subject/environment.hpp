#pragma once

// The names of one run of a subject: its inputs, then the results of its steps, then gradients.

#include <harness/operator/value.hpp>
#include <harness/tensor/inputs.hpp>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace relapse {

class Environment {
 public:
  Environment() = default;
  /// Takes the inputs of this run (its own copies, on its device).
  explicit Environment(const Inputs& inputs);

  /// Current value of `x`, or the gradient `x.grad` of an input once it has one; null: not bound.
  const Value* find(std::string_view name) const;
  void bind(const std::string& name, Value value);

  const std::vector<std::string>& input_names() const { return input_names_; }
  /// The input's tensor as it was handed over, also when a step has rebound its name; undefined: no tensor.
  at::Tensor input_tensor(std::string_view name) const;

 private:
  std::map<std::string, Value, std::less<>> values_;
  std::map<std::string, at::Tensor, std::less<>> leaves_;
  mutable std::map<std::string, Value, std::less<>> gradients_;
  std::vector<std::string> input_names_;
};

}  // namespace relapse
