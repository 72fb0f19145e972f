#pragma once

// What `same_as` and `equals` compare with: expressions evaluated on the CPU from dense copies, floats in
// float64, inputs as they were before the subject, results as they are after it. Copies are made when a name
// is first read.

#include <functional>
#include <harness/case/case.hpp>
#include <harness/operator/scope.hpp>
#include <harness/tensor/inputs.hpp>
#include <map>
#include <string>

namespace relapse {

class References {
 public:
  /// `before` and `after` find values in their own dtype and place; both outlive this.
  References(std::function<const Value*(std::string_view)> before,
             std::function<const Value*(std::string_view)> after, const Symbols& symbols,
             OverloadCache* cache)
      : before_(std::move(before)), after_(std::move(after)), symbols_(&symbols), cache_(cache) {}

  /// The value of the last step. Throws EvalError for mistakes of the case and whatever operators throw.
  Value evaluate_steps(const std::vector<Step>& steps);

  /// The value of one expression over the same names.
  Value evaluate_expression(const Expr& expr);

  /// The dtype that a lone name has outside the reference (not widened); nothing for other expressions.
  std::optional<c10::ScalarType> own_dtype(const std::vector<Step>& steps) const;

 private:
  const Value* find(std::string_view name);
  Scope scope();

  std::function<const Value*(std::string_view)> before_, after_;
  const Symbols* symbols_;
  OverloadCache* cache_;
  std::map<std::string, Value, std::less<>> widened_;
  std::map<std::string, Value, std::less<>> locals_;
};

}  // namespace relapse
