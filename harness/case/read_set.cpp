#include <charconv>
#include <harness/case/read_leaves.hpp>
#include <harness/case/read_set.hpp>
#include <harness/case/read_values.hpp>
#include <harness/support/text.hpp>

namespace relapse {

namespace {

bool read_part(std::string_view text, std::optional<std::int64_t>& target) {
  text = trim(text);
  if (text.empty()) return true;
  std::int64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  target = value;
  return read.ec == std::errc() && read.ptr == text.data() + text.size();
}

/// `3`, `-1`, `2:5`, `:`, `::2`.
std::optional<SetIndex> parse_index(std::string_view text) {
  SetIndex index;
  const std::vector<std::string> parts = split(text, ':');
  std::optional<std::int64_t> lone;
  bool good = parts.size() <= 3;
  if (parts.size() == 1) {
    good = read_part(parts[0], lone) && lone.has_value();
    index.index = lone.value_or(0);
  } else if (good) {
    index.is_slice = true;
    good = read_part(parts[0], index.start) && read_part(parts[1], index.stop);
    if (parts.size() == 3) good = good && read_part(parts[2], index.step) && index.step.value_or(1) > 0;
  }
  return good ? std::optional(index) : std::nullopt;
}

void read_at(ReadContext& context, const YamlNode& node, const Where& where, SetItem& item) {
  if (!expect_sequence(context, node, where)) return;
  for (const YamlNode& entry : node.items) {
    const std::optional<SetIndex> index = entry.is_scalar() ? parse_index(entry.text) : std::nullopt;
    if (index) {
      item.at.push_back(*index);
    } else {
      context.expected(entry, where, "an index or a slice such as \"2:5\"",
                       "a slice needs quotes in a flow list");
    }
  }
}

constexpr std::array<Field<SetItem>, 2> kFields = {{
    {{"at", Presence::needed, "indices", "an index or a slice for each dimension"}, read_at},
    {{"to", Presence::needed, "scalar", "the value"},
     [](auto& c, auto& n, auto& w, auto& item) {
       if (auto scalar = read_scalar(c, n, w)) item.to = std::move(*scalar);
     }},
}};

}  // namespace

void read_set(ReadContext& context, const YamlNode& node, const Where& where, std::vector<SetItem>& target) {
  if (!expect_sequence(context, node, where)) return;
  for (const YamlNode& entry : node.items) {
    SetItem item;
    item.pos = entry.pos;
    read_fields(context, entry, where, kFields, item);
    target.push_back(std::move(item));
  }
}

Level set_item_level() {
  return level_of("set_item", kFields);
}

}  // namespace relapse
