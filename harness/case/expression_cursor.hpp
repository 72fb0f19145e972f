#pragma once

// A place among the pieces of an expression, and the wording of what is wrong there. Only the parser needs
// this.

#include <harness/case/expression_lexer.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace relapse {

/// Its failures throw ExprError, which parse_expression() and parse_step() catch: a grammar whose every
/// function returns tl::expected reads far worse.
class TokenCursor {
 public:
  TokenCursor(std::string_view text, std::vector<Token> tokens) : text_(text), tokens_(std::move(tokens)) {}

  std::string_view text() const { return text_; }
  const std::vector<Token>& all() const { return tokens_; }

  const Token& peek(std::size_t ahead = 0) const;
  const Token& take();
  bool take_if(std::string_view symbol);
  bool at_end() const { return peek().kind == TokenKind::end; }

  [[noreturn]] static void fail_at(const Token& token, std::string message, std::string hint = "");
  /// `expected an expression, got "..."`, with what is wrong at the piece as hint.
  [[noreturn]] void fail_syntax(const Token& token, std::string hint) const;
  /// Where something must follow, the last piece is underlined rather than the nothing after it.
  [[noreturn]] void fail_missing(const std::string& hint) const;

  /// Names what other languages have and this one has not: `**`, `and`, ...
  void refuse_foreign() const;
  void expect_end() const;
  /// On a missing end the opening is named.
  void expect_close(std::string_view close, const Token& open);

 private:
  std::string_view text_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
};

}  // namespace relapse
