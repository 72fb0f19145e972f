#pragma once

// Expressions over values. Integers are exact and checked for overflow; tensors follow torch's type
// promotion, a leading number being wrapped as Python does it.

#include <harness/case/expression.hpp>
#include <harness/operator/scope.hpp>
#include <vector>

namespace relapse {

/// The value of an expression; a call with several results is an error here. Throws EvalError for mistakes of
/// the case, and whatever operators throw.
Value evaluate(const Expr& expr, const Scope& scope);

/// All results of an expression: of a call each of the operator's, else one.
std::vector<Value> evaluate_results(const Expr& expr, const Scope& scope);

/// A relation holds when its value is true, or a bool tensor with every element true. `first_false` is the
/// row-major position of the first element that is not, -1 for a lone bool.
struct RelationResult {
  bool holds = true;
  std::int64_t first_false = -1;
  std::int64_t false_count = 0, total = 0;
  std::vector<std::int64_t> shape;
};
RelationResult evaluate_relation(const Expr& expr, const Scope& scope);

/// Callback form for inputs that are computed (tensor/form.hpp).
struct InputsEvaluator {
  c10::IValue operator()(const Expr& expr, const std::map<std::string, c10::IValue, std::less<>>& bound,
                         const Symbols& symbols) const;
};

}  // namespace relapse
