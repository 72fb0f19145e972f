#include <fmt/format.h>

#include <cmath>
#include <harness/case/expression.hpp>
#include <harness/support/text.hpp>
#include <limits>

namespace relapse {

namespace {

constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();

class Evaluator {
 public:
  Evaluator(const DimLookup& dims, const std::vector<std::string>& known) : dims_(dims), known_(known) {}

  Result<Number> evaluate(const Expr& expr) const {
    switch (expr.kind) {
      case ExprKind::integer:
        return whole(expr.integer);
      case ExprKind::real:
        return real(expr.real);
      case ExprKind::boolean: {
        Number number = whole(expr.integer);
        number.is_bool = true;
        return number;
      }
      case ExprKind::name:
        return symbol(expr);
      case ExprKind::unary:
        return unary(expr);
      case ExprKind::binary:
        return binary(expr);
      default:
        return fail(ErrorKind::case_file, fmt::format("{} is not a number", quoted(to_string(expr), 60)));
    }
  }

 private:
  static Number whole(std::int64_t value) { return {true, false, value, static_cast<double>(value)}; }
  static Number real(double value) { return {false, false, 0, value}; }

  Result<Number> symbol(const Expr& expr) const {
    if (const std::optional<std::int64_t> value = dims_ ? dims_(expr.text) : std::nullopt)
      return whole(*value);
    return fail(ErrorKind::case_file,
                fmt::format("unknown name {}{}", quoted(expr.text), did_you_mean(expr.text, known_)));
  }

  static tl::unexpected<Error> overflow(const Expr& expr) {
    return fail(ErrorKind::case_file, fmt::format("{} does not fit 64 bits", quoted(to_string(expr), 60)));
  }

  Result<Number> unary(const Expr& expr) const {
    const Result<Number> value = evaluate(*expr.args[0]);
    if (!value) return value;
    if (expr.op != Op::negate || value->is_bool) {
      return fail(ErrorKind::case_file, fmt::format("{} is not arithmetic", quoted(to_string(expr), 60)));
    }
    if (!value->is_integer) return real(-value->real);
    if (value->integer == kLowest) return overflow(expr);
    return whole(-value->integer);
  }

  Result<Number> binary(const Expr& expr) const {
    const Result<Number> left = evaluate(*expr.args[0]);
    if (!left) return left;
    const Result<Number> right = evaluate(*expr.args[1]);
    if (!right) return right;
    const bool arithmetic = expr.op == Op::add || expr.op == Op::sub || expr.op == Op::mul ||
                            expr.op == Op::div || expr.op == Op::floordiv || expr.op == Op::mod;
    if (!arithmetic || left->is_bool || right->is_bool) {
      return fail(ErrorKind::case_file, fmt::format("{} is not arithmetic", quoted(to_string(expr), 60)));
    }
    if (left->is_integer && right->is_integer) return exact(expr, left->integer, right->integer);
    return floating(expr.op, left->real, right->real);
  }

  static Result<Number> exact(const Expr& expr, std::int64_t a, std::int64_t b) {
    std::optional<std::int64_t> value;
    switch (expr.op) {
      case Op::add:
        value = checked_add(a, b);
        break;
      case Op::sub:
        value = checked_sub(a, b);
        break;
      case Op::mul:
        value = checked_mul(a, b);
        break;
      case Op::div:
        return fail(ErrorKind::case_file,
                    fmt::format("{} divides two integers: write // for the floor, or make one a float",
                                quoted(to_string(expr), 60)));
      default:
        if (b == 0)
          return fail(ErrorKind::case_file, fmt::format("{} divides by 0", quoted(to_string(expr), 60)));
        value = expr.op == Op::mod ? floor_mod(a, b) : floor_div(a, b);
    }
    if (!value) return overflow(expr);
    return whole(*value);
  }

  static Number floating(Op op, double a, double b) {
    switch (op) {
      case Op::add:
        return real(a + b);
      case Op::sub:
        return real(a - b);
      case Op::mul:
        return real(a * b);
      case Op::div:
        return real(a / b);
      case Op::floordiv:
        return real(std::floor(a / b));
      default: {
        // Python's modulo has the sign of the divisor.
        const double rest = std::fmod(a, b);
        return real(rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest);
      }
    }
  }

  const DimLookup& dims_;
  const std::vector<std::string>& known_;
};

}  // namespace

Result<std::int64_t> evaluate_integer(const Expr& expr, const DimLookup& dims,
                                      const std::vector<std::string>& known) {
  const Result<Number> number = evaluate_number(expr, dims, known);
  if (!number) return tl::make_unexpected(number.error());
  if (!number->is_integer || number->is_bool) {
    return fail(ErrorKind::case_file, fmt::format("{} is not an integer", quoted(to_string(expr), 60)));
  }
  return number->integer;
}

Result<Number> evaluate_number(const Expr& expr, const DimLookup& dims,
                               const std::vector<std::string>& known) {
  return Evaluator(dims, known).evaluate(expr);
}

std::optional<std::int64_t> checked_add(std::int64_t a, std::int64_t b) {
  std::int64_t value = 0;
  return __builtin_add_overflow(a, b, &value) ? std::nullopt : std::optional(value);
}

std::optional<std::int64_t> checked_sub(std::int64_t a, std::int64_t b) {
  std::int64_t value = 0;
  return __builtin_sub_overflow(a, b, &value) ? std::nullopt : std::optional(value);
}

std::optional<std::int64_t> checked_mul(std::int64_t a, std::int64_t b) {
  std::int64_t value = 0;
  return __builtin_mul_overflow(a, b, &value) ? std::nullopt : std::optional(value);
}

std::optional<std::int64_t> floor_div(std::int64_t a, std::int64_t b) {
  if (b == 0 || (a == kLowest && b == -1)) return std::nullopt;
  const std::int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

std::optional<std::int64_t> floor_mod(std::int64_t a, std::int64_t b) {
  if (b == 0) return std::nullopt;
  if (b == -1) return 0;  // the machine's division of the lowest integer by -1 traps
  const std::int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

}  // namespace relapse
