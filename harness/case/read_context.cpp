#include <fmt/format.h>

#include <algorithm>
#include <harness/case/read_context.hpp>
#include <harness/support/text.hpp>

namespace relapse {

namespace {
constexpr std::size_t kLongestKey = 100;  ///< in a message
}

std::string Where::text() const {
  std::string path = above == nullptr ? "" : above->text();
  if (!path.empty() && !key.empty()) path += '.';
  path += key.substr(0, kLongestKey);
  if (key.size() > kLongestKey) path += "...";
  if (number > 0) path += fmt::format("-{}", number);
  return path;
}

std::string Where::in() const {
  const std::string path = text();
  return path.empty() ? "" : " in " + path;
}

namespace {

/// So many times the limit are collected before reading ends: what is told are the first of the file.
constexpr std::size_t kCollected = 5;

/// A longer line is not shown, and a hundred copies of a line of megabytes would be kept for nothing.
constexpr std::size_t kLongestShownLine = 1000;

}  // namespace

void ReadContext::error(SourcePos pos, int length, std::string message, std::string hint) {
  Diagnostic diagnostic;
  diagnostic.file = file_;
  diagnostic.pos = pos;
  diagnostic.length = length;
  diagnostic.message = std::move(message);
  diagnostic.hint = std::move(hint);
  diagnostics_.push_back(std::move(diagnostic));
  if (diagnostics_.size() <= kCollected * limits_.mistakes) return;
  ended_early_ = true;
  throw TooManyMistakes();
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
  if (diagnostics_.size() > limits_.mistakes) {
    const std::size_t more = diagnostics_.size() - limits_.mistakes;
    diagnostics_.resize(limits_.mistakes);
    Diagnostic rest;
    rest.file = file_;
    rest.message = fmt::format("{}{} more mistakes are not shown", ended_early_ ? "at least " : "", more);
    diagnostics_.push_back(std::move(rest));
  }
  for (Diagnostic& diagnostic : diagnostics_) {
    const std::string_view line = source_.line(diagnostic.pos.line);
    if (line.size() <= kLongestShownLine) diagnostic.source_line = std::string(line);
  }
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
