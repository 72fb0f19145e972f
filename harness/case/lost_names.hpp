#pragma once

// What parts of a file that could not be read may have bound or read, so that no mistake is told twice. Does
// not parse: it looks for names in the text.

#include <set>
#include <string>
#include <string_view>

namespace relapse {

class LostNames {
 public:
  /// A step that could not be read. Its targets before the first `=` count as bound; where there are none,
  /// the step may have bound anything. `source_line`: the whole line, when the step was cut short.
  void add_step(std::string_view text, std::string_view source_line);
  /// An expression that could not be read: it binds nothing, but may have read what it names.
  void add_expression(std::string_view text);
  /// A name whose value could not be read.
  void add_name(std::string_view name) { targets_.emplace(name); }
  /// A whole part that could not be read: it may have bound or read anything.
  void add_everything() { all_ = true; }

  bool may_bind(std::string_view name) const { return all_ || any_target_ || targets_.count(name) > 0; }
  bool may_read(std::string_view name) const { return all_ || words_.count(name) > 0; }
  /// Whether a step that calls this built-in function may be among them.
  bool may_call(std::string_view builtin) const { return may_read(builtin); }

 private:
  std::set<std::string, std::less<>> targets_;
  std::set<std::string, std::less<>> words_;
  bool any_target_ = false;
  bool all_ = false;
};

}  // namespace relapse
