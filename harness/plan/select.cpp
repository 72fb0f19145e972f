#include <algorithm>
#include <harness/plan/select.hpp>
#include <harness/support/text.hpp>

namespace relapse {
namespace {

bool is_glob(std::string_view text) {
  return text.find_first_of("*?[") != std::string_view::npos;
}

std::string_view without_trailing_slash(std::string_view text) {
  while (text.size() > 1 && text.back() == '/') text.remove_suffix(1);
  return text;
}

std::string_view without_leading_dot(std::string_view path) {
  while (path.substr(0, 2) == "./") path.remove_prefix(2);
  return path == "." ? std::string_view() : path;
}

/// `folder` is `path` or a folder above it.
bool is_at_or_above(std::string_view folder, std::string_view path) {
  folder = without_trailing_slash(folder);
  if (folder.empty() || path == folder) return true;
  return path.size() > folder.size() && path.substr(0, folder.size()) == folder && path[folder.size()] == '/';
}

}  // namespace

Selector parse_selector(std::string_view word) {
  Selector selector;
  selector.word = std::string(word);
  const std::size_t at = word.find('@');
  selector.kase = std::string(word.substr(0, at));
  if (at == std::string_view::npos) return selector;
  const std::string_view rest = word.substr(at + 1);
  const std::size_t slash = rest.find('/');
  selector.device = std::string(rest.substr(0, slash));
  if (slash != std::string_view::npos) selector.check = std::string(rest.substr(slash + 1));
  return selector;
}

bool selects_case(const Selector& selector, std::string_view id, std::string_view path,
                  const std::vector<std::string>& labels) {
  const std::string_view wanted = selector.kase;
  if (wanted.empty()) return true;
  if (is_glob(wanted)) return glob_match(wanted, id);
  if (is_at_or_above(wanted, id)) return true;
  if (is_at_or_above(without_leading_dot(wanted), without_leading_dot(path))) return true;
  return std::find(labels.begin(), labels.end(), wanted) != labels.end();
}

bool selects_device(const Selector& selector, std::string_view device_kind) {
  return selector.device.empty() || glob_match(selector.device, device_kind);
}

bool selects_check(const Selector& selector, std::string_view check_name) {
  return selector.check.empty() || selector.check == check_name || glob_match(selector.check, check_name);
}

}  // namespace relapse
