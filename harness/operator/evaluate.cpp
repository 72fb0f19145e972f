#include <fmt/format.h>

#include <algorithm>
#include <harness/operator/eval_error.hpp>
#include <harness/operator/evaluate.hpp>
#include <harness/operator/infix.hpp>
#include <harness/support/text.hpp>
#include <harness/tensor/dtype_map.hpp>

namespace relapse {
namespace {

/// Names that stand for themselves: dtypes, layouts, memory formats.
std::optional<Value> constant_named(std::string_view name) {
  if (const std::optional<DType> dtype = dtype_from(name)) return Value{to_scalar_type(*dtype)};
  if (const std::optional<MemoryFormat> format = memory_format_from(name))
    return Value{to_memory_format(*format)};
  if (name == "strided") return Value{c10::Layout::Strided};
  if (name == "sparse_coo") return Value{c10::Layout::Sparse};
  if (name == "sparse_csr") return Value{c10::Layout::SparseCsr};
  return std::nullopt;
}

bool is_bound(std::string_view name, const Scope& scope) {
  return (scope.find && scope.find(name)) ||
         (scope.symbols && (scope.symbols->dim(name) || scope.symbols->dtypes.count(name)));
}

Value evaluate_name(const Expr& expr, const Scope& scope) {
  if (scope.find) {
    if (const Value* value = scope.find(expr.text)) return *value;
  }
  if (scope.symbols) {
    if (const std::optional<std::int64_t> dim = scope.symbols->dim(expr.text)) return {*dim};
    if (const auto found = scope.symbols->dtypes.find(expr.text); found != scope.symbols->dtypes.end()) {
      return {to_scalar_type(found->second)};
    }
  }
  if (std::optional<Value> constant = constant_named(expr.text)) return *std::move(constant);
  throw EvalError(fmt::format("\"{}\" has no value here", expr.text), expr.pos);
}

std::vector<Value> call(const std::string& written, const Expr* receiver, const std::vector<ExprPtr>& args,
                        std::size_t first, const Expr& expr, const Scope& scope) {
  Arguments arguments;
  if (receiver) arguments.positional.push_back(evaluate(*receiver, scope));
  for (std::size_t i = first; i < args.size(); ++i) arguments.positional.push_back(evaluate(*args[i], scope));
  for (const auto& [name, value] : expr.kwargs)
    arguments.keywords.emplace_back(name, evaluate(*value, scope));
  return call_operator(parse_operator(written), arguments, scope.device, expr.pos, scope.cache,
                       reinterpret_cast<std::uintptr_t>(&expr), scope.may_write);
}

std::vector<Value> evaluate_call(const Expr& expr, const Scope& scope) {
  if (expr.text == "old") {
    if (expr.args.size() != 1 || expr.args.front()->kind != ExprKind::name) {
      throw EvalError("old() takes the name of one input", expr.pos);
    }
    const Value* value = scope.find_old ? scope.find_old(expr.args.front()->text) : nullptr;
    if (!value)
      throw EvalError(fmt::format("old({}): no such input here", expr.args.front()->text), expr.pos);
    return {*value};
  }
  // `x.sum()` may have been read as overload `sum` of operator `x`; a bound name makes it a method.
  const std::size_t dot = expr.text.find('.');
  if (dot != std::string::npos && expr.text.find("::") == std::string::npos) {
    const std::string base = expr.text.substr(0, dot);
    if (is_bound(base, scope)) {
      Expr receiver;
      receiver.kind = ExprKind::name;
      receiver.text = base;
      receiver.pos = expr.pos;
      return call(expr.text.substr(dot + 1), &receiver, expr.args, 0, expr, scope);
    }
  }
  return call(expr.text, nullptr, expr.args, 0, expr, scope);
}

std::vector<Value> evaluate_method(const Expr& expr, const Scope& scope) {
  const Expr& receiver = *expr.args.front();
  if (receiver.kind == ExprKind::name && !is_bound(receiver.text, scope)) {
    return call(receiver.text + "." + expr.text, nullptr, expr.args, 1, expr, scope);
  }
  return call(expr.text, &receiver, expr.args, 1, expr, scope);
}

Value evaluate_index(const Expr& expr, const Scope& scope) {
  const Value base = evaluate(*expr.args.front(), scope);
  std::vector<IndexItem> items;
  for (std::size_t i = 1; i < expr.args.size(); ++i) {
    const Expr& written = *expr.args[i];
    IndexItem item;
    if (written.kind == ExprKind::slice) {
      item.is_slice = true;
      const auto part = [&](std::size_t k) -> std::optional<std::int64_t> {
        if (k >= written.args.size() || !written.args[k]) return std::nullopt;
        const Value value = evaluate(*written.args[k], scope);
        if (value.is_none()) return std::nullopt;
        if (!value.is_integer())
          throw EvalError(fmt::format("a slice takes integers, not {}", kind_text(value)), written.pos);
        return value.integer();
      };
      item.start = part(0);
      item.stop = part(1);
      item.step = part(2);
    } else {
      item.value = evaluate(written, scope);
    }
    items.push_back(std::move(item));
  }
  return apply_index(base, items, expr.pos);
}

Value evaluate_attribute(const Expr& expr, const Scope& scope) {
  const Expr& base = *expr.args.front();
  const std::string name = base.text + "." + expr.text;
  if (base.kind == ExprKind::name && scope.find) {
    if (const Value* value = scope.find(name)) return *value;
  }
  throw EvalError(
      fmt::format("\"{}\" has no value here: gradients exist after backward(), of inputs with requires_grad",
                  name),
      expr.pos);
}

}  // namespace

Value evaluate(const Expr& expr, const Scope& scope) {
  switch (expr.kind) {
    case ExprKind::name:
      return evaluate_name(expr, scope);
    case ExprKind::integer:
      return {expr.integer};
    case ExprKind::real:
      return {expr.real};
    case ExprKind::boolean:
      return {expr.integer != 0};
    case ExprKind::none:
      return {NoneValue{}};
    case ExprKind::text:
      return {expr.text};
    case ExprKind::list: {
      ValueList list;
      for (const ExprPtr& arg : expr.args) list.push_back(evaluate(*arg, scope));
      return {std::move(list)};
    }
    case ExprKind::unary:
      return apply_unary(expr.op, evaluate(*expr.args[0], scope), expr.pos);
    case ExprKind::binary:
      return apply_binary(expr.op, evaluate(*expr.args[0], scope), evaluate(*expr.args[1], scope), expr.pos);
    case ExprKind::index:
      return evaluate_index(expr, scope);
    case ExprKind::attribute:
      return evaluate_attribute(expr, scope);
    case ExprKind::slice:
      throw EvalError("a slice stands only between brackets", expr.pos);
    case ExprKind::call:
    case ExprKind::method: {
      std::vector<Value> results = evaluate_results(expr, scope);
      if (results.size() == 1) return std::move(results.front());
      throw EvalError(fmt::format("{} gives {} results where one is needed", expr.text, results.size()),
                      expr.pos);
    }
  }
  throw EvalError("unknown kind of expression; please report", expr.pos);
}

std::vector<Value> evaluate_results(const Expr& expr, const Scope& scope) {
  if (expr.kind == ExprKind::call) return evaluate_call(expr, scope);
  if (expr.kind == ExprKind::method) return evaluate_method(expr, scope);
  return {evaluate(expr, scope)};
}

RelationResult evaluate_relation(const Expr& expr, const Scope& scope) {
  const Value value = evaluate(expr, scope);
  RelationResult result;
  if (value.is_bool()) {
    result.holds = std::get<bool>(value.held);
    return result;
  }
  if (!value.is_tensor() || value.tensor().scalar_type() != c10::ScalarType::Bool) {
    throw EvalError(
        fmt::format("a relation is true or false, or a bool tensor; this is {}", value_text(value)),
        expr.pos);
  }
  const at::Tensor dense = value.tensor().detach().cpu().contiguous();
  const bool* elements = dense.const_data_ptr<bool>();
  result.total = dense.numel();
  result.shape = dense.sizes().vec();
  for (std::int64_t i = 0; i < result.total; ++i) {
    if (elements[i]) continue;
    if (result.first_false < 0) result.first_false = i;
    ++result.false_count;
  }
  result.holds = result.false_count == 0;
  return result;
}

c10::IValue InputsEvaluator::operator()(const Expr& expr,
                                        const std::map<std::string, c10::IValue, std::less<>>& bound,
                                        const Symbols& symbols) const {
  std::map<std::string, Value, std::less<>> values;
  for (const auto& [name, value] : bound) values.emplace(name, value_of(value));
  Scope scope;
  scope.find = [&](std::string_view name) -> const Value* {
    const auto found = values.find(name);
    return found == values.end() ? nullptr : &found->second;
  };
  scope.symbols = &symbols;
  return to_ivalue(evaluate(expr, scope));
}

}  // namespace relapse
