#include <fmt/format.h>

#include <algorithm>
#include <harness/case/yaml_pieces.hpp>
#include <harness/support/text.hpp>

namespace relapse {

namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

std::size_t skip_blanks(std::string_view text, std::size_t at) {
  while (at < text.size() && is_blank(text[at])) ++at;
  return at;
}

/// Behind the closing quote of the text that starts at `at`, or npos.
std::size_t quote_end(std::string_view source, std::size_t at) {
  const char quote = source[at];
  for (++at; at < source.size(); ++at) {
    if (quote == '"' && source[at] == '\\') {
      ++at;
    } else if (source[at] == quote) {
      if (quote == '\'' && at + 1 < source.size() && source[at + 1] == '\'') {
        ++at;
      } else {
        return at + 1;
      }
    }
  }
  return std::string_view::npos;
}

/// Walks a text and its folded source side by side: a run of blanks with a line end in it is a run of blanks.
template <class Visit>  // called with the offset of each byte of the text
std::size_t walk_folded(std::string_view source, std::size_t at, std::string_view text, Visit visit) {
  std::size_t i = 0;
  while (i < text.size() && at < source.size()) {
    if (is_blank(source[at])) {
      const std::size_t next = skip_blanks(source, at);
      const bool folded = source.substr(at, next - at).find('\n') != std::string_view::npos;
      if (folded) {
        for (; i < text.size() && is_blank(text[i]); ++i) visit(at);
        at = next;
        continue;
      }
    }
    visit(at);
    ++at;
    ++i;
  }
  return at;
}

/// Bytes of the escape at `at` of a double-quoted text, and how many bytes of text it makes is left to the
/// text.
std::size_t escape_length(std::string_view source, std::size_t at) {
  const char kind = at + 1 < source.size() ? source[at + 1] : '\0';
  return kind == 'x' ? 4 : kind == 'u' ? 6 : kind == 'U' ? 10 : 2;
}

std::size_t code_point_bytes(std::string_view text, std::size_t at) {
  std::size_t bytes = 1;
  while (at + bytes < text.size() && (static_cast<unsigned char>(text[at + bytes]) & 0xC0) == 0x80) ++bytes;
  return bytes;
}

/// Offsets of the bytes of a quoted text.
std::vector<std::size_t> quoted_offsets(std::string_view source, const YamlNode& scalar) {
  std::vector<std::size_t> offsets;
  const char quote = source[scalar.offset];
  std::size_t at = scalar.offset + 1;
  const std::string& text = scalar.text;
  while (offsets.size() < text.size() && at < source.size()) {
    const std::size_t next = skip_blanks(source, at);
    if (next > at && source.substr(at, next - at).find('\n') != std::string_view::npos) {
      while (offsets.size() < text.size() && is_blank(text[offsets.size()])) offsets.push_back(at);
      at = next;
    } else if (quote == '"' && source[at] == '\\') {
      if (at + 1 < source.size() && source[at + 1] == '\n') {  // a continued line makes no text
        at = skip_blanks(source, at + 1);
        continue;
      }
      offsets.insert(offsets.end(), code_point_bytes(text, offsets.size()), at);
      at += escape_length(source, at);
    } else {
      offsets.push_back(at);
      at += quote == '\'' && source[at] == '\'' ? 2 : 1;
    }
  }
  return offsets;
}

/// Opened minus closed parentheses and brackets of a plain text.
int open_brackets(std::string_view text) {
  int open = 0;
  for (const char c : text) open += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
  return open;
}

bool is_plain_piece(const YamlNode& node) {
  return node.is_scalar() && node.style == YamlNode::Style::plain;
}

void report_split(const YamlNode& piece, const ReportMistake& report) {
  report(piece.pos, piece.length, fmt::format("the comma ends this text as {}", quoted(piece.text, 60)),
         fmt::format("its {} is closed in a later piece: a text with a comma in a flow {} needs quotes",
                     piece.text.find('(') != std::string::npos ? '(' : '[', "map or list"));
}

}  // namespace

std::size_t scalar_end(std::string_view source, const YamlNode& scalar) {
  if (scalar.offset >= source.size()) return source.size();
  if (scalar.style == YamlNode::Style::quoted) return quote_end(source, scalar.offset);
  if (source.substr(scalar.offset, scalar.text.size()) == scalar.text)
    return scalar.offset + scalar.text.size();
  std::size_t from = scalar.offset;
  if (scalar.style == YamlNode::Style::block) from = source.find('\n', from);
  if (from == std::string_view::npos) return source.size();
  return walk_folded(source, from, scalar.text, [](std::size_t) {});
}

std::size_t flow_end(std::string_view source, std::size_t offset) {
  int open = 0;
  for (std::size_t at = offset; at < source.size(); ++at) {
    const char c = source[at];
    const char before = at > 0 ? source[at - 1] : ' ';
    // A quote starts a quoted text only where a text starts, and a # a comment only after a blank.
    const bool text_starts =
        before == ' ' || before == '\n' || before == '[' || before == '{' || before == ',' || before == ':';
    if ((c == '"' || c == '\'') && text_starts) {
      const std::size_t end = quote_end(source, at);
      if (end == std::string_view::npos) return source.size();
      at = end - 1;
    } else if (c == '#' && is_blank(before)) {
      at = std::min(source.find('\n', at), source.size());
    } else if (c == '[' || c == '{') {
      ++open;
    } else if ((c == ']' || c == '}') && --open == 0) {
      return at + 1;
    }
  }
  return source.size();
}

void report_split_pieces(YamlNode& collection, const ReportMistake& report) {
  // In a map the pieces after the first are keys without a value; in a list they are items.
  const std::size_t step = collection.is_map() ? 2 : 1;
  std::vector<YamlNode>& items = collection.items;
  for (std::size_t i = step - 1; i < items.size(); i += step) {
    if (!is_plain_piece(items[i])) continue;
    int open = open_brackets(items[i].text);
    if (open <= 0) continue;
    std::size_t last = i;
    constexpr std::size_t kMostPieces = 100;  // an expression that a comma cut into more has other problems
    const std::size_t end = std::min(items.size(), i + 1 + kMostPieces * step);
    for (std::size_t j = i + 1; j < end && open > 0; j += step) {
      const bool piece =
          is_plain_piece(items[j]) &&
          (step == 1 || items[j + 1].kind == YamlNode::Kind::nothing || is_plain_piece(items[j + 1]));
      if (!piece) break;
      open += open_brackets(items[j].text);
      if (step == 2) open += open_brackets(items[j + 1].text);
      if (open <= 0) last = j + step - 1;
    }
    if (last == i) continue;
    report_split(items[i], report);
    items[i].kind = YamlNode::Kind::broken;
    items.erase(items.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                items.begin() + static_cast<std::ptrdiff_t>(last) + 1);
  }
}

TextOrigin text_origin(const SourceText& source, const YamlNode& scalar) {
  TextOrigin origin;
  const std::string_view all = source.text();
  const std::size_t quote = scalar.style == YamlNode::Style::quoted ? 1 : 0;
  origin.start = {scalar.pos.line, scalar.pos.column + static_cast<int>(quote)};
  const bool as_written = scalar.style != YamlNode::Style::block && scalar.offset + quote < all.size() &&
                          all.substr(scalar.offset + quote, scalar.text.size()) == scalar.text &&
                          scalar.text.find('\n') == std::string::npos;
  if (as_written) return origin;

  std::vector<std::size_t> offsets;
  if (scalar.style == YamlNode::Style::quoted) {
    offsets = quoted_offsets(all, scalar);
  } else {
    std::size_t from = scalar.offset;
    if (scalar.style == YamlNode::Style::block)
      from = skip_blanks(all, std::min(all.find('\n', from), all.size()));
    walk_folded(all, from, scalar.text, [&](std::size_t offset) { offsets.push_back(offset); });
  }
  for (std::size_t i = 0; i < offsets.size() && i < scalar.text.size(); ++i) {
    const bool first_byte = (static_cast<unsigned char>(scalar.text[i]) & 0xC0) != 0x80;
    if (first_byte) origin.table.push_back(source.pos_at(offsets[i]));
  }
  return origin;
}

std::string flow_text(const YamlNode& node) {
  std::string text;
  switch (node.kind) {
    case YamlNode::Kind::scalar:
      return node.text;
    case YamlNode::Kind::sequence:
      text = "[";
      for (const YamlNode& item : node.items)
        text.append(text.size() > 1 ? ", " : "").append(flow_text(item));
      return text.append("]");
    case YamlNode::Kind::map:
      text = "{";
      for (std::size_t i = 0; i < node.entries(); ++i) {
        text.append(text.size() > 1 ? ", " : "")
            .append(node.key(i).text)
            .append(": ")
            .append(flow_text(node.value(i)));
      }
      return text.append("}");
    default:
      return text;
  }
}

}  // namespace relapse
