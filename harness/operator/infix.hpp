#pragma once

// Infix operators and indexing over values.

#include <harness/case/expression.hpp>
#include <harness/operator/scope.hpp>
#include <optional>
#include <vector>

namespace relapse {

Value apply_unary(Op op, const Value& operand, SourcePos pos);
Value apply_binary(Op op, const Value& left, const Value& right, SourcePos pos);

/// One entry between the brackets of `x[...]`, evaluated.
struct IndexItem {
  bool is_slice = false;
  std::optional<std::int64_t> start, stop, step;
  Value value;  ///< integer, none, or an index tensor
};
Value apply_index(const Value& base, const std::vector<IndexItem>& items, SourcePos pos);

}  // namespace relapse
