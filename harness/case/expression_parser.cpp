#include <array>
#include <cmath>
#include <harness/case/expression_cursor.hpp>
#include <harness/support/text.hpp>
#include <limits>

// Precedence climbing over the pieces, with Python's precedence. Failures unwind by an exception that never
// leaves this file: a grammar whose every function returns tl::expected reads far worse.

namespace relapse {

namespace {

constexpr int kDeepest = 64;

struct BinaryOp {
  std::string_view symbol;
  Op op;
  int level;  ///< higher binds tighter
  std::string_view word;
};
constexpr int kComparison = 1;
constexpr std::array kBinaryOps = {
    BinaryOp{"==", Op::eq, kComparison, "=="}, BinaryOp{"!=", Op::ne, kComparison, "!="},
    BinaryOp{"<", Op::lt, kComparison, "<"},   BinaryOp{"<=", Op::le, kComparison, "<="},
    BinaryOp{">", Op::gt, kComparison, ">"},   BinaryOp{">=", Op::ge, kComparison, ">="},
    BinaryOp{"|", Op::bit_or, 2, "|"},         BinaryOp{"&", Op::bit_and, 3, "&"},
    BinaryOp{"+", Op::add, 4, "plus"},         BinaryOp{"-", Op::sub, 4, "minus"},
    BinaryOp{"*", Op::mul, 5, "times sign"},   BinaryOp{"/", Op::div, 5, "/"},
    BinaryOp{"//", Op::floordiv, 5, "//"},     BinaryOp{"%", Op::mod, 5, "%"},
};

struct Misspelled {
  std::string_view text, due;
};
constexpr std::array kMisspelled = {Misspelled{"True", "true"}, Misspelled{"False", "false"},
                                    Misspelled{"None", "none"}};

const BinaryOp* binary_op(const Token& token) {
  if (token.kind != TokenKind::symbol) return nullptr;
  for (const BinaryOp& row : kBinaryOps) {
    if (row.symbol == token.text) return &row;
  }
  return nullptr;
}

class Parser {
 public:
  Parser(TokenCursor cursor, const TextOrigin& origin) : cursor_(std::move(cursor)), origin_(origin) {}

  ExprPtr whole_expression() {
    if (peek().kind == TokenKind::end)
      TokenCursor::fail_at(peek(), "expected an expression, got nothing", "");
    ExprPtr expr = expression();
    cursor_.expect_end();
    return expr;
  }

  Step whole_step() {
    Step step;
    step.text = std::string(trim(cursor_.text()));
    step.pos = origin_.at(peek().column);
    refuse_compared_targets();
    if (has_targets()) read_targets(step);
    step.expr = whole_expression();
    if (step.expr->kind == ExprKind::call) {
      static constexpr std::array<std::pair<std::string_view, Builtin>, 5> kBuiltins = {
          {{"guard", Builtin::guard},
           {"backward", Builtin::backward},
           {"data", Builtin::data},
           {"seed", Builtin::seed},
           {"synchronize", Builtin::synchronize}}};
      for (const auto& [name, builtin] : kBuiltins) {
        if (step.expr->text == name) step.builtin = builtin;
      }
    }
    return step;
  }

 private:
  const Token& peek(std::size_t ahead = 0) const { return cursor_.peek(ahead); }
  const Token& take() { return cursor_.take(); }
  bool take_if(std::string_view symbol) { return cursor_.take_if(symbol); }

  // ---- nodes ----

  std::shared_ptr<Expr> node(ExprKind kind, int column) const {
    auto expr = std::make_shared<Expr>();
    expr->kind = kind;
    expr->pos = origin_.at(column);
    return expr;
  }

  struct Deeper {
    explicit Deeper(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > kDeepest) {
        TokenCursor::fail_at(parser_.peek(), "the expression is nested deeper than 64",
                             "split it into steps");
      }
    }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;
    ~Deeper() { --parser_.depth_; }
    Parser& parser_;
  };

  ExprPtr expression(int level = kComparison) {
    const Deeper deeper(*this);
    const int column = peek().column;
    ExprPtr left = unary();
    for (;;) {
      const BinaryOp* row = binary_op(peek());
      if (row == nullptr || row->level < level) return left;
      take();
      if (peek().kind == TokenKind::end)
        cursor_.fail_missing("something must follow the " + std::string(row->word));
      auto expr = node(ExprKind::binary, column);
      expr->op = row->op;
      expr->args = {left, expression(row->level + 1)};
      if (row->level == kComparison) {
        const BinaryOp* second = binary_op(peek());
        if (second != nullptr && second->level == kComparison) {
          TokenCursor::fail_at(peek(), "chained comparisons are not part of expressions",
                               "write (a < b) & (b < c)");
        }
      }
      left = std::move(expr);
    }
  }

  ExprPtr unary() {
    const Deeper deeper(*this);
    const Token& first = peek();
    if (first.is("-") || first.is("~")) {
      take();
      if (peek().kind == TokenKind::end) {
        cursor_.fail_missing("something must follow the " + std::string(first.is("-") ? "minus" : "~"));
      }
      const bool literal = peek().kind == TokenKind::integer || peek().kind == TokenKind::real ||
                           (peek().kind == TokenKind::name && (peek().text == "inf" || peek().text == "nan"));
      // `-5` is a number, `-5.abs()` would not be: a minus binds weaker than what follows the number.
      if (first.is("-") && literal && !peek(1).is(".") && !peek(1).is("[") && !peek(1).is("(")) {
        return number(take(), true, first.column);
      }
      auto expr = node(ExprKind::unary, first.column);
      expr->op = first.is("-") ? Op::negate : Op::invert;
      expr->args = {unary()};
      return expr;
    }
    if (first.is("+")) cursor_.fail_syntax(first, "a leading plus is not written");
    return postfix(primary());
  }

  ExprPtr number(const Token& token, bool negative, int column) {
    const std::string sign = negative ? "-" : "";
    if (token.kind == TokenKind::integer) {
      constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
      if (token.magnitude > kMost + (negative ? 1 : 0)) {
        TokenCursor::fail_at(token, "the integer " + sign + shortened(token.text) + " does not fit 64 bits",
                             "");
      }
      auto expr = node(ExprKind::integer, column);
      expr->integer = static_cast<std::int64_t>(negative ? 0 - token.magnitude : token.magnitude);
      if (token.text.size() > 2 && (token.text[1] == 'x' || token.text[1] == 'X'))
        expr->text = sign + std::string(token.text);
      return expr;
    }
    auto expr = node(ExprKind::real, column);
    const double magnitude = token.text == "inf"   ? std::numeric_limits<double>::infinity()
                             : token.text == "nan" ? std::numeric_limits<double>::quiet_NaN()
                                                   : token.real;
    expr->real = negative ? -magnitude : magnitude;
    expr->text = sign + std::string(token.text);
    return expr;
  }

  ExprPtr primary() {
    const Token& token = peek();
    switch (token.kind) {
      case TokenKind::integer:
      case TokenKind::real:
        return number(take(), false, token.column);
      case TokenKind::text: {
        auto expr = node(ExprKind::text, token.column);
        expr->text = std::string(take().text);
        return expr;
      }
      case TokenKind::name:
        return name();
      case TokenKind::symbol:
      case TokenKind::end:
        break;
    }
    if (token.is("(")) {
      take();
      if (peek().is(")")) cursor_.fail_syntax(peek(), "something must stand between the parentheses");
      ExprPtr inner = expression();
      cursor_.expect_close(")", token);
      return inner;
    }
    if (token.is("[")) {
      auto expr = node(ExprKind::list, token.column);
      take();
      while (!peek().is("]")) {
        expr->args.push_back(expression());
        if (!take_if(",")) break;
        if (peek().is("]")) cursor_.fail_syntax(peek(), "something must follow the comma");
      }
      cursor_.expect_close("]", token);
      return expr;
    }
    cursor_.refuse_foreign();
    if (cursor_.at_end()) cursor_.fail_missing("something must follow this");
    cursor_.fail_syntax(token, "a value is missing before " + quoted(token.text));
  }

  ExprPtr name() {
    cursor_.refuse_foreign();
    const Token& token = take();
    for (const Misspelled& row : kMisspelled) {
      if (token.text == row.text) {
        TokenCursor::fail_at(token, quoted(token.text) + " is written " + std::string(row.due), "");
      }
    }
    if (token.text == "nan" || token.text == "inf") return number(token, false, token.column);
    if (token.text == "none") return node(ExprKind::none, token.column);
    if (token.text == "true" || token.text == "false") {
      auto expr = node(ExprKind::boolean, token.column);
      expr->integer = token.text == "true" ? 1 : 0;
      return expr;
    }
    std::string text(token.text);
    bool qualified = false;
    while (take_if("::")) {
      if (peek().kind != TokenKind::name) cursor_.fail_missing("a name must follow ::");
      text.append("::").append(take().text);
      qualified = true;
    }
    if (qualified && peek().is(".") && peek(1).kind == TokenKind::name && peek(2).is("(")) {
      take();
      text.append(".").append(take().text);
    }
    if (peek().is("(")) {
      auto expr = node(ExprKind::call, token.column);
      expr->text = std::move(text);
      arguments(*expr);
      return expr;
    }
    if (qualified) cursor_.fail_missing("an operator is called: " + text + "(...)");
    auto expr = node(ExprKind::name, token.column);
    expr->text = std::move(text);
    return expr;
  }

  ExprPtr postfix(ExprPtr expr) {
    for (;;) {
      if (peek().is("[")) {
        expr = subscript(expr);
      } else if (peek().is(".")) {
        expr = member(expr);
      } else if (peek().is("(")) {
        cursor_.fail_syntax(peek(), "only a name can be called");
      } else {
        return expr;
      }
    }
  }

  ExprPtr member(const ExprPtr& receiver) {
    take();
    if (peek().kind != TokenKind::name) cursor_.fail_missing("a name must follow the dot");
    const Token& first = take();
    std::string text(first.text);
    if (peek().is(".") && peek(1).kind == TokenKind::name && peek(2).is("(") && text != "grad") {
      take();
      text.append(".").append(take().text);
    }
    if (peek().is("(")) {
      auto expr = node(ExprKind::method, 1);
      expr->pos = receiver->pos;
      expr->text = std::move(text);
      expr->args = {receiver};
      arguments(*expr);
      return expr;
    }
    if (text != "grad" || receiver->kind != ExprKind::name) {
      const std::string hint = text == "shape" || text == "size" ? "write a dim of the case instead"
                               : text == "T"                     ? "write x.t()"
                               : text == "grad"                  ? "only a name has .grad"
                                                                 : "a method is called: ." + text + "()";
      cursor_.fail_syntax(first, hint);
    }
    auto expr = node(ExprKind::attribute, 1);
    expr->pos = receiver->pos;
    expr->text = std::move(text);
    expr->args = {receiver};
    return expr;
  }

  void arguments(Expr& call) {
    const Token& open = take();
    while (!peek().is(")")) {
      if (peek().kind == TokenKind::name && peek(1).is("=")) {
        const Token& key = take();
        take();
        for (const auto& [known, value] : call.kwargs) {
          if (known == key.text)
            cursor_.fail_syntax(key, "the argument " + quoted(key.text) + " is given twice");
        }
        call.kwargs.emplace_back(std::string(key.text), expression());
      } else {
        if (!call.kwargs.empty())
          cursor_.fail_syntax(peek(), "a positional argument cannot follow one with a name");
        call.args.push_back(expression());
      }
      if (!take_if(",")) break;
      if (peek().is(")")) cursor_.fail_syntax(peek(), "something must follow the comma");
    }
    if (peek().is(")") || peek().kind == TokenKind::end) return cursor_.expect_close(")", open);
    cursor_.refuse_foreign();
    cursor_.fail_syntax(peek(), peek().is("=") ? "only a plain name can be given a value"
                                               : "expected a comma or ) before " + quoted(peek().text));
  }

  ExprPtr subscript(const ExprPtr& indexed) {
    const Token& open = take();
    auto expr = node(ExprKind::index, 1);
    expr->pos = indexed->pos;
    expr->args = {indexed};
    if (peek().is("]")) cursor_.fail_syntax(peek(), "an index must stand between the brackets");
    for (;;) {
      expr->args.push_back(subscript_item());
      if (!take_if(",")) break;
    }
    cursor_.expect_close("]", open);
    return expr;
  }

  ExprPtr subscript_item() {
    const int column = peek().column;
    const auto part = [&]() -> ExprPtr {
      const bool absent = peek().is(":") || peek().is("::") || peek().is(",") || peek().is("]");
      return absent ? nullptr : expression();
    };
    ExprPtr start = part();
    if (start != nullptr && !peek().is(":") && !peek().is("::")) return start;
    if (start == nullptr && !peek().is(":") && !peek().is("::"))
      cursor_.fail_syntax(peek(), "an index is missing before this");
    auto slice = node(ExprKind::slice, column);
    ExprPtr stop, step;
    if (take_if("::")) {
      step = part();
    } else {
      take();
      stop = part();
      if (take_if(":")) step = part();
    }
    slice->args = {std::move(start), std::move(stop), std::move(step)};
    return slice;
  }

  // ---- steps ----

  /// `a, b == f(x)`, where `a, b = f(x)` was meant.
  void refuse_compared_targets() const {
    std::size_t at = 1;
    while (peek(at - 1).kind == TokenKind::name && peek(at).is(",")) at += 2;
    if (at == 1 || peek(at - 1).kind != TokenKind::name || !peek(at).is("==")) return;
    const std::string_view names = cursor_.text().substr(0, cursor_.text().find("=="));
    cursor_.fail_syntax(peek(at), "a step is written with one `=`: " + std::string(trim(names)) + " = ...");
  }

  bool has_targets() const {
    int depth = 0;
    for (const Token& token : cursor_.all()) {
      if (token.is("(") || token.is("[")) ++depth;
      if (token.is(")") || token.is("]")) --depth;
      if (depth == 0 && token.is("=")) return true;
    }
    return false;
  }

  void read_targets(Step& step) {
    for (;;) {
      const Token& token = peek();
      if (token.kind != TokenKind::name)
        TokenCursor::fail_at(token, "expected the name of a result, got " + quoted(token.text), "");
      take();
      if (peek().is(".") || peek().is("[")) {
        TokenCursor::fail_at(token, "a step can only name whole results",
                             "write copy_(part, value) to overwrite a part");
      }
      step.targets.emplace_back(token.text);
      if (take_if("=")) return;
      if (!peek().is(","))
        TokenCursor::fail_at(peek(), "expected a comma or = after the name of a result", "");
      take();
    }
  }

  TokenCursor cursor_;
  const TextOrigin& origin_;
  int depth_ = 0;
};

}  // namespace

SourcePos TextOrigin::at(int column_in_text) const {
  if (table.empty()) return {start.line, start.column + column_in_text - 1};
  const auto last = static_cast<int>(table.size());
  if (column_in_text <= last) return table[static_cast<std::size_t>(std::max(1, column_in_text) - 1)];
  return {table.back().line, table.back().column + column_in_text - last};
}

tl::expected<ExprPtr, ExprError> parse_expression(std::string_view text, const TextOrigin& origin) {
  auto tokens = tokenize(text);
  if (!tokens) return tl::make_unexpected(tokens.error());
  try {
    return Parser(TokenCursor(text, std::move(*tokens)), origin).whole_expression();
  } catch (const ExprError& error) {
    return tl::make_unexpected(error);
  }
}

tl::expected<Step, ExprError> parse_step(std::string_view text, const TextOrigin& origin) {
  auto tokens = tokenize(text);
  if (!tokens) return tl::make_unexpected(tokens.error());
  try {
    return Parser(TokenCursor(text, std::move(*tokens)), origin).whole_step();
  } catch (const ExprError& error) {
    return tl::make_unexpected(error);
  }
}

}  // namespace relapse
