#include <harness/case/read_inputs.hpp>
#include <harness/case/read_leaves.hpp>
#include <harness/support/text.hpp>

namespace relapse {

namespace {

/// False for a name that cannot be given (reported).
bool expect_free_name(ReadContext& context, const YamlNode& key, const std::string& what, bool reserved) {
  if (!expect_plain_name(context, key, what)) return false;
  if (!reserved && !is_reserved_name(key.text)) return true;
  context.error(key, quoted(key.text) + " is reserved and cannot be the name of " + what);
  return false;
}

}  // namespace

void read_inputs(ReadContext& context, const YamlNode& node, const Where& where,
                 std::vector<NamedInput>& target) {
  if (!expect_map(context, node, where)) return;
  for (std::size_t i = 0; i < node.entries(); ++i) {
    const YamlNode& key = node.key(i);
    const bool good_name = expect_free_name(context, key, "an input", false);
    if (node.value(i).is_broken()) continue;
    NamedInput input;
    input.name = key.text;
    input.pos = key.pos;
    input.form = read_input_form(context, node.value(i), Where{&where, key.text});
    if (good_name) target.push_back(std::move(input));
  }
}

void read_dims(ReadContext& context, const YamlNode& node, const Where& where,
               std::vector<DimValue>& target) {
  if (!expect_map(context, node, where)) return;
  for (std::size_t i = 0; i < node.entries(); ++i) {
    const YamlNode& key = node.key(i);
    const bool good_name = expect_free_name(context, key, "a dim", is_reserved_for_dims(key.text));
    if (node.value(i).is_broken()) continue;
    const ExprPtr value = read_expression(context, node.value(i), Where{&where, key.text});
    if (good_name) target.push_back({key.text, value, key.pos});
  }
}

void read_dtypes(ReadContext& context, const YamlNode& node, const Where& where,
                 std::vector<DTypeValue>& target) {
  if (!expect_map(context, node, where)) return;
  for (std::size_t i = 0; i < node.entries(); ++i) {
    const YamlNode& key = node.key(i);
    const bool good_name = expect_free_name(context, key, "a dtype symbol", is_reserved_for_dims(key.text));
    const std::optional<std::size_t> choice =
        node.value(i).is_broken()
            ? std::nullopt
            : read_choice(context, node.value(i), Where{&where, key.text}, dtype_names());
    if (choice) note_input_dtype(context, static_cast<DType>(*choice), node.value(i).pos);
    if (good_name)
      target.push_back({key.text, choice ? static_cast<DType>(*choice) : DType::float32, key.pos});
  }
}

}  // namespace relapse
