#include <fmt/format.h>

#include <harness/case/read_contract.hpp>
#include <harness/case/read_inputs.hpp>
#include <harness/case/read_leaves.hpp>
#include <harness/support/text.hpp>

// One table line a clause: `dtype: ...`, `min: ...`. The order of ClauseKind is the order of clause_names().

namespace relapse {

namespace {

/// A name's contract while it is read: `except` and `nan` stand beside the clauses they change.
struct Draft {
  NameContract& target;
  Side side;
};

Clause& add_clause(const YamlNode& node, ClauseKind kind, Draft& draft) {
  Clause clause;
  clause.kind = kind;
  clause.value_pos = node.pos;
  clause.text = flow_text(node);
  draft.target.clauses.push_back(std::move(clause));
  return draft.target.clauses.back();
}

template <ClauseKind kind>
void read_bound(ReadContext& c, const YamlNode& n, const Where& w, Draft& draft) {
  const ExprPtr bound = read_expression(c, n, w);
  add_clause(n, kind, draft).values = {bound};
}

template <ClauseKind kind>
void read_members(ReadContext& c, const YamlNode& n, const Where& w, Draft& draft) {
  auto values = read_expressions(c, n, w, Lone::refused);
  if (values && values->empty()) c.expected(n, w, "at least one value");
  add_clause(n, kind, draft).values = values.value_or(std::vector<ExprPtr>{});
}

/// Clauses that are only ever asked for, never against.
template <ClauseKind kind>
void read_only_true(ReadContext& c, const YamlNode& n, const Where& w, Draft& draft) {
  const std::optional<bool> value = read_bool(c, n, w);
  if (value && !*value) c.expected(n, w, "true", "leave the clause out instead");
  add_clause(n, kind, draft);
}

template <ClauseKind kind>
void read_flag(ReadContext& c, const YamlNode& n, const Where& w, Draft& draft) {
  const bool value = read_bool(c, n, w).value_or(true);
  add_clause(n, kind, draft).flag = value;
}

struct Range {
  ExprPtr min, max;
};
constexpr std::array<Field<Range>, 2> kRangeFields = {{
    {{"min", {}, "expression", "at least"},
     [](auto& c, auto& n, auto& w, auto& range) { range.min = read_expression(c, n, w); }},
    {{"max", {}, "expression", "at most"},
     [](auto& c, auto& n, auto& w, auto& range) { range.max = read_expression(c, n, w); }},
}};

template <ClauseKind kind>
void read_count(ReadContext& c, const YamlNode& n, const Where& w, Draft& draft) {
  Clause& clause = add_clause(n, kind, draft);
  if (n.is_map()) {
    Range range;
    read_fields(c, n, w, kRangeFields, range);
    if (n.entries() == 0) c.expected(n, w, "min, max or both");
    clause.at_least = range.min;
    clause.at_most = range.max;
  } else {
    clause.values = read_expressions(c, n, w, Lone::allowed).value_or(std::vector<ExprPtr>{});
  }
}

void read_dtype_clause(ReadContext& c, const YamlNode& n, const Where& w, Draft& draft) {
  Clause& clause = add_clause(n, ClauseKind::dtype, draft);
  const auto add = [&](const YamlNode& item) {
    if (item.is_broken()) return;
    const bool of_input = draft.side == Side::requires_;
    std::optional<DTypeRef> ref = of_input ? read_input_dtype(c, item, w) : read_dtype_ref(c, item, w);
    if (ref) clause.dtypes.push_back(std::move(*ref));
  };
  if (!n.is_sequence()) return add(n);
  if (n.items.empty()) c.expected(n, w, "at least one dtype");
  for (const YamlNode& item : n.items) add(item);
}

void read_shape_clause(ReadContext& c, const YamlNode& n, const Where& w, Draft& draft) {
  Clause& clause = add_clause(n, ClauseKind::shape, draft);
  const auto add = [&](const YamlNode& shape) {
    if (auto extents = read_expressions(c, shape, w, Lone::refused))
      clause.shapes.push_back(std::move(*extents));
  };
  const bool several = n.is_sequence() && !n.items.empty() && n.items.front().is_sequence();
  if (!several) return add(n);
  for (const YamlNode& shape : n.items) add(shape);
}

template <ClauseKind kind>
void read_words(ReadContext& c, const YamlNode& n, const Where& w, Draft& draft) {
  Clause& clause = add_clause(n, kind, draft);
  const auto add = [&](const YamlNode& item) {
    if (item.is_broken()) return;
    if (kind == ClauseKind::sorted) {
      if (read_choice(c, item, w, {"nondecreasing", "increasing"})) clause.words.push_back(item.text);
    } else if (kind == ClauseKind::memory_format) {
      const auto format = item.is_scalar() ? memory_format_from(item.text) : std::nullopt;
      if (format) clause.words.emplace_back(to_string(*format));
      if (!format) c.unknown_word(item, w, memory_format_names());
    } else if (read_choice(c, item, w, device_words())) {
      clause.words.push_back(item.text);
    }
  };
  if (!n.is_sequence() || kind == ClauseKind::sorted) return add(n);
  for (const YamlNode& item : n.items) add(item);
}

constexpr std::array<Field<Clause>, 1> kDistinctFields = {{
    {{"dims", Presence::needed, "integers", "no value twice within these dimensions"},
     [](ReadContext& c, const YamlNode& n, const Where& w, Clause& clause) {
       if (!expect_sequence(c, n, w)) return;
       for (const YamlNode& item : n.items) {
         if (auto dim = read_integer(c, item, w, -64)) clause.dims.push_back(*dim);
       }
     }},
}};

void read_distinct(ReadContext& c, const YamlNode& n, const Where& w, Draft& draft) {
  if (!n.is_map()) return read_only_true<ClauseKind::distinct>(c, n, w, draft);
  read_fields(c, n, w, kDistinctFields, add_clause(n, ClauseKind::distinct, draft));
}

constexpr std::array<Field<Clause>, 4> kSumsToFields = {{
    {{"value", Presence::needed, "expression", "the sum"},
     [](auto& c, auto& n, auto& w, auto& clause) { clause.sum = read_expression(c, n, w); }},
    {{"dim", {}, "expression", "along this dimension; default: over everything"},
     [](auto& c, auto& n, auto& w, auto& clause) { clause.sum_dim = read_expression(c, n, w); }},
    {{"rtol", {}, "number", "relative tolerance"},
     [](auto& c, auto& n, auto& w, auto& clause) { clause.rtol = read_tolerance(c, n, w); }},
    {{"atol", {}, "number", "absolute tolerance"},
     [](auto& c, auto& n, auto& w, auto& clause) { clause.atol = read_tolerance(c, n, w); }},
}};

void read_equals(ReadContext& c, const YamlNode& n, const Where& w, Draft& draft) {
  Clause& clause = add_clause(n, ClauseKind::equals, draft);
  clause.expected = std::make_shared<InputForm>(read_input_form(c, n, w, LoneNumber::tensor));
}

void read_reference(ReadContext& c, const YamlNode& n, const Where& w, Draft& draft) {
  Clause& clause = add_clause(n, ClauseKind::same_as, draft);
  const auto add = [&](const YamlNode& item) {
    if (std::optional<Step> step = read_step(c, item, w)) clause.reference.push_back(std::move(*step));
  };
  if (!n.is_sequence()) {
    add(n);
  } else {
    if (n.items.empty()) c.expected(n, w, "at least one step");
    if (!expect_few_steps(c, n, w)) return;
    for (const YamlNode& item : n.items) add(item);
  }
  if (clause.reference.empty()) return;
  const Step& last = clause.reference.back();
  if (!last.targets.empty())
    c.error(last.pos, 1, w.text() + ": the last step of a reference is an expression");
}

constexpr std::array<Field<Draft>, 25> kFields = {{
    {{"dtype", {}, "dtypes", "a dtype or symbol, or one of a list"}, read_dtype_clause},
    {{"shape", {}, "shapes", "extents, or one of several lists of extents"}, read_shape_clause},
    {{"rank", {}, "count", "number of dimensions"}, read_count<ClauseKind::rank>},
    {{"numel", {}, "count", "number of elements"}, read_count<ClauseKind::numel>},
    {{"finite", {}, "true", "no NaN, no infinity"}, read_only_true<ClauseKind::finite>},
    {{"min", {}, "expression", "every element is at least this"}, read_bound<ClauseKind::min>},
    {{"max", {}, "expression", "every element is at most this"}, read_bound<ClauseKind::max>},
    {{"above", {}, "expression", "every element is greater"}, read_bound<ClauseKind::above>},
    {{"below", {}, "expression", "every element is less"}, read_bound<ClauseKind::below>},
    {{"one_of", {}, "expressions", "every element is one of these"}, read_members<ClauseKind::one_of>},
    {{"none_of", {}, "expressions", "no element is one of these"}, read_members<ClauseKind::none_of>},
    {{"sorted", {}, "order", "along the last dimension"}, read_words<ClauseKind::sorted>},
    {{"distinct", {}, "distinct", "no value twice"}, read_distinct},
    {{"sums_to", {}, "sums_to", "the sum, over everything or along a dimension"},
     [](ReadContext& c, const YamlNode& n, const Where& w, Draft& draft) {
       read_fields(c, n, w, kSumsToFields, add_clause(n, ClauseKind::sums_to, draft));
     }},
    {{"equals", {}, "equals", "a literal, an input form, or =expression"}, read_equals},
    {{"same_as", {}, "reference", "an expression or steps, computed on the CPU in float64"}, read_reference},
    {{"unchanged", {}, "true", "bit for bit as before"},
     [](ReadContext& c, const YamlNode& n, const Where& w, Draft& draft) {
       if (draft.side == Side::requires_) c.error(n, w.text() + ": has no meaning before the subject");
       read_only_true<ClauseKind::unchanged>(c, n, w, draft);
     }},
    {{"contiguous", {}, "boolean", "dense and in order"}, read_flag<ClauseKind::contiguous>},
    {{"memory_format", {}, "memory_formats", "channels_last, ..."}, read_words<ClauseKind::memory_format>},
    {{"strides", {}, "expressions", "in elements"},
     [](ReadContext& c, const YamlNode& n, const Where& w, Draft& draft) {
       auto strides = read_expressions(c, n, w, Lone::refused);
       add_clause(n, ClauseKind::strides, draft).values = strides.value_or(std::vector<ExprPtr>{});
     }},
    {{"device", {}, "devices", "where it lies"}, read_words<ClauseKind::device>},
    {{"requires_grad", {}, "boolean", "whether gradients are taken"}, read_flag<ClauseKind::requires_grad>},
    {{"except", {}, "expressions", "values that range clauses allow besides"},
     [](ReadContext& c, const YamlNode& n, const Where& w, Draft& draft) {
       draft.target.except_pos = n.pos;
       draft.target.except = read_expressions(c, n, w, Lone::refused).value_or(std::vector<ExprPtr>{});
     }},
    {{"nan", {}, "nan", "allow: range clauses let NaN pass"},
     [](ReadContext& c, const YamlNode& n, const Where& w, Draft& draft) {
       if (read_choice(c, n, w, {"allow"})) draft.target.nan_allowed = true;
     }},
    {{"compare", {}, "compare", "how equals and same_as compare"},
     [](ReadContext& c, const YamlNode& n, const Where& w, Draft& draft) {
       read_compare(c, n, w, draft.target.compare);
     }},
}};

bool has_clause(const NameContract& contract, std::initializer_list<ClauseKind> kinds) {
  for (const Clause& clause : contract.clauses) {
    for (const ClauseKind kind : kinds) {
      if (clause.kind == kind) return true;
    }
  }
  return false;
}

}  // namespace

void read_name_contract(ReadContext& context, const YamlNode& node, const Where& where, Side side,
                        NameContract& target) {
  Draft draft{target, side};
  read_fields(context, node, where, kFields, draft);

  // A clause knows the position of its key only here, where the keys are.
  std::size_t next = 0;
  for (std::size_t i = 0; node.is_map() && i < node.entries() && next < target.clauses.size(); ++i) {
    if (node.key(i).text != to_string(target.clauses[next].kind)) continue;
    target.clauses[next++].pos = node.key(i).pos;
  }
  if (!node.is_map()) return;
  const auto needs = [&](std::string_view key, bool met, std::string_view what) {
    const YamlNode* value = node.find(key);
    if (value != nullptr && !met)
      context.error(*value, fmt::format("{}.{}: only has a meaning beside {}", where.text(), key, what));
  };
  const bool ranged = has_clause(target, {ClauseKind::min, ClauseKind::max, ClauseKind::above,
                                          ClauseKind::below, ClauseKind::one_of, ClauseKind::none_of});
  needs("except", ranged, "min, max, above, below, one_of or none_of");
  needs("nan", ranged, "min, max, above, below, one_of or none_of");
  needs("compare", has_clause(target, {ClauseKind::equals, ClauseKind::same_as}), "equals or same_as");
}

Level clauses_level() {
  return level_of("clauses", kFields);
}
Level sums_to_level() {
  return level_of("sums_to", kSumsToFields);
}
Level range_level() {
  return level_of("range", kRangeFields);
}
Level distinct_level() {
  return level_of("distinct_map", kDistinctFields);
}

}  // namespace relapse
