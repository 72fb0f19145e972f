#include <fmt/format.h>

#include <array>
#include <cmath>
#include <harness/case/expression.hpp>

namespace relapse {

namespace {

constexpr std::array<std::string_view, 16> kOps = {"+",  "-",  "*", "/",  "//", "%",  "&", "|",
                                                   "==", "!=", "<", "<=", ">",  ">=", "-", "~"};

constexpr int kUnaryLevel = 6;
constexpr int kPostfixLevel = 7;

int level_of(const Expr& expr) {
  const bool negative = (expr.kind == ExprKind::integer && expr.integer < 0) ||
                        (expr.kind == ExprKind::real && std::signbit(expr.real));
  if (negative || expr.kind == ExprKind::unary) return kUnaryLevel;
  if (expr.kind != ExprKind::binary) return kPostfixLevel;
  switch (expr.op) {
    case Op::bit_or:
      return 2;
    case Op::bit_and:
      return 3;
    case Op::add:
    case Op::sub:
      return 4;
    case Op::mul:
    case Op::div:
    case Op::floordiv:
    case Op::mod:
      return 5;
    default:
      return 1;  // comparisons
  }
}

/// The shortest text that reads back as this number and as a real one.
std::string real_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

class Printer {
 public:
  std::string text;

  void print(const Expr& expr, int at_least = 0) {
    const bool parentheses = level_of(expr) < at_least;
    if (parentheses) text += '(';
    print_bare(expr);
    if (parentheses) text += ')';
  }

 private:
  void print_bare(const Expr& expr) {
    switch (expr.kind) {
      case ExprKind::name:
        text += expr.text;
        return;
      case ExprKind::integer:
        text += expr.text.empty() ? std::to_string(expr.integer) : expr.text;
        return;
      case ExprKind::real:
        text += expr.text.empty() ? real_text(expr.real) : expr.text;
        return;
      case ExprKind::boolean:
        text += expr.integer != 0 ? "true" : "false";
        return;
      case ExprKind::none:
        text += "none";
        return;
      case ExprKind::text:
        text += "'" + expr.text + "'";
        return;
      case ExprKind::list:
        text += '[';
        print_list(expr, 0);
        text += ']';
        return;
      case ExprKind::unary:
        text += to_string(expr.op);
        // A minus before a number would read as a negative number, which is another tree with the same value.
        print(*expr.args[0], is_plain_number(*expr.args[0]) ? kPostfixLevel + 1 : kUnaryLevel);
        return;
      case ExprKind::binary: {
        const int level = level_of(expr);
        print(*expr.args[0], level == 1 ? 2 : level);
        text += ' ';
        text += to_string(expr.op);
        text += ' ';
        print(*expr.args[1], level + 1);
        return;
      }
      case ExprKind::index:
        print(*expr.args[0], kPostfixLevel);
        text += '[';
        print_list(expr, 1);
        text += ']';
        return;
      case ExprKind::slice:
        print_slice(expr);
        return;
      case ExprKind::call:
        text += expr.text;
        print_arguments(expr, 0);
        return;
      case ExprKind::method:
        print_receiver(*expr.args[0]);
        text += "." + expr.text;
        print_arguments(expr, 1);
        return;
      case ExprKind::attribute:
        print(*expr.args[0], kPostfixLevel);
        text += "." + expr.text;
        return;
    }
  }

  static bool is_plain_number(const Expr& expr) {
    return expr.kind == ExprKind::integer || expr.kind == ExprKind::real;
  }

  void print_receiver(const Expr& expr) {
    print(expr, is_plain_number(expr) ? kPostfixLevel + 1 : kPostfixLevel);
  }

  void print_list(const Expr& expr, std::size_t from) {
    for (std::size_t i = from; i < expr.args.size(); ++i) {
      if (i > from) text += ", ";
      print(*expr.args[i]);
    }
  }

  void print_arguments(const Expr& expr, std::size_t from) {
    text += '(';
    print_list(expr, from);
    bool first = expr.args.size() == from;
    for (const auto& [name, value] : expr.kwargs) {
      if (!first) text += ", ";
      first = false;
      text += name + "=";
      print(*value);
    }
    text += ')';
  }

  void print_slice(const Expr& expr) {
    const auto part = [&](std::size_t i) {
      if (i < expr.args.size() && expr.args[i] != nullptr) print(*expr.args[i]);
    };
    part(0);
    text += ':';
    part(1);
    if (expr.args.size() > 2 && expr.args[2] != nullptr) {
      text += ':';
      part(2);
    }
  }
};

}  // namespace

std::string_view to_string(Op op) {
  return kOps[static_cast<std::size_t>(op)];
}

std::string to_string(const Expr& expr) {
  Printer printer;
  printer.print(expr);
  return std::move(printer.text);
}

}  // namespace relapse
