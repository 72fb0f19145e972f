#pragma once

// The expression language of steps, relations, shapes and bounds: its tree, its parser, and exact integer
// evaluation. Evaluation over tensors is the worker's (operator/evaluate.hpp).

#include <cstdint>
#include <functional>
#include <harness/support/diagnostic.hpp>
#include <harness/support/result.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace relapse {

enum class ExprKind : std::uint8_t {
  name,      ///< text: `target`, `N`, `float16` (what it means is decided by who evaluates)
  integer,   ///< integer
  real,      ///< real; `nan` and `inf` are reals
  boolean,   ///< integer 0 or 1
  none,      ///< `none`
  text,      ///< text, without quotes
  list,      ///< args
  unary,     ///< op `-` or `~`; args[0]. `-5` is an integer, also -9223372036854775808
  binary,    ///< op; args[0], args[1]
  index,     ///< args[0] is indexed by args[1...]; each is an expression, a `slice` or `none`
  slice,     ///< args: start, stop, step; null where absent
  call,      ///< text: `name`, `ns::name`, `name.Overload`, `ns::name.Overload`; args, kwargs
  method,    ///< args[0] is the receiver; text: `name`; args[1...], kwargs
  attribute  ///< args[0] `.` text: only `grad`
};

enum class Op : std::uint8_t {
  add,
  sub,
  mul,
  div,
  floordiv,
  mod,
  bit_and,
  bit_or,
  eq,
  ne,
  lt,
  le,
  gt,
  ge,
  negate,
  invert
};
std::string_view to_string(Op op);

struct Expr;
using ExprPtr = std::shared_ptr<const Expr>;

struct Expr {
  ExprKind kind = ExprKind::none;
  Op op = Op::add;
  SourcePos pos;  ///< of its first character in the file
  std::int64_t integer = 0;
  double real = 0;
  std::string text;
  std::vector<ExprPtr> args;
  std::vector<std::pair<std::string, ExprPtr>> kwargs;
};

/// A step: `a, _ = expr`, or an expression alone. Built-in steps (`guard(...)`, `backward(...)`, `data(...)`,
/// `seed(n)`, `synchronize()`) are told by `builtin`; `expr` is then the call.
enum class Builtin : std::uint8_t { none, guard, backward, data, seed, synchronize };
struct Step {
  std::vector<std::string> targets;  ///< `_` drops a result; empty: an expression alone
  ExprPtr expr;
  Builtin builtin = Builtin::none;
  SourcePos pos;
  std::string text;  ///< as written, trimmed
  int number = 0;    ///< in the list of the file, from 1; 0: not of a subject
};

/// Why a text is no expression. `column` counts code points from 1 within the text.
struct ExprError {
  int column = 1;
  int length = 1;
  std::string message;  ///< `expected an expression, got "C -"`
  std::string hint;     ///< `something must follow the minus`; may be empty
};

/// Where each character of a scalar lies in the file. The default counts on along one line from `start`; a
/// scalar that spans lines or has escapes needs the table (one entry a code point).
struct TextOrigin {
  SourcePos start{1, 1};
  std::vector<SourcePos> table;
  SourcePos at(int column_in_text) const;
};

tl::expected<ExprPtr, ExprError> parse_expression(std::string_view text, const TextOrigin& origin = {});
tl::expected<Step, ExprError> parse_step(std::string_view text, const TextOrigin& origin = {});

/// The expression as text again, with the fewest parentheses: the canonical form.
std::string to_string(const Expr& expr);

/// Every bound name that the expression reads (not operator names, not dtype names in keyword values).
std::vector<std::string> names_in(const Expr& expr);

/// Looks up a symbol: its value, or nothing when there is none of that name.
using DimLookup = std::function<std::optional<std::int64_t>(std::string_view)>;

/// Exact 64-bit evaluation of an integer expression (names, + - * // % and unary minus; booleans count as
/// integers in no place). Errors: an unknown name (with the nearest known one when `known` is given),
/// overflow, division by zero, `/` of integers, anything that is not an integer.
Result<std::int64_t> evaluate_integer(const Expr& expr, const DimLookup& dims,
                                      const std::vector<std::string>& known = {});

/// Integer or float arithmetic over dims, for scalars such as bounds: the value as double with `is_integer`
/// telling whether it is exact in `integer`.
struct Number {
  bool is_integer = true;
  bool is_bool = false;
  std::int64_t integer = 0;
  double real = 0;  ///< also set for integers
};
Result<Number> evaluate_number(const Expr& expr, const DimLookup& dims,
                               const std::vector<std::string>& known = {});

/// Exact helpers: nothing on overflow. Floor division and Python's modulo.
std::optional<std::int64_t> checked_add(std::int64_t a, std::int64_t b);
std::optional<std::int64_t> checked_sub(std::int64_t a, std::int64_t b);
std::optional<std::int64_t> checked_mul(std::int64_t a, std::int64_t b);
std::optional<std::int64_t> floor_div(std::int64_t a, std::int64_t b);
std::optional<std::int64_t> floor_mod(std::int64_t a, std::int64_t b);

}  // namespace relapse
