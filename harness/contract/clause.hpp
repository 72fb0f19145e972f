#pragma once

// One clause over one value. A clause is a function and a line in the table of clause_table.cpp.

#include <functional>
#include <harness/case/case.hpp>
#include <harness/operator/scope.hpp>
#include <harness/operator/value.hpp>
#include <harness/plan/observation.hpp>
#include <harness/tensor/inputs.hpp>
#include <string>
#include <vector>

namespace relapse {

class References;

/// What a clause may look at besides the value itself.
struct ClauseContext {
  const Scope* scope = nullptr;      ///< of bounds: current values, dims, dtypes
  Symbols* symbols = nullptr;        ///< shapes bind names on first use
  const Value* placed = nullptr;     ///< the value where it lies; null: `value` is that one
  const Value* before = nullptr;     ///< the input's value before the subject; null: it is no input
  References* references = nullptr;  ///< for equals and same_as; never null where one of them stands
  std::string folder;                ///< of the case file
};

struct ClauseResult {
  bool holds = true;
  std::string value;  ///< of the bound, where the text is an expression: ` = 2` is shown after it
  std::string seen;   ///< `target[3] = 3`
  std::vector<std::string> details;  ///< further lines
  std::optional<MismatchPicture> picture;
};
inline ClauseResult holds() {
  return {};
}
inline ClauseResult broken(std::string seen, std::string value = {}) {
  return {false, std::move(value), std::move(seen), {}, {}};
}

using ClauseCheck = ClauseResult (*)(const Clause& clause, const NameContract& contract, const Value& value,
                                     ClauseContext& context);

/// The function of a kind of clause. Throws EvalError for mistakes in expressions; what operators throw in
/// `same_as` and `equals` is a broken clause, made here.
ClauseCheck check_of(ClauseKind kind);

// clauses_layout.cpp
ClauseResult check_dtype(const Clause&, const NameContract&, const Value&, ClauseContext&);
ClauseResult check_shape(const Clause&, const NameContract&, const Value&, ClauseContext&);
ClauseResult check_rank(const Clause&, const NameContract&, const Value&, ClauseContext&);
ClauseResult check_numel(const Clause&, const NameContract&, const Value&, ClauseContext&);
ClauseResult check_contiguous(const Clause&, const NameContract&, const Value&, ClauseContext&);
ClauseResult check_memory_format(const Clause&, const NameContract&, const Value&, ClauseContext&);
ClauseResult check_strides(const Clause&, const NameContract&, const Value&, ClauseContext&);
ClauseResult check_device(const Clause&, const NameContract&, const Value&, ClauseContext&);
ClauseResult check_requires_grad(const Clause&, const NameContract&, const Value&, ClauseContext&);
// clauses_range.cpp
ClauseResult check_finite(const Clause&, const NameContract&, const Value&, ClauseContext&);
ClauseResult check_bound(const Clause&, const NameContract&, const Value&, ClauseContext&);
ClauseResult check_one_of(const Clause&, const NameContract&, const Value&, ClauseContext&);
// clauses_order.cpp
ClauseResult check_sorted(const Clause&, const NameContract&, const Value&, ClauseContext&);
ClauseResult check_distinct(const Clause&, const NameContract&, const Value&, ClauseContext&);
// clauses_value.cpp
ClauseResult check_sums_to(const Clause&, const NameContract&, const Value&, ClauseContext&);
ClauseResult check_equals(const Clause&, const NameContract&, const Value&, ClauseContext&);
ClauseResult check_same_as(const Clause&, const NameContract&, const Value&, ClauseContext&);
ClauseResult check_unchanged(const Clause&, const NameContract&, const Value&, ClauseContext&);

/// The tensor that clauses look at: the value's, or a number as a 0-d tensor; undefined for anything else.
at::Tensor tensor_of(const Value& value);
/// A number from an expression of a clause (a 0-d or one-element tensor counts). Throws EvalError for
/// anything else.
Value number_of(const Expr& expr, const Scope& scope);

}  // namespace relapse
