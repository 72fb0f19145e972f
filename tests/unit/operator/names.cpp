#include "names.hpp"

#include <harness/device/errors.hpp>
#include <harness/tensor/dtype_map.hpp>
#include <harness/tensor/facts.hpp>

namespace relapse::test {

ExprPtr expr(const std::string& text) {
  const auto parsed = parse_expression(text, {{12, 5}, {}});
  if (!parsed) throw std::runtime_error(text + ": " + parsed.error().message);
  return *parsed;
}

at::Tensor tensor(const std::string& text) {
  return Names().tensor(text);
}

Names with(const std::vector<std::pair<std::string, std::string>>& texts) {
  Names names;
  for (const auto& [name, text] : texts) names.set(name, names.eval(text));
  return names;
}

Names& Names::set(const std::string& name, Value value) {
  values.insert_or_assign(name, std::move(value));
  return *this;
}

Scope Names::scope() {
  Scope scope;
  scope.find = [this](std::string_view name) -> const Value* {
    const auto found = values.find(name);
    return found == values.end() ? nullptr : &found->second;
  };
  scope.find_old = [this](std::string_view name) -> const Value* {
    const auto found = old.find(name);
    return found == old.end() ? nullptr : &found->second;
  };
  scope.symbols = &symbols;
  if (cached) scope.cache = &cache;
  return scope;
}

Value Names::eval(const std::string& text) {
  return evaluate(*expr(text), scope());
}
std::vector<Value> Names::results(const std::string& text) {
  return evaluate_results(*expr(text), scope());
}
at::Tensor Names::tensor(const std::string& text) {
  return eval(text).tensor();
}

std::string Names::text(const std::string& text) {
  try {
    return text_of(eval(text));
  } catch (const EvalError& error) {
    return std::to_string(error.pos().line) + ":" + std::to_string(error.pos().column) + " " + error.what();
  } catch (...) {
    const Raised raised = classify(std::current_exception());
    return std::string(to_string(raised.error)) + " " + raised.text;
  }
}

std::string text_of(const at::Tensor& tensor) {
  std::string text = dtype_name(tensor.scalar_type()) + " " + shape_text(tensor.sizes().vec());
  const at::Tensor dense = tensor.detach().contiguous();
  for (std::int64_t i = 0; i < dense.numel(); ++i) text += " " + element_text(dense, i);
  return text;
}

std::string text_of(const Value& value) {
  return value.is_tensor() ? text_of(value.tensor()) : value_text(value);
}

testing::AssertionResult same(const at::Tensor& seen, const at::Tensor& due) {
  if (seen.defined() != due.defined()) return testing::AssertionFailure() << "one is undefined";
  if (!seen.defined() || digest_of(seen) == digest_of(due)) return testing::AssertionSuccess();
  return testing::AssertionFailure() << text_of(seen) << " where " << text_of(due) << " was due";
}

}  // namespace relapse::test
