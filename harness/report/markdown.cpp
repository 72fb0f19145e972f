#include <fmt/format.h>

#include <algorithm>
#include <harness/report/html_entity.hpp>
#include <harness/report/markdown.hpp>
#include <harness/support/text.hpp>

namespace relapse {
namespace {

std::size_t longest_run(std::string_view text, char wanted) {
  std::size_t longest = 0, run = 0;
  for (const char c : text) {
    run = c == wanted ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

std::string one_line(std::string_view text) {
  std::string line(to_valid_utf8(text));
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  return line;
}

}  // namespace

std::string markdown_text(std::string_view text) {
  // CommonMark 0.31, 2.4: a backslash before ASCII punctuation takes its meaning away.
  constexpr std::string_view kMarkup = "\\`*_{}[]()#+-!|~$^=";
  std::string out;
  for (const char c : one_line(text)) {
    if (const std::string_view entity = html_entity(c); !entity.empty())
      out += entity;
    else if (c == '@')
      out += "&#64;";  // no mention of anybody
    else if (kMarkup.find(c) != std::string_view::npos)
      out += std::string("\\") + c;
    else
      out += c;
  }
  return out;
}

std::string markdown_code(std::string_view text) {
  // A code tag rather than backticks: in a table `|` would end the cell even between backticks.
  std::string out = "<code>";
  for (const char c : one_line(text)) {
    if (const std::string_view entity = html_entity(c); !entity.empty())
      out += entity;
    else if (std::string_view("\\`*_[]|~!$@#:").find(c) != std::string_view::npos)
      out += fmt::format("&#{};", static_cast<int>(c));
    else
      out += c;
  }
  return out + "</code>";
}

std::string markdown_block(std::string_view text) {
  const std::string fence(std::max<std::size_t>(3, longest_run(text, '`') + 1), '`');
  std::string body = to_valid_utf8(text);
  for (char& c : body) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7f) c = ' ';
  }
  if (body.empty() || body.back() != '\n') body += '\n';
  return fence + "text\n" + body + fence + "\n";
}

std::string markdown_link(std::string_view label, std::string_view url) {
  const bool web = url.rfind("https://", 0) == 0 || url.rfind("http://", 0) == 0;
  if (!web) return markdown_text(label) + " " + markdown_text(url);
  std::string target;
  for (const char c : to_valid_utf8(url)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= 0x20 || byte == 0x7f || c == '<' || c == '>' || c == '\\' || c == '"' || c == '`' || c == '|')
      target += fmt::format("%{:02X}", byte);
    else
      target += c;
  }
  return fmt::format("[{}](<{}>)", markdown_text(label), target);
}

}  // namespace relapse
