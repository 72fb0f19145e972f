#include <array>
#include <charconv>
#include <harness/case/expression_lexer.hpp>
#include <harness/support/text.hpp>

namespace relapse {

namespace {

// Longer ones first, so that `//` is not read as two `/`. The refused ones are pieces too, to be named in the
// message.
constexpr std::array<std::string_view, 30> kSymbols = {
    "**", "//", "==", "!=", "<=", ">=", "::", "&&", "||", "->", "+", "-", "*", "/", "%",
    "&",  "|",  "~",  "<",  ">",  "=",  "(",  ")",  "[",  "]",  ",", ":", ".", "@", "!"};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_name_part(char c) {
  return is_name_start(c) || is_digit(c);
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  tl::expected<std::vector<Token>, ExprError> run() {
    for (skip_blanks(); at_ < text_.size(); skip_blanks()) {
      if (tokens_.size() >= kMostTokens) {
        return fail_here("the expression has more than 2000 pieces", "split it into steps");
      }
      if (!next()) return tl::make_unexpected(error_);
    }
    add(TokenKind::end, 0);
    return std::move(tokens_);
  }

 private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  void skip_blanks() {
    while (at_ < text_.size() && (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r'))
      advance(1);
  }

  void advance(std::size_t bytes) {
    column_ += count_code_points(text_.substr(at_, bytes));
    at_ += bytes;
  }

  Token& add(TokenKind kind, std::size_t bytes) {
    Token token;
    token.kind = kind;
    token.text = text_.substr(at_, bytes);
    token.column = column_;
    token.length = std::max(1, count_code_points(token.text));
    tokens_.push_back(token);
    advance(bytes);
    return tokens_.back();
  }

  tl::unexpected<ExprError> fail_here(std::string message, std::string hint, int length = 1) {
    error_ = ExprError{column_, length, std::move(message), std::move(hint)};
    return tl::make_unexpected(error_);
  }

  bool next() {
    const char c = peek();
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return number();
    if (is_name_start(c)) {
      std::size_t length = 1;
      while (is_name_part(peek(length))) ++length;
      add(TokenKind::name, length);
      return true;
    }
    if (c == '\'') return quoted_text();
    for (const std::string_view symbol : kSymbols) {
      if (text_.substr(at_, symbol.size()) == symbol) {
        add(TokenKind::symbol, symbol.size());
        return true;
      }
    }
    const std::string_view rest = text_.substr(at_);
    std::size_t bytes = 1;
    while (bytes < rest.size() && (static_cast<unsigned char>(rest[bytes]) & 0xC0) == 0x80) ++bytes;
    const bool double_quote = c == '"';
    fail_here(expected_expression(text_), double_quote
                                              ? "text is written in single quotes"
                                              : quoted(rest.substr(0, bytes)) + " has no meaning here");
    return false;
  }

  bool quoted_text() {
    const std::size_t close = text_.find('\'', at_ + 1);
    if (close == std::string_view::npos) {
      fail_here(expected_expression(text_), "the text that starts here has no closing quote");
      return false;
    }
    Token& token = add(TokenKind::text, close + 1 - at_);
    token.text = token.text.substr(1, token.text.size() - 2);
    return true;
  }

  bool number() {
    std::size_t length = 0;
    bool real = false;
    const bool hexadecimal = peek() == '0' && (peek(1) == 'x' || peek(1) == 'X');
    if (hexadecimal) {
      length = 2;
      while (is_digit(peek(length)) || (peek(length) >= 'a' && peek(length) <= 'f') ||
             (peek(length) >= 'A' && peek(length) <= 'F')) {
        ++length;
      }
    } else {
      while (is_digit(peek(length))) ++length;
      if (peek(length) == '.' && !is_name_start(peek(length + 1))) {
        real = true;
        ++length;
        while (is_digit(peek(length))) ++length;
      }
      length += exponent_length(length, real);
    }
    if (is_name_part(peek(length)) || (hexadecimal && length == 2)) return bad_number(length);
    Token& token = add(real ? TokenKind::real : TokenKind::integer, length);
    const std::string_view digits = token.text;
    if (real) {
      const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), token.real);
      if (read.ec == std::errc()) return true;
      error_ = ExprError{token.column, token.length,
                         "the number " + shortened(digits) + " does not fit float64", "write inf or 0"};
      return false;
    }
    const std::size_t skip = hexadecimal ? 2 : 0;
    const auto read = std::from_chars(digits.data() + skip, digits.data() + digits.size(), token.magnitude,
                                      hexadecimal ? 16 : 10);
    if (read.ec == std::errc()) return true;
    error_ = ExprError{token.column, token.length,
                       "the integer " + shortened(digits) + " does not fit 64 bits", ""};
    return false;
  }

  std::size_t exponent_length(std::size_t from, bool& real) const {
    if (peek(from) != 'e' && peek(from) != 'E') return 0;
    std::size_t length = 1;
    if (peek(from + 1) == '+' || peek(from + 1) == '-') ++length;
    if (!is_digit(peek(from + length))) return 0;
    while (is_digit(peek(from + length))) ++length;
    real = true;
    return length;
  }

  bool bad_number(std::size_t length) {
    while (is_name_part(peek(length))) ++length;
    fail_here(expected_expression(text_),
              quoted(text_.substr(at_, length)) + " is neither a number nor a name",
              static_cast<int>(length));
    return false;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int column_ = 1;
  std::vector<Token> tokens_;
  ExprError error_;
};

}  // namespace

tl::expected<std::vector<Token>, ExprError> tokenize(std::string_view text) {
  return Lexer(text).run();
}

std::string shortened(std::string_view digits) {
  constexpr std::size_t kMost = 60;
  return std::string(digits.substr(0, kMost)) + (digits.size() > kMost ? "..." : "");
}

std::string expected_expression(std::string_view text) {
  return "expected an expression, got " + quoted(text, 60);
}

}  // namespace relapse
