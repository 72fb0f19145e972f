#include <algorithm>
#include <harness/case/dtype.hpp>
#include <harness/case/expression.hpp>

namespace relapse {

namespace {

void collect(const Expr& expr, std::vector<std::string>& names) {
  if (expr.kind == ExprKind::name) {
    // The names of dtypes, layouts and memory formats are reserved, so they are never bound.
    const bool seen = std::find(names.begin(), names.end(), expr.text) != names.end();
    if (!seen && !is_reserved_name(expr.text)) names.push_back(expr.text);
    return;
  }
  for (const ExprPtr& arg : expr.args) {
    if (arg != nullptr) collect(*arg, names);
  }
  for (const auto& [key, value] : expr.kwargs) collect(*value, names);
}

}  // namespace

std::vector<std::string> names_in(const Expr& expr) {
  std::vector<std::string> names;
  collect(expr, names);
  return names;
}

}  // namespace relapse
