#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <harness/case/yaml_pieces.hpp>
#include <harness/case/yaml_tree.hpp>
#include <harness/support/text.hpp>
#include <optional>
#include <sstream>
#include <unordered_set>

namespace relapse {

namespace {

/// Ends yaml-cpp's parsing from within an event; everything was reported already.
struct StopReading {};

class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(const SourceText& source, std::size_t shift, const ReadLimits& limits,
              const ReportMistake& report)
      : source_(source), shift_(shift), limits_(limits), report_(report) {}

  std::unique_ptr<YamlNode> take_root() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (!documents_++) return;
    report_(pos(mark), 1, "a second document starts here: a case is one document", "");
    throw StopReading();
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse_anchor(mark, anchor);
    YamlNode node = start(mark, YamlNode::Kind::nothing);
    // yaml-cpp calls the word `null` and the sign `~` nothing; in a case every scalar is text first.
    const std::string_view rest = source_.text().substr(std::min(node.offset, source_.text().size()));
    for (const std::string_view word : {"null", "Null", "NULL", "~"}) {
      const bool written = rest.substr(0, word.size()) == word && ends_plain(rest.substr(word.size()));
      if (written) set_scalar(node, std::string(word), YamlNode::Style::plain);
    }
    place(std::move(node));
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    report_(pos(mark), 1, "aliases (*name) are not part of the format: write the value again", "");
    place(start(mark, YamlNode::Kind::broken));
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_anchor(mark, anchor);
    refuse_tag(mark, tag);
    YamlNode node = start(mark, YamlNode::Kind::scalar);
    skip_properties(node);
    const char first = node.offset < source_.text().size() ? source_.text()[node.offset] : '\0';
    const bool quoted_style = tag != "?" && (first == '"' || first == '\'');
    const bool block_style = tag != "?" && (first == '|' || first == '>');
    set_scalar(node, value,
               quoted_style  ? YamlNode::Style::quoted
               : block_style ? YamlNode::Style::block
                             : YamlNode::Style::plain);
    place(std::move(node));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override {
    open(mark, tag, anchor, YamlNode::Kind::sequence, style == YAML::EmitterStyle::Flow);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override {
    open(mark, tag, anchor, YamlNode::Kind::map, style == YAML::EmitterStyle::Flow);
  }
  void OnMapEnd() override { close(); }

 private:
  std::size_t offset(const YAML::Mark& mark) const {
    return static_cast<std::size_t>(std::max(0, mark.pos)) + shift_;
  }
  SourcePos pos(const YAML::Mark& mark) const { return source_.pos_at(offset(mark)); }

  static bool ends_plain(std::string_view rest) {
    return rest.empty() || rest[0] == '\n' || rest[0] == '\r' || rest[0] == ' ' || rest[0] == ',' ||
           rest[0] == '}' || rest[0] == ']';
  }

  YamlNode start(const YAML::Mark& mark, YamlNode::Kind kind) {
    if (++nodes_ > limits_.nodes) {
      report_(pos(mark), 1,
              fmt::format("the file has more than {} values",
                          with_thousands(static_cast<std::int64_t>(limits_.nodes))),
              "keep large data in a .safetensors or .npy file beside the case");
      throw StopReading();
    }
    YamlNode node;
    node.kind = kind;
    node.offset = offset(mark);
    node.pos = source_.pos_at(node.offset);
    node.in_flow = !stack_.empty() && (stack_.back().flow_style || stack_.back().in_flow);
    return node;
  }

  void set_scalar(YamlNode& node, std::string text, YamlNode::Style style) {
    node.kind = YamlNode::Kind::scalar;
    node.style = style;
    node.text = std::move(text);
    node.end = scalar_end(source_.text(), node);
    if (style == YamlNode::Style::quoted && node.end == std::string::npos) {
      report_(node.pos, 1, "nothing closes this quote", "");
      throw StopReading();
    }
    const std::string_view written = source_.text().substr(node.offset, node.end - node.offset);
    node.length = std::max(1, count_code_points(written.substr(0, written.find('\n'))));
  }

  /// An anchor or tag stands before the value that the mark names.
  void skip_properties(YamlNode& node) const {
    const std::string_view text = source_.text();
    std::size_t at = node.offset;
    while (at < text.size() && (text[at] == '&' || text[at] == '!')) {
      while (at < text.size() && text[at] != ' ' && text[at] != '\n') ++at;
      while (at < text.size() && (text[at] == ' ' || text[at] == '\n')) ++at;
    }
    node.offset = at;
  }

  void refuse_anchor(const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (anchor != 0) report_(pos(mark), 1, "anchors (&name) are not part of the format", "");
  }

  void refuse_tag(const YAML::Mark& mark, const std::string& tag) {
    const std::size_t at = offset(mark);
    const bool written =
        at < source_.text().size() && (source_.text()[at] == '!' || source_.text()[at] == '&');
    if (tag.empty() || tag == "?" || (tag == "!" && !written)) return;
    if (written && source_.text()[at] == '&' && tag == "!") return;
    report_(pos(mark), 1, "tags (!name) are not part of the format", "");
  }

  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, YamlNode::Kind kind,
            bool flow) {
    refuse_anchor(mark, anchor);
    refuse_tag(mark, tag);
    YamlNode node = start(mark, kind);
    node.flow_style = flow;
    if (static_cast<int>(stack_.size()) >= limits_.depth) {
      report_(node.pos, 1, fmt::format("the file is nested deeper than {}", limits_.depth), "");
      throw StopReading();
    }
    stack_.push_back(std::move(node));
  }

  void close() {
    YamlNode node = std::move(stack_.back());
    stack_.pop_back();
    if (node.flow_style) node.end = flow_end(source_.text(), node.offset);
    if (node.in_flow || node.flow_style) report_split_pieces(node, report_);
    if (node.is_map()) check_keys(node);
    place(std::move(node));
  }

  void check_keys(YamlNode& map) {
    std::unordered_set<std::string_view> seen;
    std::vector<YamlNode> kept;
    bool dropped = false;
    for (std::size_t i = 0; i < map.entries(); ++i) {
      const YamlNode& key = map.key(i);
      if (key.is_broken()) {
        dropped = true;
      } else if (!key.is_scalar()) {
        report_(key.pos, 1, "expected a name as key, got " + std::string(key.is_map() ? "a map" : "a list"),
                key.in_flow ? "a text that starts with a bracket needs quotes" : "");
        dropped = true;
      } else if (!seen.insert(key.text).second) {
        int first = 0;
        for (std::size_t j = 0; j < i && first == 0; ++j)
          first = map.key(j).text == key.text ? map.key(j).pos.line : 0;
        report_(key.pos, key.length, fmt::format("the key {} is written twice", quoted(key.text, 60)),
                fmt::format("the first is in line {}", first));
        dropped = true;
      } else {
        continue;
      }
      map.items[2 * i].kind = YamlNode::Kind::broken;
    }
    if (!dropped) return;
    for (std::size_t i = 0; i < map.entries(); ++i) {
      if (map.key(i).is_broken()) continue;
      kept.push_back(std::move(map.items[2 * i]));
      kept.push_back(std::move(map.items[2 * i + 1]));
    }
    map.items = std::move(kept);
  }

  void place(YamlNode node) {
    const bool is_value = !stack_.empty() && stack_.back().is_map() && stack_.back().items.size() % 2 == 1;
    if (node.kind == YamlNode::Kind::nothing && is_value) {
      // yaml-cpp places an empty value at whatever follows it; the key is where the reader of a message
      // looks.
      const YamlNode& key = stack_.back().items.back();
      node.pos = key.pos;
      node.length = key.length;
    }
    const bool is_key = !stack_.empty() && stack_.back().is_map() && !is_value;
    if (is_key && ++keys_ > limits_.keys) {
      report_(node.pos, 1,
              fmt::format("the file has more than {} keys",
                          with_thousands(static_cast<std::int64_t>(limits_.keys))),
              "");
      throw StopReading();
    }
    if (stack_.empty()) {
      root_ = std::make_unique<YamlNode>(std::move(node));
    } else {
      stack_.back().items.push_back(std::move(node));
    }
  }

  const SourceText& source_;
  std::size_t shift_;  ///< bytes of a byte order mark, which yaml-cpp does not count
  const ReadLimits& limits_;
  const ReportMistake& report_;
  int documents_ = 0;
  std::size_t nodes_ = 0;
  std::size_t keys_ = 0;
  std::vector<YamlNode> stack_;
  std::unique_ptr<YamlNode> root_;
};

/// yaml-cpp's words, and what most likely led to them.
void report_syntax_error(const YAML::Exception& error, const SourceText& source, std::size_t shift,
                         const ReportMistake& report) {
  struct Row {
    std::string_view theirs, message, hint;
  };
  constexpr std::string_view kQuotes =
      "an expression with a comma, `: ` or a bracket in a flow map needs quotes";
  const Row rows[] = {
      {"end of map flow not found", "expected a comma or } here", kQuotes},
      {"end of sequence flow not found", "expected a comma or ] here", kQuotes},
      {"illegal map value", "a `: ` cannot stand here",
       "a text with `: ` in it needs quotes; keys of a map line up"},
      {"illegal flow end", "nothing opens this bracket", kQuotes},
      {"end of map not found", "expected a key of the map, or the end of the text before",
       "keys of a map line up"},
      {"end of sequence not found", "expected the next `- ` of the list", "items of a list line up"},
      {"illegal block entry", "a list cannot start here", "`- ` starts an item on a line of its own"},
      {"unknown token", "a text cannot start with this character", "put the text in quotes"},
      {"illegal tab when looking for indentation", "a tab cannot indent", "indent with blanks"},
      {"the referenced anchor is not defined", "aliases (*name) are not part of the format",
       "a text with * needs quotes"},
      {"bad file", "the file is nested too deep", ""},
  };
  std::string message = error.msg, hint;
  for (const Row& row : rows) {
    if (error.msg != row.theirs) continue;
    message = row.message;
    hint = row.hint;
  }
  const auto offset = static_cast<std::size_t>(std::max(0, error.mark.pos)) + shift;
  report(source.pos_at(offset), 1, "YAML syntax: " + message, hint);
}

/// Where more brackets open in a row than any case nests. yaml-cpp looks ahead through all of them, at
/// hundreds of bytes each, before it tells of the first.
std::optional<std::size_t> endless_brackets(std::string_view text) {
  constexpr int kMostInARow = 1000;
  int row = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '[' || text[at] == '{') {
      if (++row > kMostInARow) return at;
    } else if (text[at] != ' ' && text[at] != '\n') {
      row = 0;
    }
  }
  return std::nullopt;
}

}  // namespace

const YamlNode* YamlNode::find(std::string_view key) const {
  for (std::size_t i = 0; is_map() && i < entries(); ++i) {
    if (this->key(i).text == key) return &value(i);
  }
  return nullptr;
}

std::unique_ptr<YamlNode> read_yaml(const SourceText& source, const ReadLimits& limits,
                                    const ReportMistake& report) {
  const std::size_t shift = source.text().starts_with("\xEF\xBB\xBF") ? 3 : 0;
  if (const std::optional<std::size_t> at = endless_brackets(source.text())) {
    report(source.pos_at(*at), 1, fmt::format("the file is nested deeper than {}", limits.depth), "");
    return nullptr;
  }
  TreeBuilder builder(source, shift, limits, report);
  try {
    std::istringstream stream{std::string(source.text())};
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const StopReading&) {
    return nullptr;
  } catch (const YAML::Exception& error) {
    report_syntax_error(error, source, shift, report);
    return nullptr;
  }
  std::unique_ptr<YamlNode> root = builder.take_root();
  if (root == nullptr || root->kind == YamlNode::Kind::nothing) {
    report({1, 1}, 1, "the file is empty: a case starts with `relapse: 1`", "");
    return nullptr;
  }
  return root;
}

}  // namespace relapse
