#include <harness/subject/environment.hpp>

namespace relapse {

Environment::Environment(const Inputs& inputs) {
  for (const Input& input : inputs.all) {
    input_names_.push_back(input.name);
    values_.emplace(input.name, value_of(input.value));
    if (input.is_tensor()) leaves_.emplace(input.name, input.value.toTensor());
  }
}

const Value* Environment::find(std::string_view name) const {
  if (const auto found = values_.find(name); found != values_.end()) return &found->second;
  constexpr std::string_view suffix = ".grad";
  if (name.size() <= suffix.size() || name.substr(name.size() - suffix.size()) != suffix) return nullptr;
  const auto leaf = leaves_.find(name.substr(0, name.size() - suffix.size()));
  if (leaf == leaves_.end() || !leaf->second.requires_grad()) return nullptr;
  const at::Tensor gradient = leaf->second.grad();
  if (!gradient.defined()) return nullptr;
  return &gradients_.insert_or_assign(std::string(name), Value{gradient}).first->second;
}

void Environment::bind(const std::string& name, Value value) {
  values_.insert_or_assign(name, std::move(value));
}

at::Tensor Environment::input_tensor(std::string_view name) const {
  const auto leaf = leaves_.find(name);
  return leaf == leaves_.end() ? at::Tensor() : leaf->second;
}

}  // namespace relapse
