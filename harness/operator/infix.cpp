#include <ATen/ScalarOps.h>
#include <ATen/ops/add.h>
#include <ATen/ops/bitwise_and.h>
#include <ATen/ops/bitwise_not.h>
#include <ATen/ops/bitwise_or.h>
#include <ATen/ops/div.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/floor_divide.h>
#include <ATen/ops/ge.h>
#include <ATen/ops/gt.h>
#include <ATen/ops/le.h>
#include <ATen/ops/lt.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/ne.h>
#include <ATen/ops/neg.h>
#include <ATen/ops/remainder.h>
#include <ATen/ops/sub.h>
#include <fmt/format.h>

#include <cmath>
#include <harness/operator/eval_error.hpp>
#include <harness/operator/infix.hpp>

namespace relapse {
namespace {

[[noreturn]] void overflow(Op op, std::int64_t a, std::int64_t b, SourcePos pos) {
  throw EvalError(fmt::format("{} {} {} does not fit into 64 bits", a, to_string(op), b), pos);
}

std::int64_t checked(std::optional<std::int64_t> result, Op op, std::int64_t a, std::int64_t b,
                     SourcePos pos) {
  if (!result) overflow(op, a, b, pos);
  return *result;
}

Value integer_binary(Op op, std::int64_t a, std::int64_t b, SourcePos pos) {
  if ((op == Op::floordiv || op == Op::mod) && b == 0) {
    throw EvalError(fmt::format("{} {} 0: division by zero", a, to_string(op)), pos);
  }
  switch (op) {
    case Op::add:
      return {checked(checked_add(a, b), op, a, b, pos)};
    case Op::sub:
      return {checked(checked_sub(a, b), op, a, b, pos)};
    case Op::mul:
      return {checked(checked_mul(a, b), op, a, b, pos)};
    case Op::floordiv:
      return {checked(floor_div(a, b), op, a, b, pos)};
    case Op::mod:
      return {checked(floor_mod(a, b), op, a, b, pos)};
    case Op::bit_and:
      return {a & b};
    case Op::bit_or:
      return {a | b};
    case Op::eq:
      return {a == b};
    case Op::ne:
      return {a != b};
    case Op::lt:
      return {a < b};
    case Op::le:
      return {a <= b};
    case Op::gt:
      return {a > b};
    case Op::ge:
      return {a >= b};
    case Op::div:
      throw EvalError(
          fmt::format("{} / {}: `/` of two integers is not exact; write `//`, or make one a float", a, b),
          pos);
    default:
      break;
  }
  throw EvalError(fmt::format("`{}` does not take two integers", to_string(op)), pos);
}

Value real_binary(Op op, double a, double b, SourcePos pos) {
  if ((op == Op::div || op == Op::floordiv || op == Op::mod) && b == 0) {
    throw EvalError(fmt::format("{} {} 0: division by zero", a, to_string(op)), pos);
  }
  switch (op) {
    case Op::add:
      return {a + b};
    case Op::sub:
      return {a - b};
    case Op::mul:
      return {a * b};
    case Op::div:
      return {a / b};
    case Op::floordiv:
      return {std::floor(a / b)};
    case Op::mod:
      return {a - b * std::floor(a / b)};
    case Op::eq:
      return {a == b};
    case Op::ne:
      return {a != b};
    case Op::lt:
      return {a < b};
    case Op::le:
      return {a <= b};
    case Op::gt:
      return {a > b};
    case Op::ge:
      return {a >= b};
    default:
      break;
  }
  throw EvalError(fmt::format("`{}` does not take floats", to_string(op)), pos);
}

Value bool_binary(Op op, bool a, bool b, SourcePos pos) {
  switch (op) {
    case Op::bit_and:
      return {a && b};
    case Op::bit_or:
      return {a || b};
    case Op::eq:
      return {a == b};
    case Op::ne:
      return {a != b};
    default:
      break;
  }
  throw EvalError(fmt::format("`{}` does not take two bools", to_string(op)), pos);
}

/// The other side is a tensor, or a number: with a tensor on the left torch's Scalar overloads do what Python
/// does.
template <class Other>
at::Tensor tensor_binary(Op op, const at::Tensor& a, const Other& b) {
  switch (op) {
    case Op::add:
      return at::add(a, b);
    case Op::sub:
      return at::sub(a, b);
    case Op::mul:
      return at::mul(a, b);
    case Op::div:
      return at::div(a, b);
    case Op::floordiv:
      return at::floor_divide(a, b);
    case Op::mod:
      return at::remainder(a, b);
    case Op::bit_and:
      return at::bitwise_and(a, b);
    case Op::bit_or:
      return at::bitwise_or(a, b);
    case Op::eq:
      return at::eq(a, b);
    case Op::ne:
      return at::ne(a, b);
    case Op::lt:
      return at::lt(a, b);
    case Op::le:
      return at::le(a, b);
    case Op::gt:
      return at::gt(a, b);
    default:
      return at::ge(a, b);
  }
}

/// A number before a tensor: a 0-d CPU tensor marked as wrapped, so that it does not take part in type
/// promotion.
at::Tensor wrapped(const Value& number) {
  at::Tensor tensor = c10::scalar_to_tensor(to_scalar(number));
  tensor.unsafeGetTensorImpl()->set_wrapped_number(true);
  return tensor;
}

}  // namespace

Value apply_unary(Op op, const Value& operand, SourcePos pos) {
  if (operand.is_tensor()) {
    return {op == Op::negate ? at::neg(operand.tensor()) : at::bitwise_not(operand.tensor())};
  }
  if (op == Op::negate && operand.is_integer()) {
    const std::optional<std::int64_t> negated = checked_sub(0, operand.integer());
    if (!negated) throw EvalError(fmt::format("-({}) does not fit into 64 bits", operand.integer()), pos);
    return {*negated};
  }
  if (op == Op::negate && operand.is_real()) return {-operand.as_double()};
  if (op == Op::invert && operand.is_integer()) return {~operand.integer()};
  if (op == Op::invert && operand.is_bool()) return {!std::get<bool>(operand.held)};
  throw EvalError(fmt::format("`{}` does not take {}", to_string(op), kind_text(operand)), pos);
}

Value apply_binary(Op op, const Value& left, const Value& right, SourcePos pos) {
  if (left.is_tensor() && right.is_tensor()) return {tensor_binary(op, left.tensor(), right.tensor())};
  if (left.is_tensor() && right.is_number()) return {tensor_binary(op, left.tensor(), to_scalar(right))};
  if (left.is_number() && right.is_tensor()) return {tensor_binary(op, wrapped(left), right.tensor())};
  if (left.is_bool() && right.is_bool())
    return bool_binary(op, std::get<bool>(left.held), std::get<bool>(right.held), pos);
  if (left.is_integer() && right.is_integer())
    return integer_binary(op, left.integer(), right.integer(), pos);
  if (left.is_number() && right.is_number() && !left.is_bool() && !right.is_bool()) {
    return real_binary(op, left.as_double(), right.as_double(), pos);
  }
  throw EvalError(
      fmt::format("`{}` does not take {} and {}", to_string(op), kind_text(left), kind_text(right)), pos);
}

}  // namespace relapse
