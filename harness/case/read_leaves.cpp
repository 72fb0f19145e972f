#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <harness/case/read_leaves.hpp>
#include <harness/support/text.hpp>

namespace relapse {

namespace {

template <class T>
std::optional<T> whole_number(std::string_view text, int base = 10) {
  T value{};
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> real_number(std::string_view text) {
  double value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

/// The column of ` #` behind an unquoted text on its last line, where YAML took the rest for a comment.
std::optional<std::size_t> comment_behind(const SourceText& source, const YamlNode& node) {
  if (node.style != YamlNode::Style::plain || node.end == 0) return std::nullopt;
  const std::string_view text = source.text();
  std::size_t at = node.end;
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
  if (at > node.end && at < text.size() && text[at] == '#') return at;
  return std::nullopt;
}

/// The origin of a text without its first `skip` (ASCII) characters.
TextOrigin origin_behind(TextOrigin origin, int skip) {
  origin.start.column += skip;
  const auto drop = std::min<std::size_t>(origin.table.size(), static_cast<std::size_t>(skip));
  origin.table.erase(origin.table.begin(), origin.table.begin() + static_cast<std::ptrdiff_t>(drop));
  return origin;
}

void report_expression(ReadContext& context, const YamlNode& node, const Where& where, const ExprError& error,
                       const TextOrigin& origin) {
  context.lost().add_expression(node.text);
  std::string hint = error.hint;
  const bool cut_by_flow = node.in_flow && node.style == YamlNode::Style::plain;
  if (cut_by_flow && hint.starts_with("nothing closes")) {
    hint += ": an expression with a comma, `: ` or a bracket in a flow map needs quotes";
  }
  context.error(origin.at(error.column), error.length, where.text() + ": " + error.message, std::move(hint));
}

}  // namespace

std::optional<std::string> read_text(ReadContext& context, const YamlNode& node, const Where& where) {
  if (node.is_scalar() && !node.text.empty()) return node.text;
  context.expected(
      node, where, "text",
      node.in_flow && (node.is_map() || node.is_sequence()) ? "a text with a bracket needs quotes" : "");
  return std::nullopt;
}

void read_prose(ReadContext& context, const YamlNode& node, const Where& where, std::string& target) {
  const std::optional<std::string> text = read_text(context, node, where);
  if (!text) return;
  if (const std::optional<std::size_t> at = comment_behind(context.source(), node)) {
    context.error(context.source().pos_at(*at), 1,
                  fmt::format("{}: the text ends here, because ` #` starts a comment", where.text()),
                  "put the text in quotes");
  }
  target = *text;
}

void read_texts(ReadContext& context, const YamlNode& node, const Where& where,
                std::vector<std::string>& target) {
  if (node.is_sequence()) return read_text_list(context, node, where, target);
  if (std::optional<std::string> text = read_text(context, node, where)) target = {*text};
}

void read_text_list(ReadContext& context, const YamlNode& node, const Where& where,
                    std::vector<std::string>& target) {
  if (!expect_sequence(context, node, where)) return;
  target.clear();
  for (const YamlNode& item : node.items) {
    if (item.is_broken()) continue;
    if (std::optional<std::string> text = read_text(context, item, where)) target.push_back(*text);
  }
}

std::optional<bool> read_bool(ReadContext& context, const YamlNode& node, const Where& where) {
  if (node.is_scalar() && node.text == "true") return true;
  if (node.is_scalar() && node.text == "false") return false;
  context.unknown_word(node, where, {"true", "false"});
  return std::nullopt;
}

std::optional<std::int64_t> read_integer(ReadContext& context, const YamlNode& node, const Where& where,
                                         std::int64_t lowest) {
  const std::optional<std::int64_t> value =
      node.is_scalar() ? whole_number<std::int64_t>(node.text) : std::nullopt;
  if (value && *value >= lowest) return value;
  context.expected(node, where,
                   lowest > -1 ? fmt::format("an integer of at least {}", lowest) : "an integer");
  return std::nullopt;
}

std::optional<std::uint64_t> read_seed(ReadContext& context, const YamlNode& node, const Where& where) {
  const std::optional<std::uint64_t> value =
      node.is_scalar() ? whole_number<std::uint64_t>(node.text) : std::nullopt;
  if (!value) context.expected(node, where, "a seed from 0 to 18446744073709551615");
  return value;
}

std::optional<double> read_tolerance(ReadContext& context, const YamlNode& node, const Where& where) {
  const std::optional<double> value = node.is_scalar() ? real_number(node.text) : std::nullopt;
  if (value && *value >= 0 && std::isfinite(*value)) return value;
  context.expected(node, where, "a number of at least 0");
  return std::nullopt;
}

std::optional<std::uint64_t> read_size(ReadContext& context, const YamlNode& node, const Where& where) {
  constexpr std::array<std::pair<std::string_view, int>, 9> kUnits = {{{"KiB", 10},
                                                                       {"MiB", 20},
                                                                       {"GiB", 30},
                                                                       {"TiB", 40},
                                                                       {"K", -1},
                                                                       {"kB", -1},
                                                                       {"MB", -1},
                                                                       {"GB", -1},
                                                                       {"B", 0}}};
  const std::string hint = "units are B, KiB, MiB, GiB and TiB";
  if (node.is_scalar()) {
    std::string_view number = node.text;
    int shift = 0;
    for (const auto& [unit, bits] : kUnits) {
      if (!number.ends_with(unit)) continue;
      number.remove_suffix(unit.size());
      shift = bits;
      break;
    }
    const std::optional<double> value = shift >= 0 ? real_number(trim(number)) : std::nullopt;
    const double bytes = value ? std::ldexp(*value, shift) : -1;
    if (bytes >= 0 && bytes < std::ldexp(1.0, 63)) return static_cast<std::uint64_t>(bytes);
  }
  context.expected(node, where, "a size such as 6GiB", hint);
  return std::nullopt;
}

void read_version_range(ReadContext& context, const YamlNode& node, const Where& where,
                        VersionRange& target) {
  const std::optional<std::string> text = read_text(context, node, where);
  if (!text) return;
  VersionRange range;
  range.text = *text;
  for (const std::string& part : split(*text, ',')) {
    const std::string_view bound = trim(part);
    VersionRange::Bound read;
    for (const std::string_view op : {">=", "<=", "==", "!=", ">", "<"}) {
      if (read.op.empty() && bound.starts_with(op)) read.op = op;
    }
    bool good = !read.op.empty();
    if (good) {
      for (const std::string& number : split(trim(bound.substr(read.op.size())), '.')) {
        const std::optional<int> value = whole_number<int>(number);
        good = good && value && *value >= 0;
        read.version.push_back(value.value_or(0));
      }
    }
    if (!good) {
      context.expected(node, where, "versions such as \">=2.6,<3\"");
      return;
    }
    range.bounds.push_back(std::move(read));
  }
  target = std::move(range);
}

std::optional<std::size_t> read_choice(ReadContext& context, const YamlNode& node, const Where& where,
                                       const std::vector<std::string>& words) {
  if (node.is_scalar()) {
    const auto found = std::find(words.begin(), words.end(), node.text);
    if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  }
  context.unknown_word(node, where, words);
  return std::nullopt;
}

ExprPtr read_expression(ReadContext& context, const YamlNode& node, const Where& where, int skip) {
  if (!node.is_scalar()) {
    context.expected(
        node, where, "an expression",
        node.kind == YamlNode::Kind::nothing ? "" : "an expression that starts with a bracket needs quotes");
    return nullptr;
  }
  const std::string_view text = std::string_view(node.text).substr(static_cast<std::size_t>(skip));
  const TextOrigin origin = origin_behind(text_origin(context.source(), node), skip);
  const tl::expected<ExprPtr, ExprError> expr = parse_expression(text, origin);
  if (expr) return *expr;
  report_expression(context, node, where, expr.error(), origin);
  return nullptr;
}

std::optional<Step> read_step(ReadContext& context, const YamlNode& node, const Where& where) {
  const std::string_view line = context.source().line(node.pos.line);
  if (!node.is_scalar()) {
    context.lost().add_step(node.text, line);
    context.expected(node, where, "a step", node.is_map() ? "a step with `: ` in it needs quotes" : "");
    return std::nullopt;
  }
  const TextOrigin origin = text_origin(context.source(), node);
  tl::expected<Step, ExprError> step = parse_step(node.text, origin);
  if (step) return std::move(*step);
  context.lost().add_step(node.text, line);
  report_expression(context, node, where, step.error(), origin);
  return std::nullopt;
}

bool expect_few_steps(ReadContext& context, const YamlNode& node, const Where& where) {
  if (node.items.size() <= context.limits().steps) return true;
  context.lost().add_everything();
  context.error(node.pos, 1,
                fmt::format("{}: more than {} steps", where.text(),
                            with_thousands(static_cast<std::int64_t>(context.limits().steps))));
  return false;
}

std::optional<std::vector<ExprPtr>> read_expressions(ReadContext& context, const YamlNode& node,
                                                     const Where& where, Lone lone) {
  std::vector<ExprPtr> exprs;
  if (lone == Lone::allowed && node.is_scalar()) {
    exprs.push_back(read_expression(context, node, where));
  } else {
    if (!expect_sequence(context, node, where)) return std::nullopt;
    for (const YamlNode& item : node.items) {
      exprs.push_back(item.is_broken() ? nullptr : read_expression(context, item, where));
    }
  }
  const bool complete = std::find(exprs.begin(), exprs.end(), nullptr) == exprs.end();
  return complete ? std::optional(std::move(exprs)) : std::nullopt;
}

std::optional<DTypeRef> read_dtype_ref(ReadContext& context, const YamlNode& node, const Where& where) {
  if (!node.is_scalar() || !is_plain_name(node.text)) {
    context.expected(node, where, "a dtype");
    return std::nullopt;
  }
  DTypeRef ref;
  ref.pos = node.pos;
  ref.dtype = dtype_from(node.text);
  if (!ref.dtype) ref.symbol = node.text;
  return ref;
}

std::optional<DTypeRef> read_input_dtype(ReadContext& context, const YamlNode& node, const Where& where) {
  std::optional<DTypeRef> ref = read_dtype_ref(context, node, where);
  if (ref && ref->dtype) note_input_dtype(context, *ref->dtype, ref->pos);
  return ref;
}

void note_input_dtype(ReadContext& context, DType dtype, SourcePos pos) {
  if (to_string(dtype).starts_with("float8")) context.unsupported("inputs of a float8 dtype", pos);
}

bool is_plain_name(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  constexpr std::size_t kLongestName = 100;
  if (text.empty() || text.size() > kLongestName || !letter(text[0])) return false;
  return std::all_of(text.begin(), text.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

bool expect_plain_name(ReadContext& context, const YamlNode& node, const std::string& what) {
  if (node.is_scalar() && is_plain_name(node.text)) return true;
  context.error(node, fmt::format("expected the name of {}, got {}", what, got_text(node)),
                "names are letters, digits and _, at most 100 of them");
  return false;
}

const std::vector<std::string>& device_words() {
  static const std::vector<std::string> words = {"cpu", "cuda", "hip", "xpu",  "mps",           "xla", "hpu",
                                                 "npu", "mtia", "ipu", "maia", "privateuseone", "sim"};
  return words;
}

}  // namespace relapse
