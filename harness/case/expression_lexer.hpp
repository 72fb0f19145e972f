#pragma once

// The pieces of an expression: names, numbers, texts, operators. Only the parser needs this.

#include <harness/case/expression.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace relapse {

enum class TokenKind : std::uint8_t { name, integer, real, text, symbol, end };

struct Token {
  TokenKind kind = TokenKind::end;
  std::string_view text;        ///< as written; of a text without its quotes
  std::uint64_t magnitude = 0;  ///< of an integer
  double real = 0;
  int column = 1;  ///< code points from 1
  int length = 1;

  bool is(std::string_view symbol) const { return kind == TokenKind::symbol && text == symbol; }
};

/// More pieces than this are refused: the tree's depth, and with it every recursion over it, stays bounded.
inline constexpr std::size_t kMostTokens = 2000;

/// The pieces of `text`, which must outlive them; the last is `end`.
tl::expected<std::vector<Token>, ExprError> tokenize(std::string_view text);

/// A long number as messages show it: its first digits and `...`.
std::string shortened(std::string_view digits);

/// `expected an expression, got "C -"`.
std::string expected_expression(std::string_view text);

}  // namespace relapse
