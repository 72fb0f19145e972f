#pragma once

// What every part of the reader shares: where mistakes go, the path of keys to a value, and tables of keys.

#include <array>
#include <harness/case/case.hpp>
#include <harness/case/lost_names.hpp>
#include <harness/case/reader.hpp>
#include <harness/case/source_text.hpp>
#include <harness/case/yaml_tree.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace relapse {

/// The path to a value as messages name it: `contract.requires.target.max`. Lives on the stack of the reader.
struct Where {
  const Where* above = nullptr;
  std::string_view key;
  int number = 0;  ///< of an item, from 1; 0: not an item

  std::string text() const;
  /// ` in failing`, or nothing at the top.
  std::string in() const;
};

/// Something that names a clause or a name elsewhere in the file, looked up when all of it was read.
struct Reference {
  enum class Kind : std::uint8_t {
    rejected,  ///< a clause of requires
    wrong,     ///< a clause of ensures or agrees
    breaks,    ///< likewise, or `expect` or `guard`
    result,    ///< a name under ensures, or another result
    required,  ///< a name under requires
    batch      ///< the name of a batch
  };
  Kind kind = Kind::result;
  std::string text;
  SourcePos pos;
  int length = 1;
  std::string where;
};

/// Ends reading from wherever it is: far more mistakes than anyone reads were found. Caught in read_case().
struct TooManyMistakes {};

class ReadContext {
 public:
  ReadContext(const SourceText& source, std::string file, const ReadLimits& limits)
      : source_(source), file_(std::move(file)), limits_(limits) {}

  void error(SourcePos pos, int length, std::string message, std::string hint = "");
  void error(const YamlNode& node, std::string message, std::string hint = "") {
    if (!node.is_broken()) error(node.pos, node.length, std::move(message), std::move(hint));
  }
  /// `failing.expect: expected a map, got "x"`.
  void expected(const YamlNode& node, const Where& where, const std::string& what, std::string hint = "");
  /// `failing.expect: expected one of a, b or c, got "x"; did you mean "a"?`.
  void unknown_word(const YamlNode& node, const Where& where, const std::vector<std::string>& words);

  /// Notes a scalar that names something else.
  void refer(Reference::Kind kind, const YamlNode& node, const Where& where) {
    if (node.is_scalar()) references_.push_back({kind, node.text, node.pos, node.length, where.text()});
  }
  const std::vector<Reference>& references() const { return references_; }

  /// What could not be read and may have bound names: errors that may stem from it are not told.
  LostNames& lost() { return lost_; }
  const LostNames& lost() const { return lost_; }

  /// Notes what this version reads but does not execute.
  void unsupported(std::string what, SourcePos pos) { unsupported_.push_back({std::move(what), pos}); }

  const SourceText& source() const { return source_; }
  const ReadLimits& limits() const { return limits_; }
  bool failed() const { return !diagnostics_.empty(); }

  /// In the order of the file, each once, and no more than the limit.
  std::vector<Diagnostic> take_diagnostics();
  std::vector<Unsupported> take_unsupported();

 private:
  const SourceText& source_;
  std::string file_;
  ReadLimits limits_;
  std::vector<Diagnostic> diagnostics_;
  std::vector<Unsupported> unsupported_;
  std::vector<Reference> references_;
  LostNames lost_;
  bool ended_early_ = false;
};

/// `a map`, `a list`, `nothing`, or the text in quotes.
std::string got_text(const YamlNode& node);

// ---- tables of keys ----

enum class Presence : bool { optional, needed };

/// What a key is called and takes; the editor schema is made from these.
struct KeyRow {
  std::string_view key;
  Presence presence = Presence::optional;
  std::string_view type;  ///< a name of the editor schema's definitions (schema.cpp)
  std::string_view doc;
};

/// One key of a level of the format and how it is read.
template <class Target>
struct Field {
  KeyRow row;
  void (*read)(ReadContext&, const YamlNode&, const Where&, Target&);
};

/// All keys of one level. `other_keys`: the type of keys that are not listed (names, dims); empty: they are
/// mistakes.
struct Level {
  std::string_view name;
  std::vector<KeyRow> rows;
  std::string_view other_keys;
};

template <class Target, std::size_t N>
Level level_of(std::string_view name, const std::array<Field<Target>, N>& fields,
               std::string_view other_keys = "") {
  Level level{name, {}, other_keys};
  for (const Field<Target>& field : fields) level.rows.push_back(field.row);
  return level;
}

/// Refuses what is no map; false then.
bool expect_map(ReadContext& context, const YamlNode& node, const Where& where);
bool expect_sequence(ReadContext& context, const YamlNode& node, const Where& where);
void report_unknown_key(ReadContext& context, const YamlNode& key, const Where& where,
                        const std::vector<std::string>& known);
void report_missing_key(ReadContext& context, const YamlNode& node, const Where& where, std::string_view key);

/// Reads a map by its table: each known key by its function, unknown and missing ones reported.
/// `other` gets the keys that are not in the table and says whether it took them.
template <class Target, std::size_t N, class Other>
void read_fields(ReadContext& context, const YamlNode& node, const Where& where,
                 const std::array<Field<Target>, N>& fields, Target& target, Other other) {
  if (!expect_map(context, node, where)) return;
  for (std::size_t i = 0; i < node.entries(); ++i) {
    const YamlNode& key = node.key(i);
    const Where inner{&where, key.text};
    bool known = false;
    for (const Field<Target>& field : fields) {
      if (field.row.key != key.text) continue;
      known = true;
      if (!node.value(i).is_broken()) field.read(context, node.value(i), inner, target);
      break;
    }
    if (known || other(key, node.value(i), inner)) continue;
    std::vector<std::string> names;
    for (const Field<Target>& field : fields) names.emplace_back(field.row.key);
    report_unknown_key(context, key, where, names);
  }
  for (const Field<Target>& field : fields) {
    if (field.row.presence == Presence::needed && node.find(field.row.key) == nullptr) {
      report_missing_key(context, node, where, field.row.key);
    }
  }
}

template <class Target, std::size_t N>
void read_fields(ReadContext& context, const YamlNode& node, const Where& where,
                 const std::array<Field<Target>, N>& fields, Target& target) {
  read_fields(context, node, where, fields, target,
              [](const YamlNode&, const YamlNode&, const Where&) { return false; });
}

}  // namespace relapse
