#include <algorithm>
#include <array>
#include <harness/case/canonical_spelling.hpp>
#include <harness/case/lint.hpp>
#include <harness/case/read_case.hpp>
#include <harness/case/yaml_writer.hpp>
#include <harness/support/text.hpp>

namespace relapse {

namespace {

/// One entry of the top-level map: its lines in the file, with the comments right above it.
struct Section {
  std::string key;
  int first = 0;  ///< line of its first comment or of its key
  int end = 0;    ///< line behind its last
  int rank = 0;   ///< position in the canonical order
  std::string text;
};

/// Keys that stand together; a blank line separates the groups.
int group_of(std::string_view key) {
  constexpr std::array<std::string_view, 8> kHead = {"relapse",   "title", "incident", "labels",
                                                     "libraries", "dims",  "dtypes",   "inputs"};
  constexpr std::array<std::string_view, 3> kTail = {"needs", "limits", "run"};
  if (std::find(kHead.begin(), kHead.end(), key) != kHead.end()) return -1;
  if (std::find(kTail.begin(), kTail.end(), key) != kTail.end()) return -2;
  return 0;
}

bool starts_comment(std::string_view line) {
  return line.starts_with("#");
}

std::vector<Section> split_sections(const SourceText& source, const YamlNode& root, int lines) {
  std::vector<Section> sections;
  const std::vector<KeyRow> order = case_level().rows;
  for (std::size_t i = 0; i < root.entries(); ++i) {
    Section section;
    section.key = root.key(i).text;
    section.first = root.key(i).pos.line;
    // Comments right above a key belong to it, but not the head of the file, which a blank line sets off.
    while (section.first > 1 && starts_comment(source.line(section.first - 1))) --section.first;
    const auto row =
        std::find_if(order.begin(), order.end(), [&](const KeyRow& r) { return r.key == section.key; });
    section.rank = static_cast<int>(row - order.begin());
    if (!sections.empty()) sections.back().end = section.first;
    sections.push_back(std::move(section));
  }
  if (!sections.empty()) sections.back().end = lines + 1;
  return sections;
}

/// Lines as they are, without blank ones at their ends.
std::string raw_lines(const SourceText& source, int first, int end) {
  std::string text;
  for (int line = first; line < end; ++line) {
    std::string_view one = source.line(line);
    while (!one.empty() && (one.back() == ' ' || one.back() == '\t')) one.remove_suffix(1);
    text += std::string(one) + "\n";
  }
  while (text.ends_with("\n\n") || text == "\n") text.pop_back();
  while (text.starts_with("\n")) text.erase(0, 1);
  return text;
}

/// A text that goes on over several lines was laid out on purpose, so its section stays as it is.
bool has_long_text(const YamlNode& node, const SourceText& source) {
  if (node.is_scalar()) {
    if (node.style == YamlNode::Style::block) return true;
    const std::string_view written = source.text().substr(node.offset, node.end - node.offset);
    return written.find('\n') != std::string_view::npos;
  }
  return std::any_of(node.items.begin(), node.items.end(),
                     [&](const YamlNode& item) { return has_long_text(item, source); });
}

bool same_tree(const YamlNode& a, const YamlNode& b) {
  if (a.kind != b.kind || a.text != b.text || a.items.size() != b.items.size()) return false;
  return std::equal(a.items.begin(), a.items.end(), b.items.begin(), same_tree);
}

/// The same entries with the same values, in whatever order.
bool same_case_tree(const YamlNode& a, const YamlNode& b) {
  if (!a.is_map() || !b.is_map() || a.items.size() != b.items.size()) return false;
  for (std::size_t i = 0; i < a.entries(); ++i) {
    const YamlNode* other = b.find(a.key(i).text);
    if (other == nullptr || !same_tree(a.value(i), *other)) return false;
  }
  return true;
}

std::unique_ptr<YamlNode> tree_of(const SourceText& source) {
  bool good = true;
  auto root = read_yaml(source, ReadLimits{},
                        [&](SourcePos, int, const std::string&, const std::string&) { good = false; });
  return good ? std::move(root) : nullptr;
}

std::string assemble(const std::string& head, std::vector<Section> sections) {
  std::stable_sort(sections.begin(), sections.end(),
                   [](const Section& a, const Section& b) { return a.rank < b.rank; });
  std::string text = head.empty() ? "" : head + "\n";
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const int group = group_of(sections[i].key);
    const bool together = i > 0 && group != 0 && group == group_of(sections[i - 1].key);
    if (i > 0 && !together) text += "\n";
    text += sections[i].text;
  }
  return text;
}

}  // namespace

std::string canonical_text(std::string_view yaml_text, const Case&) {
  const std::string original(yaml_text);
  const SourceText source(yaml_text);
  const std::unique_ptr<YamlNode> root = tree_of(source);
  if (root == nullptr || !root->is_map() || root->flow_style || root->entries() == 0) return original;
  const Comments comments = find_comments(source, *root);
  const int lines = source.pos_at(yaml_text.size()).line;
  std::vector<Section> sections = split_sections(source, *root, lines);

  YamlNode spelled = *root;
  spell_expressions(spelled);
  for (std::size_t i = 0; i < sections.size(); ++i) {
    Section& section = sections[i];
    std::optional<std::string> text;
    if (!has_long_text(root->value(i), source)) {
      text = write_entry(spelled.key(i), spelled.value(i), comments, section.first, section.end,
                         kCanonicalColumns);
    }
    if (!text) {
      // Its comments or its lines cannot be kept otherwise; the expressions in it stay as they are as well.
      text = raw_lines(source, section.first, section.end);
      spelled.items[2 * i + 1] = root->value(i);
    }
    section.text = std::move(*text);
  }
  const std::string head = raw_lines(source, 1, sections.front().first);
  std::string canonical = assemble(head, std::move(sections));

  // A mistake of this file must never change a case: what does not read back as the same tree is not written.
  const SourceText written(canonical);
  const std::unique_ptr<YamlNode> again = tree_of(written);
  return again != nullptr && same_case_tree(spelled, *again) ? canonical : original;
}

}  // namespace relapse
