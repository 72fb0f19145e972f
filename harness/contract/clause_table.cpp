#include <ATen/ScalarOps.h>
#include <fmt/format.h>

#include <harness/contract/clause.hpp>
#include <harness/operator/eval_error.hpp>
#include <harness/operator/evaluate.hpp>

namespace relapse {

ClauseCheck check_of(ClauseKind kind) {
  switch (kind) {
    case ClauseKind::dtype:
      return check_dtype;
    case ClauseKind::shape:
      return check_shape;
    case ClauseKind::rank:
      return check_rank;
    case ClauseKind::numel:
      return check_numel;
    case ClauseKind::finite:
      return check_finite;
    case ClauseKind::min:
      return check_bound;
    case ClauseKind::max:
      return check_bound;
    case ClauseKind::above:
      return check_bound;
    case ClauseKind::below:
      return check_bound;
    case ClauseKind::one_of:
      return check_one_of;
    case ClauseKind::none_of:
      return check_one_of;
    case ClauseKind::sorted:
      return check_sorted;
    case ClauseKind::distinct:
      return check_distinct;
    case ClauseKind::sums_to:
      return check_sums_to;
    case ClauseKind::equals:
      return check_equals;
    case ClauseKind::same_as:
      return check_same_as;
    case ClauseKind::unchanged:
      return check_unchanged;
    case ClauseKind::contiguous:
      return check_contiguous;
    case ClauseKind::memory_format:
      return check_memory_format;
    case ClauseKind::strides:
      return check_strides;
    case ClauseKind::device:
      return check_device;
    case ClauseKind::requires_grad:
      return check_requires_grad;
  }
  return check_dtype;
}

at::Tensor tensor_of(const Value& value) {
  if (value.is_tensor()) return value.tensor();
  if (value.is_number()) return c10::scalar_to_tensor(to_scalar(value));
  return {};
}

Value number_of(const Expr& expr, const Scope& scope) {
  Value value = evaluate(expr, scope);
  if (value.is_tensor() && value.tensor().defined() && value.tensor().numel() == 1) {
    const at::Scalar scalar = value.tensor().item();
    if (scalar.isBoolean()) return {scalar.toBool()};
    if (scalar.isIntegral(false)) return {scalar.toLong()};
    if (scalar.isFloatingPoint()) return {scalar.toDouble()};
  }
  if (!value.is_number()) {
    throw EvalError(fmt::format("expected a number, got {} ({})", value_text(value), to_string(expr)),
                    expr.pos);
  }
  return value;
}

}  // namespace relapse
