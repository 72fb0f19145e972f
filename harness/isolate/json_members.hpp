#pragma once

// Reads the members of one JSON object with checked types, and remembers the first thing that was wrong. Used
// by the readers of requests, protocol lines and control messages; knows none of them.

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace relapse {

class JsonMembers {
 public:
  /// `where` names the object in messages: `step.inputs[2]`; empty: the line itself.
  JsonMembers(const nlohmann::json& object, std::string where, std::string& why);

  bool ok() const { return why_.empty(); }
  const std::string& why() const { return why_; }

  /// The member must be there.
  template <class T>
  void need(const char* name, T& out) {
    if (const nlohmann::json* member = find(name, true)) take(name, *member, out);
  }
  /// The member may be left out; `out` then stays as it is.
  template <class T>
  void may(const char* name, T& out) {
    if (const nlohmann::json* member = find(name, false)) take(name, *member, out);
  }
  /// The member, or null when it is not there (an error if `required`).
  const nlohmann::json* find(const char* name, bool required);
  /// `step.inputs`: this object's name and the member's.
  std::string path(const char* name) const;
  /// Notes `path: expected X, got Y` unless something was wrong before.
  void wrong(const char* name, const char* expected, const nlohmann::json& got);

 private:
  void take(const char* name, const nlohmann::json& json, std::string& out);
  void take(const char* name, const nlohmann::json& json, bool& out);
  void take(const char* name, const nlohmann::json& json, double& out);  ///< also "nan", "inf", "-inf"
  void take(const char* name, const nlohmann::json& json, std::uint64_t& out);
  void take(const char* name, const nlohmann::json& json, std::int64_t& out);
  void take(const char* name, const nlohmann::json& json, int& out);
  void take(const char* name, const nlohmann::json& json, std::vector<std::string>& out);
  void take(const char* name, const nlohmann::json& json, std::vector<std::int64_t>& out);
  void take(const char* name, const nlohmann::json& json,
            std::vector<std::pair<std::string, std::string>>& out);

  const nlohmann::json& object_;
  std::string where_;
  std::string& why_;
};

/// Parses text of bounded nesting; nothing, with `why`, when it is no JSON object.
bool parse_object(std::string_view text, nlohmann::json& out, std::string& why);

/// Text for a line: numbers that are not finite become "nan", "inf" or "-inf", bytes that are not UTF-8
/// U+FFFD.
std::string dump_line(const nlohmann::json& json);

/// A list of `[name, value]`, as take() reads it; bytes that are not UTF-8 become U+FFFD.
nlohmann::json json_pairs(const std::vector<std::pair<std::string, std::string>>& list);

/// A number as it goes into JSON: not finite ones as text.
nlohmann::json json_number(double value);

}  // namespace relapse
