#include <fmt/format.h>

#include <algorithm>
#include <harness/case/read_context.hpp>
#include <harness/support/text.hpp>

namespace relapse {

std::string Where::text() const {
  std::string path = above == nullptr ? "" : above->text();
  if (!path.empty() && !key.empty()) path += '.';
  path += key;
  if (number > 0) path += fmt::format("-{}", number);
  return path;
}

std::string Where::in() const {
  const std::string path = text();
  return path.empty() ? "" : " in " + path;
}

void ReadContext::error(SourcePos pos, int length, std::string message, std::string hint) {
  Diagnostic diagnostic;
  diagnostic.file = file_;
  diagnostic.pos = pos;
  diagnostic.length = length;
  diagnostic.message = std::move(message);
  diagnostic.hint = std::move(hint);
  diagnostic.source_line = std::string(source_.line(pos.line));
  diagnostics_.push_back(std::move(diagnostic));
}

void ReadContext::expected(const YamlNode& node, const Where& where, const std::string& what,
                           std::string hint) {
  error(node, fmt::format("{}: expected {}, got {}", where.text(), what, got_text(node)), std::move(hint));
}

void ReadContext::unknown_word(const YamlNode& node, const Where& where,
                               const std::vector<std::string>& words) {
  const std::string near = node.is_scalar() ? did_you_mean(node.text, words) : "";
  error(node, fmt::format("{}: expected {}, got {}{}", where.text(), join_or(words), got_text(node), near));
}

std::vector<Diagnostic> ReadContext::take_diagnostics() {
  std::stable_sort(diagnostics_.begin(), diagnostics_.end(),
                   [](const Diagnostic& a, const Diagnostic& b) { return a.pos < b.pos; });
  // One mistake may be met on two ways, for example by every batch that uses the same clause.
  const auto same = [](const Diagnostic& a, const Diagnostic& b) {
    return a.pos == b.pos && a.message == b.message;
  };
  diagnostics_.erase(std::unique(diagnostics_.begin(), diagnostics_.end(), same), diagnostics_.end());
  return std::move(diagnostics_);
}

std::vector<Unsupported> ReadContext::take_unsupported() {
  std::stable_sort(unsupported_.begin(), unsupported_.end(),
                   [](const Unsupported& a, const Unsupported& b) { return a.pos < b.pos; });
  return std::move(unsupported_);
}

std::string got_text(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::nothing:
      return "nothing";
    case YamlNode::Kind::sequence:
      return "a list";
    case YamlNode::Kind::map:
      return "a map";
    default:
      return quoted(node.text, 60);
  }
}

bool expect_map(ReadContext& context, const YamlNode& node, const Where& where) {
  if (node.is_map()) return true;
  context.error(node,
                fmt::format("{}expected a map, got {}", where.text().empty() ? "" : where.text() + ": ",
                            got_text(node)),
                node.kind == YamlNode::Kind::nothing ? "write {} where nothing is to be said" : "");
  return false;
}

bool expect_sequence(ReadContext& context, const YamlNode& node, const Where& where) {
  if (!node.is_sequence()) context.expected(node, where, "a list");
  return node.is_sequence();
}

void report_unknown_key(ReadContext& context, const YamlNode& key, const Where& where,
                        const std::vector<std::string>& known) {
  context.error(key, fmt::format("unknown key {}{}{}", quoted(key.text, 60), where.in(),
                                 did_you_mean(key.text, known)));
}

void report_missing_key(ReadContext& context, const YamlNode& node, const Where& where,
                        std::string_view key) {
  context.error(node.pos, 1, fmt::format("the key \"{}\" is missing{}", key, where.in()));
}

}  // namespace relapse
