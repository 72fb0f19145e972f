#include <algorithm>
#include <harness/operator/operator_table.hpp>
#include <harness/support/text.hpp>

namespace relapse {
namespace {

OperatorTable& table() {
  static OperatorTable instance;
  return instance;
}

}  // namespace

const OperatorTable& OperatorTable::installed() {
  OperatorTable& instance = table();
  if (instance.by_name_.empty()) instance.take();
  return instance;
}

void OperatorTable::refresh() {
  table().take();
}

void OperatorTable::take() {
  by_name_.clear();
  c10::Dispatcher& dispatcher = c10::Dispatcher::singleton();
  for (const c10::OperatorName& name : dispatcher.getAllOpNames()) {
    // One registered name of 2.14 (aten::hardshrink_) has no schema; findSchema passes such names over.
    if (const std::optional<c10::OperatorHandle> handle = dispatcher.findSchema(name)) {
      by_name_[name.name].push_back(*handle);
    }
  }
  for (auto& [name, handles] : by_name_) {
    std::sort(handles.begin(), handles.end(), [](const c10::OperatorHandle& a, const c10::OperatorHandle& b) {
      return a.operator_name().overload_name < b.operator_name().overload_name;
    });
  }
}

const std::vector<c10::OperatorHandle>& OperatorTable::overloads(const std::string& qualified_name) const {
  static const std::vector<c10::OperatorHandle> none;
  const auto found = by_name_.find(qualified_name);
  return found == by_name_.end() ? none : found->second;
}

std::vector<std::string> OperatorTable::nearest(std::string_view qualified_name) const {
  std::vector<std::string> names;
  names.reserve(by_name_.size());
  const std::size_t colons = qualified_name.find("::");
  const std::string_view space = qualified_name.substr(0, colons);
  for (const auto& [name, handles] : by_name_) {
    if (name.compare(0, space.size(), space) == 0) names.push_back(name.substr(space.size() + 2));
  }
  std::sort(names.begin(), names.end());
  const std::string_view base =
      colons == std::string_view::npos ? qualified_name : qualified_name.substr(colons + 2);
  if (const std::optional<std::string> name = nearest_name(base, names)) return {*name};
  return {};
}

}  // namespace relapse
