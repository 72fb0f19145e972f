#include <fmt/format.h>

#include <harness/case/yaml_writer.hpp>

namespace relapse {

namespace {

bool is_plain_safe(std::string_view text, bool in_flow) {
  if (text.empty() || text.front() == ' ' || text.back() == ' ') return false;
  constexpr std::string_view kIndicators = "!&*|>'\"#%@`{}[],";
  if (kIndicators.find(text.front()) != std::string_view::npos) return false;
  const bool dash_alone = text.size() == 1 || text[1] == ' ';
  if ((text.front() == '-' || text.front() == '?' || text.front() == ':') && dash_alone) return false;
  if (text.starts_with("---") || text.starts_with("...")) return false;
  if (text.back() == ':' || text.find(": ") != std::string_view::npos) return false;
  if (text.find(" #") != std::string_view::npos) return false;
  // YAML allows some colons within flow collections; its readers differ on which.
  if (in_flow && text.find_first_of(",[]{}:") != std::string_view::npos) return false;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20) return false;
  }
  return true;
}

/// What other YAML readers take for something else than text, as `"11.7"` and `"off"`: there quotes were put
/// on purpose.
bool reads_as_other(std::string_view text) {
  for (const char* word : {"true", "false", "null", "~", "yes", "no", "on", "off", ".nan", ".inf"}) {
    if (text == word) return true;
  }
  return text.find_first_not_of("0123456789.+-eExXabcdefABCDEF_:") == std::string_view::npos &&
         text.find_first_of("0123456789") != std::string_view::npos;
}

std::string double_quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string single_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') out += '\'';
    out += c;
  }
  return out + "'";
}

}  // namespace

std::string write_scalar(const YamlNode& scalar, bool in_flow) {
  const bool on_purpose = scalar.style == YamlNode::Style::quoted && reads_as_other(scalar.text);
  if (!on_purpose && is_plain_safe(scalar.text, in_flow)) return scalar.text;
  const bool control = scalar.text.find_first_of("\n\t") != std::string::npos;
  const bool escapes = scalar.text.find_first_of("\"\\") != std::string::npos;
  return escapes && !control ? single_quoted(scalar.text) : double_quoted(scalar.text);
}

}  // namespace relapse
