#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <harness/case/read_contract.hpp>
#include <harness/case/read_leaves.hpp>
#include <harness/support/text.hpp>

namespace relapse {

namespace {

const std::vector<std::string>& mode_words() {
  static const std::vector<std::string> words = {"exact", "close", "ulp"};
  return words;
}

void read_mode(ReadContext& c, const YamlNode& n, const Where& w, Compare& compare) {
  if (const auto i = read_choice(c, n, w, mode_words())) compare.mode = static_cast<CompareMode>(*i + 1);
}

/// `0.1%` or `0.001`.
void read_mismatch(ReadContext& c, const YamlNode& n, const Where& w, Compare& compare) {
  c.unsupported("`compare.mismatch`", n.pos);
  std::string_view text = n.text;
  const bool percent = text.ends_with('%');
  if (percent) text.remove_suffix(1);
  double value = -1;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool good = n.is_scalar() && read.ec == std::errc() && read.ptr == text.data() + text.size();
  if (percent) value /= 100;
  if (!good || !(value >= 0 && value <= 1)) return c.expected(n, w, "a share such as 0.1%");
  compare.mismatch = value;
}

constexpr std::array<Field<Compare>, 7> kCompareFields = {{
    {{"mode", {}, "compare_mode", "exact, close or ulp"}, read_mode},
    {{"rtol", {}, "number", "relative tolerance"},
     [](auto& c, auto& n, auto& w, auto& compare) { compare.rtol = read_tolerance(c, n, w); }},
    {{"atol", {}, "number", "absolute tolerance"},
     [](auto& c, auto& n, auto& w, auto& compare) { compare.atol = read_tolerance(c, n, w); }},
    {{"ulp", {}, "count_number", "units in the last place, of mode ulp"},
     [](auto& c, auto& n, auto& w, auto& compare) { compare.ulp = read_integer(c, n, w, 0).value_or(0); }},
    {{"nan", {}, "nan_places", "refuse, or same_places"},
     [](auto& c, auto& n, auto& w, auto& compare) {
       const auto i = read_choice(c, n, w, {"refuse", "same_places"});
       compare.nan_same_places = i && *i == 1;
     }},
    {{"signed_zero", {}, "boolean", "whether -0.0 and 0.0 differ"},
     [](auto& c, auto& n, auto& w, auto& compare) {
       compare.signed_zero = read_bool(c, n, w).value_or(false);
     }},
    {{"mismatch", {}, "share", "share of elements that may differ"}, read_mismatch},
}};

/// A tolerance belongs to `close`, and a number of places to `ulp`.
void finish_compare(ReadContext& context, const YamlNode& node, const Where& where, Compare& compare) {
  const bool tolerance = compare.rtol || compare.atol;
  const bool ulp = node.is_map() && node.find("ulp") != nullptr;
  if (tolerance && compare.mode == CompareMode::automatic) compare.mode = CompareMode::close;
  if (ulp && compare.mode == CompareMode::automatic) compare.mode = CompareMode::ulp;
  if (tolerance && compare.mode != CompareMode::close) {
    context.error(node, where.text() + ": rtol and atol belong to mode close");
  }
  if (ulp != (compare.mode == CompareMode::ulp)) {
    context.error(node, where.text() + (ulp ? ": ulp belongs to mode ulp" : ": mode ulp needs the key ulp"));
  }
}

void read_agreement(ReadContext& context, const YamlNode& node, const Where& where, Agreement& agreement);

constexpr std::array<Field<std::vector<std::string>>, 1> kExceptField = {{
    {{"except", {}, "names", "results that are not compared"},
     [](auto& c, auto& n, auto& w, auto& names) {
       read_text_list(c, n, w, names);
       for (const YamlNode& item : n.items) c.refer(Reference::Kind::result, item, w);
     }},
}};

template <Twin twin>
void read_twin(ReadContext& context, const YamlNode& node, const Where& where,
               std::vector<Agreement>& target) {
  Agreement agreement;
  agreement.twin = twin;
  agreement.pos = node.pos;
  read_agreement(context, node, where, agreement);
  // The other run is in another process: bits are all that can be compared.
  const bool exact = !agreement.compare || agreement.compare->mode == CompareMode::exact ||
                     agreement.compare->mode == CompareMode::automatic;
  if (twin == Twin::async && !exact) context.unsupported("`agrees.async` with a tolerance", node.pos);
  target.push_back(std::move(agreement));
}

constexpr std::array<Field<std::vector<Agreement>>, 5> kAgreesFields = {{
    {{"cpu", {}, "agreement", "the CPU, for every other device; on by default"}, read_twin<Twin::cpu>},
    {{"float64", {}, "agreement", "the subject on the CPU in float64"}, read_twin<Twin::float64>},
    {{"contiguous", {}, "agreement", "the inputs laid out densely"}, read_twin<Twin::contiguous>},
    {{"repeat", {}, "agreement", "again, on the same inputs"}, read_twin<Twin::repeat>},
    {{"async", {}, "agreement", "without blocking launches"}, read_twin<Twin::async>},
}};

void read_agreement(ReadContext& context, const YamlNode& node, const Where& where, Agreement& agreement) {
  if (node.is_scalar() && (node.text == "off" || node.text == "on")) {
    agreement.off = node.text == "off";
    return;
  }
  if (!node.is_map()) return read_compare(context, node, where, agreement.compare);
  Compare compare;
  compare.pos = node.pos;
  read_fields(context, node, where, kCompareFields, compare,
              [&](const YamlNode& key, const YamlNode& value, const Where& w) {
                if (key.text != kExceptField[0].row.key) return false;
                kExceptField[0].read(context, value, w, agreement.except);
                return true;
              });
  const bool only_except = node.entries() == 1 && node.find("except") != nullptr;
  if (only_except) return;
  finish_compare(context, node, where, compare);
  agreement.compare = compare;
}

}  // namespace

void read_compare(ReadContext& context, const YamlNode& node, const Where& where,
                  std::optional<Compare>& target) {
  Compare compare;
  compare.pos = node.pos;
  double both = 0;
  const auto read = std::from_chars(node.text.data(), node.text.data() + node.text.size(), both);
  const bool number =
      node.is_scalar() && read.ec == std::errc() && read.ptr == node.text.data() + node.text.size();
  if (number && both >= 0 && std::isfinite(both)) {
    compare.mode = CompareMode::close;
    compare.rtol = compare.atol = both;
  } else if (node.is_scalar()) {
    const auto i = read_choice(context, node, where, {"exact", "close"});
    if (i) compare.mode = *i == 0 ? CompareMode::exact : CompareMode::close;
  } else {
    read_fields(context, node, where, kCompareFields, compare);
    finish_compare(context, node, where, compare);
  }
  target = compare;
}

void read_agrees(ReadContext& context, const YamlNode& node, const Where& where,
                 std::vector<Agreement>& target) {
  read_fields(context, node, where, kAgreesFields, target);
}

Level compare_level() {
  return level_of("compare_map", kCompareFields);
}
Level agrees_level() {
  return level_of("agrees", kAgreesFields);
}
Level agreement_level() {
  Level level = level_of("agreement_map", kCompareFields);
  level.rows.push_back(kExceptField[0].row);
  return level;
}

}  // namespace relapse
