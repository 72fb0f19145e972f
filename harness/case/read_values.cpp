#include <fmt/format.h>

#include <charconv>
#include <harness/case/read_leaves.hpp>
#include <harness/case/read_values.hpp>
#include <harness/support/text.hpp>
#include <limits>

namespace relapse {

namespace {

/// Plain literals, which is what nearly every element is; everything else is an expression.
std::optional<Scalar> literal(std::string_view text) {
  if (text.empty()) return std::nullopt;
  if (text == "true" || text == "false") return Scalar(text == "true");
  if (text == "nan") return Scalar(std::numeric_limits<double>::quiet_NaN());
  if (text == "inf" || text == "-inf") {
    const double infinity = std::numeric_limits<double>::infinity();
    return Scalar(text[0] == '-' ? -infinity : infinity);
  }
  const char* const first = text.data();
  const char* const last = first + text.size();
  if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
    std::uint64_t bits = 0;
    const auto read = std::from_chars(first + 2, last, bits, 16);
    if (read.ec != std::errc() || read.ptr != last) return std::nullopt;
    if (bits > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return Scalar(bits);
    return Scalar(static_cast<std::int64_t>(bits));
  }
  std::int64_t integer = 0;
  const auto signed_read = std::from_chars(first, last, integer);
  if (signed_read.ec == std::errc() && signed_read.ptr == last) return Scalar(integer);
  std::uint64_t above = 0;
  const auto unsigned_read = std::from_chars(first, last, above);
  if (unsigned_read.ec == std::errc() && unsigned_read.ptr == last) return Scalar(above);
  if (signed_read.ec == std::errc::result_out_of_range && signed_read.ptr == last) return std::nullopt;
  const bool starts_as_number = text[0] == '-' || text[0] == '.' || (text[0] >= '0' && text[0] <= '9');
  double real = 0;
  const auto real_read = std::from_chars(first, last, real);
  if (starts_as_number && real_read.ec == std::errc() && real_read.ptr == last) return Scalar(real);
  return std::nullopt;
}

class ValuesReader {
 public:
  ValuesReader(ReadContext& context, const Where& where) : context_(context), where_(where) {}

  std::optional<Values> read(const YamlNode& node) {
    values_.pos = node.pos;
    // The first element of each level tells the shape; every other row must agree with it.
    std::size_t elements = 1;
    for (const YamlNode* level = &node; level->is_sequence(); level = &level->items.front()) {
      values_.shape.push_back(static_cast<std::int64_t>(level->items.size()));
      elements *= level->items.size();
      if (elements > context_.limits().elements) {
        context_.error(node,
                       fmt::format("{}: more than {} values in one list", where_.text(),
                                   with_thousands(static_cast<std::int64_t>(context_.limits().elements))),
                       "keep large data in a .safetensors or .npy file beside the case");
        return std::nullopt;
      }
      if (level->items.empty()) break;
    }
    values_.flat.reserve(elements);
    if (!read_level(node, 0)) return std::nullopt;
    return std::move(values_);
  }

 private:
  bool read_level(const YamlNode& node, std::size_t depth) {
    if (node.is_broken()) return false;
    if (depth == values_.shape.size()) {
      if (node.is_sequence()) return refuse(node, "a number, as at the start of the list");
      std::optional<Scalar> scalar = read_scalar(context_, node, where_);
      if (!scalar) return false;
      values_.flat.push_back(std::move(*scalar));
      return true;
    }
    if (!node.is_sequence()) return refuse(node, "a list, as at the start of the list");
    const auto due = static_cast<std::size_t>(values_.shape[depth]);
    if (node.items.size() != due) {
      context_.error(node, fmt::format("{}: this row has {} entries, the first has {}", where_.text(),
                                       node.items.size(), due));
      return false;
    }
    bool good = true;
    for (const YamlNode& item : node.items) good = read_level(item, depth + 1) && good;
    return good;
  }

  bool refuse(const YamlNode& node, const std::string& what) {
    context_.expected(node, where_, what);
    return false;
  }

  ReadContext& context_;
  const Where& where_;
  Values values_;
};

}  // namespace

std::optional<Scalar> read_scalar(ReadContext& context, const YamlNode& node, const Where& where) {
  if (!node.is_scalar()) {
    if (!node.is_broken()) context.expected(node, where, "a number");
    return std::nullopt;
  }
  if (std::optional<Scalar> scalar = literal(node.text)) return scalar;
  if (const ExprPtr expr = read_expression(context, node, where)) return Scalar(expr);
  return std::nullopt;
}

std::optional<Values> read_values(ReadContext& context, const YamlNode& node, const Where& where) {
  if (node.is_scalar()) {
    std::optional<Scalar> scalar = read_scalar(context, node, where);
    if (!scalar) return std::nullopt;
    Values values;
    values.pos = node.pos;
    values.flat.push_back(std::move(*scalar));
    return values;
  }
  if (!expect_sequence(context, node, where)) return std::nullopt;
  return ValuesReader(context, where).read(node);
}

}  // namespace relapse
