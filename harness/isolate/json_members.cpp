#include <fmt/format.h>
#include <cmath>
#include <harness/isolate/json_members.hpp>
#include <harness/support/text.hpp>

namespace relapse {

using nlohmann::json;

namespace {

// Deeper nesting than any message has; bounds the recursion of those who walk the value.
constexpr int kMaxNesting = 64;

bool nests_too_deeply(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (in_string) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      if (++depth > kMaxNesting) return true;
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return false;
}

bool all_finite(const json& value) {
  if (value.is_number_float()) return std::isfinite(value.get<double>());
  if (value.is_structured()) {
    for (const json& item : value)
      if (!all_finite(item)) return false;
  }
  return true;
}

void make_finite(json& value) {
  if (value.is_number_float()) value = json_number(value.get<double>());
  if (value.is_structured()) {
    for (json& item : value) make_finite(item);
  }
}

}  // namespace

JsonMembers::JsonMembers(const json& object, std::string where, std::string& why)
    : object_(object), where_(std::move(where)), why_(why) {
  if (!object_.is_object() && why_.empty())
    why_ = fmt::format("{}: expected an object, got {}", where_, object_.type_name());
}

std::string JsonMembers::path(const char* name) const {
  return where_.empty() ? name : where_ + "." + name;
}

void JsonMembers::wrong(const char* name, const char* expected, const json& got) {
  if (why_.empty())
    why_ = fmt::format("{}: expected {}, got {}", path(name), expected, quoted(dump_line(got), 60));
}

const json* JsonMembers::find(const char* name, bool required) {
  if (!object_.is_object()) return nullptr;
  auto member = object_.find(name);
  if (member != object_.end()) return &*member;
  if (required && why_.empty()) why_ = fmt::format("member \"{}\" is missing", path(name));
  return nullptr;
}

void JsonMembers::take(const char* name, const json& value, std::string& out) {
  if (value.is_string())
    out = value.get_ref<const std::string&>();
  else
    wrong(name, "a string", value);
}

void JsonMembers::take(const char* name, const json& value, bool& out) {
  if (value.is_boolean())
    out = value.get<bool>();
  else
    wrong(name, "true or false", value);
}

void JsonMembers::take(const char* name, const json& value, double& out) {
  if (value.is_number()) {
    out = value.get<double>();
  } else if (value == "nan") {
    out = std::numeric_limits<double>::quiet_NaN();
  } else if (value == "inf" || value == "-inf") {
    out = value == "inf" ? HUGE_VAL : -HUGE_VAL;
  } else {
    wrong(name, "a number", value);
  }
}

void JsonMembers::take(const char* name, const json& value, std::uint64_t& out) {
  if (value.is_number_unsigned())
    out = value.get<std::uint64_t>();
  else
    wrong(name, "a whole number from 0", value);
}

void JsonMembers::take(const char* name, const json& value, std::int64_t& out) {
  bool fits = value.is_number_integer() &&
              (!value.is_number_unsigned() ||
               value.get<std::uint64_t>() <= std::uint64_t(std::numeric_limits<std::int64_t>::max()));
  if (fits)
    out = value.get<std::int64_t>();
  else
    wrong(name, "a whole number of 64 bits", value);
}

void JsonMembers::take(const char* name, const json& value, int& out) {
  std::int64_t wide = 0;
  bool was_ok = ok();
  take(name, value, wide);
  if (was_ok && !ok()) return;
  if (wide < std::numeric_limits<int>::min() || wide > std::numeric_limits<int>::max())
    wrong(name, "a whole number of 32 bits", value);
  else
    out = int(wide);
}

void JsonMembers::take(const char* name, const json& value, std::vector<std::string>& out) {
  out.clear();
  if (!value.is_array()) return wrong(name, "a list of strings", value);
  for (const json& item : value) {
    if (!item.is_string()) return wrong(name, "a list of strings", value);
    out.push_back(item.get<std::string>());
  }
}

void JsonMembers::take(const char* name, const json& value, std::vector<std::int64_t>& out) {
  out.clear();
  if (!value.is_array()) return wrong(name, "a list of whole numbers", value);
  for (const json& item : value) {
    std::int64_t number = 0;
    take(name, item, number);
    out.push_back(number);
  }
}

void JsonMembers::take(const char* name, const json& value,
                       std::vector<std::pair<std::string, std::string>>& out) {
  out.clear();
  const char* expected = "a list of [name, value]";
  if (!value.is_array()) return wrong(name, expected, value);
  for (const json& item : value) {
    if (!item.is_array() || item.size() != 2 || !item[0].is_string() || !item[1].is_string())
      return wrong(name, expected, value);
    out.emplace_back(item[0].get<std::string>(), item[1].get<std::string>());
  }
}

bool parse_object(std::string_view text, json& out, std::string& why) {
  if (nests_too_deeply(text)) {
    why = fmt::format("nested more than {} deep", kMaxNesting);
    return false;
  }
  try {
    out = json::parse(text);
  } catch (const json::parse_error& error) {
    why = fmt::format("not JSON (byte {}): {}", error.byte, quoted(text, 80));
    return false;
  }
  if (!out.is_object()) {
    why = fmt::format("expected a JSON object, got {}", quoted(text, 80));
    return false;
  }
  return true;
}

std::string dump_line(const json& value) {
  if (all_finite(value)) return value.dump(-1, ' ', false, json::error_handler_t::replace);
  json copy = value;
  make_finite(copy);
  return copy.dump(-1, ' ', false, json::error_handler_t::replace);
}

json json_number(double value) {
  if (std::isfinite(value)) return value;
  if (std::isnan(value)) return "nan";
  return value > 0 ? "inf" : "-inf";
}

json json_pairs(const std::vector<std::pair<std::string, std::string>>& list) {
  json out = json::array();
  for (const auto& [name, value] : list)
    out.push_back(json::array({to_valid_utf8(name), to_valid_utf8(value)}));
  return out;
}

}  // namespace relapse
