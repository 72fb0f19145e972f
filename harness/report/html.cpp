#include <harness/report/html.hpp>
#include <harness/report/html_entity.hpp>
#include <harness/support/text.hpp>

namespace relapse {
namespace {

/// `sha256-...` of a part, as a content security policy names what may run.
std::string hash_of(std::string_view part) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::string hex = sha256_hex(part);
  const auto nibble = [](char c) { return static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10); };
  std::string out = "sha256-";
  unsigned bits = 0;
  int held = 0;
  for (const char c : hex) {
    bits = bits << 4 | nibble(c);
    held += 4;
    if (held >= 6) {
      held -= 6;
      out += kDigits[bits >> held & 63];
    }
  }
  if (held > 0) out += kDigits[bits << (6 - held) & 63];
  while ((out.size() - 7) % 4 != 0) out += '=';
  return out;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : to_valid_utf8(text)) {
    if (const std::string_view entity = html_entity(c); !entity.empty())
      out += entity;
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

std::string part_named(std::string_view name, const RunRecord& run) {
  if (name == "style") return std::string(kPageCss);
  if (name == "script") return std::string(kPageJs);
  if (name == "style_hash") return hash_of(kPageCss);
  if (name == "script_hash") return hash_of(kPageJs);
  if (name == "data") return page_data(run);
  if (name == "journal") return escaped(run.journal);
  return {};
}

}  // namespace

std::string html_report(const RunRecord& run) {
  // Places are `@{name}@`; what is put in is never looked at again.
  std::string out;
  std::string_view rest = kPageHtml;
  for (std::size_t open; (open = rest.find("@{")) != std::string_view::npos;) {
    const std::size_t close = rest.find("}@", open);
    if (close == std::string_view::npos) break;
    out += rest.substr(0, open);
    out += part_named(rest.substr(open + 2, close - open - 2), run);
    rest.remove_prefix(close + 2);
  }
  out += rest;
  return out;
}

}  // namespace relapse
