#include <fmt/format.h>

#include <harness/case/check_names.hpp>
#include <harness/support/text.hpp>

namespace relapse {

namespace {

int length_of(std::string_view name) {
  return static_cast<int>(name.size());
}

/// `gru.input(...)`: namespace and overload as written.
std::string operator_text(const Expr& method) {
  const std::string& receiver = method.args[0]->text;
  const bool with_overload = method.text.find('.') != std::string::npos;
  return receiver + (with_overload ? "::" : ".") + method.text;
}

}  // namespace

void NameResolver::resolve(ExprPtr& expr, const NameScope& scope, const Where& where) {
  if (expr != nullptr) expr = visit(expr, scope, where);
}

ExprPtr NameResolver::visit(const ExprPtr& expr, const NameScope& scope, const Where& where) {
  if (expr->kind == ExprKind::name) {
    visit_name(*expr, scope, where);
    return expr;
  }
  if (expr->kind == ExprKind::attribute) {
    visit_gradient(*expr, scope, where);
    return expr;
  }
  if (expr->kind == ExprKind::call && !visit_call(*expr, scope, where)) return expr;

  const bool is_call = expr->kind == ExprKind::method && is_operator_prefix(*expr->args[0], scope, where);
  std::vector<ExprPtr> args;
  bool changed = is_call;
  for (std::size_t i = is_call ? 1 : 0; i < expr->args.size(); ++i) {
    args.push_back(expr->args[i] == nullptr ? nullptr : visit(expr->args[i], scope, where));
    changed = changed || args.back() != expr->args[i];
  }
  std::vector<std::pair<std::string, ExprPtr>> kwargs;
  for (const auto& [key, value] : expr->kwargs) {
    kwargs.emplace_back(key, visit(value, scope, where));
    changed = changed || kwargs.back().second != value;
  }
  if (!changed) return expr;
  auto rewritten = std::make_shared<Expr>(*expr);
  if (is_call) {
    rewritten->kind = ExprKind::call;
    rewritten->text = operator_text(*expr);
  }
  rewritten->args = std::move(args);
  rewritten->kwargs = std::move(kwargs);
  return rewritten;
}

void NameResolver::visit_name(const Expr& expr, const NameScope& scope, const Where& where) {
  if (symbols_.dims.count(expr.text) > 0) return;
  if (scope.only_dims) return report_unknown(expr, scope, where);
  if (scope.values.count(expr.text) > 0) {
    read_.insert(expr.text);
    return;
  }
  // dtypes, memory formats and layouts are words of the language.
  const bool word = dtype_from(expr.text) || memory_format_from(expr.text) || is_layout_name(expr.text);
  if (word || symbols_.dtypes.count(expr.text) > 0) return;
  const bool later = symbols_.results.count(expr.text) > 0;
  report_unknown(expr, scope, where, later ? "a later step makes it" : "");
}

void NameResolver::visit_gradient(const Expr& expr, const NameScope& scope, const Where& where) {
  const std::string& name = expr.args[0]->text;
  const int length = length_of(name) + 5;
  if (scope.only_dims || symbols_.inputs.count(name) == 0) {
    context_.error(
        expr.pos, length,
        fmt::format("{}: {}.grad is no name here: only inputs have gradients", where.text(), name));
  } else if ((!symbols_.has_backward || !scope.gradients) && !context_.lost().may_call("backward")) {
    context_.error(expr.pos, length,
                   fmt::format("{}: {}.grad is only there after a step backward(...)", where.text(), name));
  } else if (symbols_.gradients.count(name) == 0) {
    context_.error(
        expr.pos, length,
        fmt::format("{}: {}.grad is only there with requires_grad: true in requires", where.text(), name));
  }
  read_.insert(name);
}

/// False where the arguments were dealt with.
bool NameResolver::visit_call(const Expr& expr, const NameScope& scope, const Where& where) {
  if (expr.text == "guard" || expr.text == "synchronize" || expr.text == "seed") {
    context_.error(expr.pos, length_of(expr.text),
                   fmt::format("{}: {}() is a step of its own", where.text(), expr.text));
    return false;
  }
  if (expr.text != "old") return true;
  const bool one_name = expr.args.size() == 1 && expr.kwargs.empty() && expr.args[0]->kind == ExprKind::name;
  if (one_name && !scope.only_dims && symbols_.inputs.count(expr.args[0]->text) > 0) {
    read_.insert(expr.args[0]->text);
    return false;
  }
  context_.error(expr.pos, length_of(expr.text), where.text() + ": expected old(x) with an input x",
                 one_name ? fmt::format("no input is called {}{}", expr.args[0]->text,
                                        did_you_mean(expr.args[0]->text, to_vector(symbols_.inputs)))
                          : "");
  return false;
}

bool NameResolver::is_operator_prefix(const Expr& receiver, const NameScope& scope, const Where& where) {
  if (receiver.kind != ExprKind::name || scope.values.count(receiver.text) > 0) return false;
  if (symbols_.is_bound(receiver.text)) return false;  // an unknown name here, reported as such
  // No operator has a name of one letter, and one letter away from a known name is more likely a slip.
  const std::optional<std::string> near = nearest_name(receiver.text, to_vector(scope.values));
  if (receiver.text.size() > 1 && !near) return true;
  report_unknown(receiver, scope, where,
                 near ? fmt::format("the operator is written aten::{}...", receiver.text) : "");
  return true;
}

void NameResolver::report_unknown(const Expr& expr, const NameScope& scope, const Where& where,
                                  std::string hint) {
  if (!scope.only_dims && context_.lost().may_bind(expr.text)) return;
  std::vector<std::string> known = to_vector(symbols_.dims);
  if (!scope.only_dims) {
    known.insert(known.end(), scope.values.begin(), scope.values.end());
    known.insert(known.end(), symbols_.dtypes.begin(), symbols_.dtypes.end());
    known.insert(known.end(), dtype_names().begin(), dtype_names().end());
  }
  context_.error(expr.pos, length_of(expr.text),
                 fmt::format("{}: unknown {} {}{}", where.text(), scope.only_dims ? "dim" : "name",
                             quoted(expr.text), did_you_mean(expr.text, known)),
                 std::move(hint));
}

}  // namespace relapse
