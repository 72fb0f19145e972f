#include <algorithm>
#include <harness/case/lost_names.hpp>
#include <harness/support/text.hpp>
#include <vector>

namespace relapse {

namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool is_name(std::string_view text) {
  return !text.empty() && !(text[0] >= '0' && text[0] <= '9') &&
         std::all_of(text.begin(), text.end(), is_word);
}

/// The names of `a, b = ...`, also of `a, b == ...`; empty where it does not start so.
std::vector<std::string> targets_of(std::string_view text) {
  const std::size_t end = text.find('=');
  if (end == std::string_view::npos) return {};
  std::vector<std::string> names;
  for (const std::string& part : split(text.substr(0, end), ',')) {
    const std::string_view name = trim(part);
    if (!is_name(name)) return {};
    names.emplace_back(name);
  }
  return names;
}

}  // namespace

void LostNames::add_step(std::string_view text, std::string_view source_line) {
  const std::vector<std::string> targets = targets_of(text);
  any_target_ = any_target_ || targets.empty();
  targets_.insert(targets.begin(), targets.end());
  add_expression(text);
  add_expression(source_line);
}

void LostNames::add_expression(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    if (end > at) words_.emplace(text.substr(at, end - at));
    at = end + 1;
  }
}

}  // namespace relapse
