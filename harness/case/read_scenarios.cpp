#include <fmt/format.h>

#include <harness/case/read_contract.hpp>
#include <harness/case/read_inputs.hpp>
#include <harness/case/read_leaves.hpp>
#include <harness/case/read_options.hpp>
#include <harness/case/read_outcomes.hpp>
#include <harness/case/read_scenarios.hpp>
#include <harness/support/text.hpp>
#include <set>

namespace relapse {

namespace {

// ---- keys that failing, corrected and batches share; `scenario_of` finds the part they fill ----

Scenario& scenario_of(Scenario& scenario) {
  return scenario;
}
Scenario& scenario_of(Failing& failing) {
  return failing.scenario;
}
Scenario& scenario_of(Batch& batch) {
  return batch.scenario;
}

template <class T>
constexpr Field<T> kName = {
    {"name", {}, "text", "how reports call it"},
    [](auto& c, auto& n, auto& w, auto& t) { scenario_of(t).name = read_text(c, n, w).value_or(""); }};
template <class T>
constexpr Field<T> kDims = {
    {"dims", {}, "dims", "symbols and their values here"},
    [](auto& c, auto& n, auto& w, auto& t) { read_dims(c, n, w, scenario_of(t).dims); }};
template <class T>
constexpr Field<T> kDTypes = {
    {"dtypes", {}, "dtype_symbols", "dtype symbols and their values here"},
    [](auto& c, auto& n, auto& w, auto& t) { read_dtypes(c, n, w, scenario_of(t).dtypes); }};
template <class T>
constexpr Field<T> kInputs = {
    {"inputs", {}, "inputs", "forms of inputs, instead of the case's own"},
    [](auto& c, auto& n, auto& w, auto& t) { read_inputs(c, n, w, scenario_of(t).inputs); }};
template <class T>
constexpr Field<T> kNeeds = {
    {"needs", {}, "needs", "what must be there; unmet: skipped with the reason"},
    [](auto& c, auto& n, auto& w, auto& t) { read_needs(c, n, w, scenario_of(t).needs); }};
template <class T>
constexpr Field<T> kEnsures = {
    {"ensures", {}, "side", "added to the contract's"},
    [](auto& c, auto& n, auto& w, auto& t) { read_side(c, n, w, Side::ensures, scenario_of(t).ensures); }};

constexpr std::array<Field<Failing>, 9> kFailingFields = {{
    kName<Failing>,
    kDims<Failing>,
    kDTypes<Failing>,
    kInputs<Failing>,
    kNeeds<Failing>,
    {{"symptom", {}, "symptoms", "what it did, by device"},
     [](auto& c, auto& n, auto& w, auto& failing) { read_symptoms(c, n, w, failing.symptoms); }},
    {{"expect", Presence::needed, "expect", "what must happen now"},
     [](auto& c, auto& n, auto& w, auto& failing) { read_expectation(c, n, w, failing.expect); }},
    kEnsures<Failing>,
    {{"after", {}, "texts", "names of batches that run first in the same process"},
     [](auto& c, auto& n, auto& w, auto& failing) {
       failing.after_pos = n.pos;
       read_texts(c, n, w, failing.after);
       if (n.is_sequence() && n.items.empty()) c.expected(n, w, "at least one batch");
       c.refer(Reference::Kind::batch, n, w);
       for (const YamlNode& item : n.items) c.refer(Reference::Kind::batch, item, w);
     }},
}};
constexpr std::array<Field<Scenario>, 6> kCorrectedFields = {{
    kName<Scenario>,
    kDims<Scenario>,
    kDTypes<Scenario>,
    kInputs<Scenario>,
    kNeeds<Scenario>,
    kEnsures<Scenario>,
}};
constexpr std::array<Field<Batch>, 5> kBatchFields = {{
    {{"seed", {}, "seed", "of the generator"},
     [](auto& c, auto& n, auto& w, auto& batch) { batch.scenario.seed = read_seed(c, n, w); }},
    kInputs<Batch>,
    kEnsures<Batch>,
    kName<Batch>,
    kNeeds<Batch>,
}};

/// `N: 64`, `N: [33, 1000]`, `F: [float32, float16]`: whether it is a dim or a dtype, its values say.
bool read_batch_symbol(ReadContext& context, const YamlNode& key, const YamlNode& value, const Where& where,
                       Batch& batch) {
  if (!is_plain_name(key.text) || is_reserved_name(key.text)) return false;
  std::vector<DimValue> dims;
  std::vector<DTypeValue> dtypes;
  const auto add = [&](const YamlNode& item) {
    const std::optional<DType> dtype = item.is_scalar() ? dtype_from(item.text) : std::nullopt;
    if (dtype) {
      note_input_dtype(context, *dtype, item.pos);
      dtypes.push_back({key.text, *dtype, item.pos});
    } else if (!item.is_broken()) {
      if (ExprPtr expr = read_expression(context, item, where))
        dims.push_back({key.text, std::move(expr), item.pos});
    }
  };
  if (value.is_sequence()) {
    if (value.items.empty()) context.expected(value, where, "at least one value");
    for (const YamlNode& item : value.items) add(item);
  } else {
    add(value);
  }
  if (!dims.empty() && !dtypes.empty()) {
    context.error(value, where.text() + ": some values are dtypes and some are not");
  } else if (value.is_sequence()) {
    if (!dims.empty()) batch.dim_lists.emplace_back(key.text, std::move(dims));
    if (!dtypes.empty()) batch.dtype_lists.emplace_back(key.text, std::move(dtypes));
  } else {
    // The position is the key's, as in `dims` and `dtypes`.
    for (DimValue& dim : dims) batch.scenario.dims.push_back({dim.name, dim.value, key.pos});
    for (DTypeValue& dtype : dtypes) batch.scenario.dtypes.push_back({dtype.name, dtype.dtype, key.pos});
  }
  return true;
}

/// Calls `read` for the one map, or for each of a list.
template <class Read>
void for_one_or_each(ReadContext& context, const YamlNode& node, const Where& where, Read read) {
  if (!node.is_sequence()) return read(node, where, 0);
  if (node.items.empty()) context.expected(node, where, "at least one entry");
  int number = 0;
  for (const YamlNode& item : node.items) {
    ++number;
    if (!item.is_broken()) read(item, Where{nullptr, where.key, number}, number);
  }
}

/// Two of a name could not be told apart in reports and on the command line.
void check_name(ReadContext& context, const YamlNode& node, const Where& where, const std::string& name,
                std::set<std::string>& names) {
  if (name.empty() || names.insert(name).second) return;
  const YamlNode* written = node.find("name");
  context.error(written == nullptr ? node : *written,
                fmt::format("{}: another one is named {}", where.text(), quoted(name)));
}

}  // namespace

void read_failing(ReadContext& context, const YamlNode& node, const Where& where,
                  std::vector<Failing>& target) {
  std::set<std::string> names;
  for_one_or_each(context, node, where, [&](const YamlNode& item, const Where& inner, int number) {
    Failing failing;
    failing.scenario.pos = item.pos;
    read_fields(context, item, inner, kFailingFields, failing);
    if (failing.scenario.name.empty()) {
      failing.scenario.name = inner.text();
      if (number > 0 && item.is_map() && item.find("name") == nullptr)
        report_missing_key(context, item, inner, "name");
    }
    check_name(context, item, inner, failing.scenario.name, names);
    target.push_back(std::move(failing));
  });
}

void read_corrected(ReadContext& context, const YamlNode& node, const Where& where,
                    std::vector<Scenario>& target) {
  std::set<std::string> names;
  for_one_or_each(context, node, where, [&](const YamlNode& item, const Where& inner, int) {
    Scenario scenario;
    scenario.pos = item.pos;
    read_fields(context, item, inner, kCorrectedFields, scenario);
    if (scenario.name.empty()) scenario.name = inner.text();
    check_name(context, item, inner, scenario.name, names);
    target.push_back(std::move(scenario));
  });
}

void read_batches(ReadContext& context, const YamlNode& node, const Where& where,
                  std::vector<Batch>& target) {
  if (!expect_sequence(context, node, where)) return;
  if (node.items.size() < 2) {
    context.error(node, fmt::format("batches: expected at least two, got {}", node.items.size()),
                  "one input alone is easily right by chance");
  }
  std::set<std::string> names;
  int number = 0;
  for (const YamlNode& item : node.items) {
    const Where inner{nullptr, "batch", ++number};
    Batch batch;
    batch.scenario.pos = item.pos;
    read_fields(context, item, inner, kBatchFields, batch,
                [&](const YamlNode& key, const YamlNode& value, const Where& w) {
                  return read_batch_symbol(context, key, value, w, batch);
                });
    if (batch.scenario.name.empty()) batch.scenario.name = inner.text();
    check_name(context, item, inner, batch.scenario.name, names);
    target.push_back(std::move(batch));
  }
}

Level failing_level() {
  return level_of("failing_map", kFailingFields);
}
Level corrected_level() {
  return level_of("corrected_map", kCorrectedFields);
}
Level batch_level() {
  return level_of("batch", kBatchFields, "batch_symbol");
}

}  // namespace relapse
