#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <harness/case/check_made.hpp>
#include <harness/support/text.hpp>

namespace relapse {

namespace {

std::map<std::string_view, const InputForm*> forms_of(const std::vector<NamedInput>& inputs) {
  std::map<std::string_view, const InputForm*> forms;
  for (const NamedInput& input : inputs) forms[input.name] = &input.form;
  return forms;
}

const Clause* find_clause(const NameContract& contract, ClauseKind kind) {
  for (const Clause& clause : contract.clauses) {
    if (clause.kind == kind) return &clause;
  }
  return nullptr;
}

std::optional<DType> dtype_of(const DTypeRef& ref, const Case& target, const MadeScenario& made) {
  if (ref.dtype) return ref.dtype;
  for (const auto* dtypes : {&made.dtypes, &target.dtypes}) {
    for (const DTypeValue& value : *dtypes) {
      if (value.name == ref.symbol) return value.dtype;
    }
  }
  return std::nullopt;
}

// ---- ranges ----

struct Bound {
  const Clause* clause = nullptr;
  Number number;
  bool open = false;
};

/// Keeps the tightest bound of one side.
void tighten(std::optional<Bound>& bound, const Clause& clause, const Number& number, bool lower) {
  const bool open = clause.kind == ClauseKind::above || clause.kind == ClauseKind::below;
  const double value = number.real;
  const bool tighter = !bound || (lower ? value > bound->number.real : value < bound->number.real) ||
                       (value == bound->number.real && open && !bound->open);
  if (tighter) bound = Bound{&clause, number, open};
}

/// Whether no element of the dtype lies between. Bounds are rounded to the dtype first, which only matters
/// where they are close or large: there nothing is certain.
bool is_empty(const Bound& low, const Bound& high, DType dtype) {
  const double from = low.number.real, to = high.number.real;
  constexpr double kExact = 1e15;
  if (is_integral(dtype) || dtype == DType::boolean) {
    if (std::fabs(from) > kExact || std::fabs(to) > kExact) return from > to;
    const double least = low.open ? std::floor(from) + 1 : std::ceil(from);
    const double most = high.open ? std::ceil(to) - 1 : std::floor(to);
    return least > most;
  }
  const bool known = dtype == DType::float64 || dtype == DType::float32 || dtype == DType::float16 ||
                     dtype == DType::bfloat16;
  constexpr double kHeldByAll = 60000;  // float16 holds 65504
  if (!known || std::fabs(from) > kHeldByAll || std::fabs(to) > kHeldByAll) return false;
  if (from == to) return low.open || high.open;
  return from - to > 0.01 * std::max(std::fabs(from), std::fabs(to));
}

/// `C - 1 = 2`, or `5`.
std::string bound_text(const Bound& bound) {
  const Expr& expr = *bound.clause->values.front();
  const std::string text = to_string(expr);
  const bool literal = expr.kind == ExprKind::integer || expr.kind == ExprKind::real;
  const std::string value =
      bound.number.is_integer ? std::to_string(bound.number.integer) : fmt::format("{}", bound.number.real);
  return fmt::format("{} {}", to_string(bound.clause->kind), literal ? text : text + " = " + value);
}

/// Whether the shape is known and has an element: a tensor without one has no range.
bool has_elements(const std::vector<ExprPtr>& shape, const DimMap& dims) {
  return std::all_of(shape.begin(), shape.end(), [&](const ExprPtr& extent) {
    const Result<std::int64_t> value = evaluate_integer(*extent, lookup_in(dims));
    return value && *value > 0;
  });
}

// ---- shapes ----

/// Names that are not listed fit any extent, but one name only one.
bool fits(const std::vector<ExprPtr>& shape, const std::vector<std::int64_t>& extents, const DimMap& dims) {
  if (shape.size() != extents.size()) return false;
  DimMap bound = dims;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i]->kind == ExprKind::name) {
      if (bound.emplace(shape[i]->text, extents[i]).first->second != extents[i]) return false;
      continue;
    }
    const Result<std::int64_t> value = evaluate_integer(*shape[i], lookup_in(dims));
    if (value && *value != extents[i]) return false;
  }
  return true;
}

/// `[N, K] = [4, K]`.
std::string shape_text(const std::vector<ExprPtr>& shape, const DimMap& dims) {
  std::vector<std::string> written, known;
  for (const ExprPtr& extent : shape) {
    written.push_back(to_string(*extent));
    const Result<std::int64_t> value = evaluate_integer(*extent, lookup_in(dims));
    known.push_back(value ? std::to_string(*value) : written.back());
  }
  const std::string text = "[" + join(written, ", ") + "]";
  return written == known ? text : text + " = [" + join(known, ", ") + "]";
}

}  // namespace

MadeInputs::MadeInputs(ReadContext& context, const Symbols& symbols, const Case& target)
    : context_(context), symbols_(symbols), target_(target), defaults_(forms_of(target.inputs)) {}

void MadeInputs::check(const MadeScenario& made) {
  const std::map<std::string_view, const InputForm*> forms = forms_of(made.scenario.inputs);
  const auto form_in = [](const auto& all, std::string_view name) {
    const auto found = all.find(name);
    return found == all.end() ? nullptr : found->second;
  };
  const Where where{nullptr, made.scenario.name};
  for (const NameContract& contract : target_.contract.requires_.names) {
    const InputForm* own = form_in(forms, contract.name);
    const InputForm* form = own != nullptr ? own : form_in(defaults_, contract.name);
    check_range(made, contract, form);
    if (form == nullptr || made.may_break_requires) continue;
    const Where inputs{own != nullptr ? &where : nullptr, "inputs"};
    check_literal(made, contract, *form, Where{&inputs, contract.name}, own == nullptr);
  }
}

void MadeInputs::check_range(const MadeScenario& made, const NameContract& contract, const InputForm* form) {
  const bool generated =
      form == nullptr ? symbols_.inputs.count(contract.name) > 0 : form->source == InputSource::generated;
  if (!generated || find_clause(contract, ClauseKind::one_of) != nullptr) return;
  const Clause* dtypes = find_clause(contract, ClauseKind::dtype);
  const Clause* shapes = find_clause(contract, ClauseKind::shape);
  const bool own_dtype = form != nullptr && form->dtype, own_shape = form != nullptr && form->shape;
  if (!own_dtype && (dtypes == nullptr || dtypes->dtypes.empty())) return;
  if (!own_shape && (shapes == nullptr || shapes->shapes.empty())) return;
  const std::optional<DType> dtype =
      dtype_of(own_dtype ? *form->dtype : dtypes->dtypes.front(), target_, made);
  if (!dtype || !has_elements(own_shape ? *form->shape : shapes->shapes.front(), made.dims)) return;

  std::optional<Bound> low, high;
  for (const Clause& clause : contract.clauses) {
    const bool lower = clause.kind == ClauseKind::min || clause.kind == ClauseKind::above;
    const bool upper = clause.kind == ClauseKind::max || clause.kind == ClauseKind::below;
    if ((!lower && !upper) || clause.values.empty() || clause.values.front() == nullptr) continue;
    const Result<Number> number = evaluate_number(*clause.values.front(), lookup_in(made.dims));
    if (number && !std::isnan(number->real)) tighten(lower ? low : high, clause, *number, lower);
  }
  if (!low || !high || !is_empty(*low, *high, *dtype)) return;
  const Clause& later =
      std::max(low->clause->pos, high->clause->pos) == low->clause->pos ? *low->clause : *high->clause;
  if (!told_.insert(later.value_pos).second) return;
  context_.error(
      later.value_pos, std::max(1, count_code_points(later.text)),
      fmt::format("contract.requires.{}.{}: no value lies between {} and {}, so {} cannot be generated",
                  contract.name, to_string(later.kind), bound_text(*low), bound_text(*high),
                  made.scenario.name),
      fmt::format("give {} a form there, or mend the bounds", contract.name));
}

void MadeInputs::check_literal(const MadeScenario& made, const NameContract& contract, const InputForm& form,
                               const Where& where, bool is_default) {
  const bool literal = form.source == InputSource::values || form.source == InputSource::bits;
  const Clause* clause = find_clause(contract, ClauseKind::shape);
  if (!literal || form.expand || form.values.flat.empty() || clause == nullptr || clause->shapes.empty())
    return;
  const std::vector<std::int64_t>& extents = form.values.shape;
  std::vector<std::string> expected, got;
  for (const std::vector<ExprPtr>& shape : clause->shapes) {
    if (fits(shape, extents, made.dims)) return;
    expected.push_back(shape_text(shape, made.dims));
  }
  for (const std::int64_t extent : extents) got.push_back(std::to_string(extent));
  context_.error(form.values.pos, 1,
                 fmt::format("{}: expected values of shape {}{}, got [{}]", where.text(), join_or(expected),
                             is_default ? " in " + made.scenario.name : "", join(got, ", ")),
                 "requires says so");
}

}  // namespace relapse
