#pragma once

// A tree as YAML text again, with the comments of the text that it was read from.

#include <harness/case/yaml_tree.hpp>
#include <map>
#include <optional>
#include <string>

namespace relapse {

struct Comment {
  std::string text;  ///< from the `#` on, without blanks at its end
  int column = 1;
  bool alone = false;  ///< nothing else stands on its line
};
/// By line.
using Comments = std::map<int, Comment>;

/// The comments of a text whose tree is `root`.
Comments find_comments(const SourceText& source, const YamlNode& root);

/// The lines of one entry of the top-level map: `key: value`. Comments of lines `from` to `to` (exclusive)
/// are written beside the values that they stand beside; nothing where that cannot be done, or where a text
/// spans lines.
std::optional<std::string> write_entry(const YamlNode& key, const YamlNode& value, const Comments& comments,
                                       int from, int to, int columns);

/// A text as plain as YAML allows.
std::string write_scalar(const YamlNode& scalar, bool in_flow);

}  // namespace relapse
