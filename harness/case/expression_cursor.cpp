#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <harness/case/expression_cursor.hpp>
#include <harness/support/text.hpp>

namespace relapse {

namespace {

struct Refused {
  std::string_view text, hint;
};
constexpr std::array kRefused = {
    Refused{"**", "write pow(x, n)"},
    Refused{"@", "write matmul(a, b)"},
    Refused{"and", "write (a) & (b)"},
    Refused{"or", "write (a) | (b)"},
    Refused{"not", "write ~(a)"},
    Refused{"&&", "write (a) & (b)"},
    Refused{"||", "write (a) | (b)"},
    Refused{"!", "write ~(a)"},
    Refused{"if", "write where(condition, a, b)"},
    Refused{"in", "write isin(a, b)"},
    Refused{"is", "write =="},
    Refused{"lambda", "only operators can be called"},
    Refused{"->", "only the operators of the language can be used"},
};

}  // namespace

const Token& TokenCursor::peek(std::size_t ahead) const {
  return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
}

const Token& TokenCursor::take() {
  return tokens_[at_ + 1 < tokens_.size() ? at_++ : at_];
}

bool TokenCursor::take_if(std::string_view symbol) {
  if (!peek().is(symbol)) return false;
  take();
  return true;
}

void TokenCursor::fail_at(const Token& token, std::string message, std::string hint) {
  throw ExprError{token.column, token.length, std::move(message), std::move(hint)};
}

void TokenCursor::fail_syntax(const Token& token, std::string hint) const {
  fail_at(token, expected_expression(text_), std::move(hint));
}

void TokenCursor::fail_missing(const std::string& hint) const {
  fail_syntax(at_end() && at_ > 0 ? tokens_[at_ - 1] : peek(), hint);
}

void TokenCursor::refuse_foreign() const {
  const Token& here = peek();
  if (here.kind != TokenKind::symbol && here.kind != TokenKind::name) return;
  for (const Refused& row : kRefused) {
    if (here.text == row.text)
      fail_at(here, fmt::format("\"{}\" is not part of expressions", row.text), std::string(row.hint));
  }
}

void TokenCursor::expect_end() const {
  if (at_end()) return;
  refuse_foreign();
  if (peek().is("=")) fail_syntax(peek(), "comparison is written ==, and only a step can name a result");
  if (peek().is(")") || peek().is("]"))
    fail_syntax(peek(), fmt::format("nothing opens this {}", peek().text));
  if (peek().is(",")) fail_syntax(peek(), "a list is written in brackets: [a, b]");
  fail_syntax(peek(), "an operator is missing before " + quoted(peek().text));
}

void TokenCursor::expect_close(std::string_view close, const Token& open) {
  if (take_if(close)) return;
  refuse_foreign();
  if (at_end()) fail_syntax(open, fmt::format("nothing closes this {}", open.text));
  if (close == ")" && peek().is(",")) fail_syntax(peek(), "a list is written in brackets: [a, b]");
  fail_syntax(peek(), fmt::format("expected {} or an operator before this", close));
}

}  // namespace relapse
