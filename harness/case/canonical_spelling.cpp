#include <array>
#include <harness/case/canonical_spelling.hpp>
#include <harness/case/expression.hpp>
#include <harness/case/schema.hpp>
#include <harness/support/text.hpp>

namespace relapse {

namespace {

void spell_expression(YamlNode& node) {
  if (!node.is_scalar()) return;
  const bool computed = node.text.starts_with("=");
  const auto expr = parse_expression(std::string_view(node.text).substr(computed ? 1 : 0));
  if (!expr) return;
  node.text = computed ? "=" : "";
  node.text += to_string(**expr);
}

void spell_step(YamlNode& node) {
  if (!node.is_scalar()) return;
  const auto step = parse_step(node.text);
  if (!step) return;
  const std::string targets = join(step->targets, ", ");
  node.text = targets.empty() ? to_string(*step->expr) : targets + " = " + to_string(*step->expr);
}

void spell_all(YamlNode& node, void (*spell)(YamlNode&)) {
  if (node.is_scalar()) return spell(node);
  const std::size_t step = node.is_map() ? 2 : 1;
  for (std::size_t i = step - 1; i < node.items.size(); i += step) spell_all(node.items[i], spell);
}

/// Goes along the types of the reader's tables (KeyRow::type).
class Speller {
 public:
  void spell(YamlNode& node, std::string_view type) {
    if (type == "expression" || type == "expressions" || type == "shapes" || type == "count" ||
        type == "dims" || type == "expression_or_nothing" || type == "batch_symbol") {
      return spell_all(node, spell_expression);
    }
    if (type == "reference" || type == "subject") return spell_steps(node);
    if (type == "unfixed") return spell_unfixed(node);
    if (type == "input" || type == "equals") return spell_input(node);
    if (type == "inputs") return spell_values(node, "input");
    if (type == "input_list") return spell_items(node, "input");
    if (type == "side") return spell_side(node);
    if (type == "failing") return spell_one_or_each(node, "failing_map");
    if (type == "corrected") return spell_one_or_each(node, "corrected_map");
    if (type == "batches") return spell_items(node, "batch");
    if (type == "mutants") return spell_items(node, "mutant");
    spell_level(node, type);
  }

 private:
  void spell_level(YamlNode& node, std::string_view name) {
    for (const Level& level : levels_) {
      if (level.name != name || !node.is_map()) continue;
      for (std::size_t i = 0; i < node.entries(); ++i)
        spell(node.items[2 * i + 1], type_of(level, node.key(i).text));
    }
  }

  static std::string_view type_of(const Level& level, std::string_view key) {
    for (const KeyRow& row : level.rows) {
      if (row.key == key) return row.type;
    }
    return level.other_keys;
  }

  static void spell_steps(YamlNode& node) {
    if (node.is_scalar()) spell_step(node);
    if (node.is_sequence()) spell_all(node, spell_step);
  }

  static void spell_unfixed(YamlNode& node) {
    if (node.is_sequence()) return spell_steps(node);
    for (const char* key : {"python", "command", "script", "package", "libraries", "none"}) {
      if (node.find(key) != nullptr) return;
    }
    spell_all(node, spell_expression);
  }

  /// Values of a list stay as they are written: they are numbers.
  void spell_input(YamlNode& node) {
    if (node.is_scalar()) spell_expression(node);
    if (node.is_map()) spell_level(node, "input_form");
  }

  void spell_side(YamlNode& node) {
    for (std::size_t i = 0; node.is_map() && i < node.entries(); ++i) {
      YamlNode& value = node.items[2 * i + 1];
      if (node.key(i).text == "where") {
        spell_all(value, spell_expression);
      } else if (node.key(i).text != "log") {
        spell_level(value, "clauses");
      }
    }
  }

  void spell_values(YamlNode& node, std::string_view type) {
    for (std::size_t i = 0; node.is_map() && i < node.entries(); ++i) spell(node.items[2 * i + 1], type);
  }
  void spell_items(YamlNode& node, std::string_view type) {
    if (!node.is_sequence()) return;
    for (YamlNode& item : node.items) type == "input" ? spell(item, type) : spell_level(item, type);
  }
  void spell_one_or_each(YamlNode& node, std::string_view level) {
    if (node.is_sequence()) return spell_items(node, level);
    spell_level(node, level);
  }

  std::vector<Level> levels_ = format_levels();
};

}  // namespace

void spell_expressions(YamlNode& root) {
  Speller speller;
  const Level top = format_levels().front();
  for (std::size_t i = 0; root.is_map() && i < root.entries(); ++i) {
    for (const KeyRow& row : top.rows) {
      if (row.key == root.key(i).text) speller.spell(root.items[2 * i + 1], row.type);
    }
  }
}

}  // namespace relapse
