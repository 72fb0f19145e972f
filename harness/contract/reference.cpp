#include <fmt/format.h>

#include <harness/contract/reference.hpp>
#include <harness/operator/eval_error.hpp>
#include <harness/operator/evaluate.hpp>

namespace relapse {
namespace {

Value widen(const Value& value) {
  if (value.is_tensor() && value.tensor().defined()) return {dense_tensor(value.tensor(), true)};
  if (value.is_list()) {
    ValueList list;
    for (const Value& entry : value.list()) list.push_back(widen(entry));
    return {std::move(list)};
  }
  return value;
}

}  // namespace

const Value* References::find(std::string_view name) {
  if (const auto found = locals_.find(name); found != locals_.end()) return &found->second;
  if (const auto found = widened_.find(name); found != widened_.end()) return &found->second;
  const Value* value = before_ ? before_(name) : nullptr;
  if (!value && after_) value = after_(name);
  if (!value) return nullptr;
  return &widened_.emplace(std::string(name), widen(*value)).first->second;
}

Scope References::scope() {
  Scope scope;
  scope.find = [this](std::string_view name) { return find(name); };
  scope.find_old = [this](std::string_view name) -> const Value* {
    return before_ && before_(name) ? find(name) : nullptr;
  };
  scope.symbols = symbols_;
  scope.cache = cache_;
  return scope;
}

Value References::evaluate_expression(const Expr& expr) {
  locals_.clear();
  return evaluate(expr, scope());
}

Value References::evaluate_steps(const std::vector<Step>& steps) {
  locals_.clear();
  const Scope names = scope();
  Value last{NoneValue{}};
  for (const Step& step : steps) {
    std::vector<Value> results = evaluate_results(*step.expr, names);
    if (!step.targets.empty() && step.targets.size() != results.size()) {
      throw EvalError(fmt::format("{} names for {} results", step.targets.size(), results.size()), step.pos);
    }
    if (step.targets.empty() && results.size() != 1) {
      throw EvalError(fmt::format("the reference gives {} results where one is needed", results.size()),
                      step.pos);
    }
    last = results.back();
    for (std::size_t i = 0; i < step.targets.size(); ++i) {
      if (step.targets[i] != "_") locals_.insert_or_assign(step.targets[i], std::move(results[i]));
    }
  }
  return last;
}

std::optional<c10::ScalarType> References::own_dtype(const std::vector<Step>& steps) const {
  if (steps.size() != 1 || !steps.front().targets.empty()) return std::nullopt;
  const Expr& expr = *steps.front().expr;
  std::string name;
  if (expr.kind == ExprKind::name) name = expr.text;
  if (expr.kind == ExprKind::attribute && expr.args.front()->kind == ExprKind::name) {
    name = expr.args.front()->text + "." + expr.text;
  }
  if (name.empty()) return std::nullopt;
  const Value* value = before_ ? before_(name) : nullptr;
  if (!value && after_) value = after_(name);
  if (!value || !value->is_tensor() || !value->tensor().defined()) return std::nullopt;
  return value->tensor().scalar_type();
}

}  // namespace relapse
