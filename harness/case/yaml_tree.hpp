#pragma once

// YAML text as a tree of texts with positions: every scalar is text, quotes carry no meaning, and what the
// format does not have (anchors, aliases, tags, duplicate keys, a second document) is reported here. The only
// door to yaml-cpp.

#include <cstdint>
#include <functional>
#include <harness/case/expression.hpp>
#include <harness/case/reader.hpp>
#include <harness/case/source_text.hpp>
#include <memory>
#include <string>
#include <vector>

namespace relapse {

struct YamlNode {
  enum class Kind : std::uint8_t {
    nothing,  ///< an empty value
    scalar,
    sequence,
    map,
    broken  ///< reported already; whoever meets it says nothing
  };
  enum class Style : std::uint8_t { plain, quoted, block };  ///< of a scalar

  Kind kind = Kind::nothing;
  Style style = Style::plain;
  bool in_flow = false;     ///< lies within [] or {}
  bool flow_style = false;  ///< is itself written with [] or {}
  std::size_t offset = 0;   ///< of its first byte
  std::size_t end = 0;      ///< behind the last byte of a scalar or flow collection; else 0
  SourcePos pos;
  int length = 1;  ///< code points on its first line, with quotes
  std::string text;
  std::vector<YamlNode> items;  ///< of a sequence; of a map its keys and values in turn

  bool is_scalar() const { return kind == Kind::scalar; }
  bool is_sequence() const { return kind == Kind::sequence; }
  bool is_map() const { return kind == Kind::map; }
  bool is_broken() const { return kind == Kind::broken; }

  std::size_t entries() const { return items.size() / 2; }
  const YamlNode& key(std::size_t i) const { return items[2 * i]; }
  const YamlNode& value(std::size_t i) const { return items[2 * i + 1]; }
  /// The value of a key of a map; null where there is none.
  const YamlNode* find(std::string_view key) const;
};

/// Called for each mistake: position, underlined length, message, hint.
using ReportMistake = std::function<void(SourcePos, int, std::string, std::string)>;

/// The root of the only document, or null where there is none (reported). A syntax error ends reading.
std::unique_ptr<YamlNode> read_yaml(const SourceText& source, const ReadLimits& limits,
                                    const ReportMistake& report);

/// Where each code point of a scalar lies, through quotes, escapes and folded lines.
TextOrigin text_origin(const SourceText& source, const YamlNode& scalar);

/// A node on one line, as it may be written: for messages and Clause::text.
std::string flow_text(const YamlNode& node);

}  // namespace relapse
