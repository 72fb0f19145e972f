#include <cmath>
#include <harness/tensor/range.hpp>
#include <harness/tensor/resolve.hpp>
#include <harness/tensor/rounding.hpp>

namespace relapse {

namespace {

bool is_bound(ClauseKind kind) {
  return kind == ClauseKind::min || kind == ClauseKind::max || kind == ClauseKind::above ||
         kind == ClauseKind::below;
}

/// The smallest whole number that a lower bound allows, saturated to 64 bits.
std::int64_t lowest_whole(const Exact& bound, bool open) {
  if (bound.whole()) return open ? checked_add(bound.integer, 1).value_or(INT64_MAX) : bound.integer;
  const double edge = open ? std::floor(bound.real) + 1 : std::ceil(bound.real);
  if (edge >= 0x1p63) return INT64_MAX;
  return edge < -0x1p63 ? INT64_MIN : static_cast<std::int64_t>(edge);
}
std::int64_t highest_whole(const Exact& bound, bool open) {
  if (bound.whole()) return open ? checked_sub(bound.integer, 1).value_or(INT64_MIN) : bound.integer;
  const double edge = open ? std::ceil(bound.real) - 1 : std::floor(bound.real);
  if (edge >= 0x1p63) return INT64_MAX;
  return edge < -0x1p63 ? INT64_MIN : static_cast<std::int64_t>(edge);
}

FormResult<Exact> bound_of(const Clause& clause, const FormContext& context) {
  if (clause.values.empty()) return form_error(context, clause.pos, "a bound without a value");
  FormResult<Exact> bound = exact_of(*clause.values.front(), context, clause.value_pos);
  if (bound && bound->kind == Exact::Kind::real && std::isnan(bound->real))
    return form_error(context, clause.value_pos, "nan is no bound");
  return bound;
}

}  // namespace

FormResult<WholeBounds> whole_bounds(const FormContext& context, c10::ScalarType dtype) {
  WholeBounds bounds;
  if (!context.clauses) return bounds;
  for (const Clause& clause : context.clauses->clauses) {
    if (!is_bound(clause.kind)) continue;
    const FormResult<Exact> bound = bound_of(clause, context);
    if (!bound) return tl::make_unexpected(bound.error());
    const bool open = clause.kind == ClauseKind::above || clause.kind == ClauseKind::below;
    if (clause.kind == ClauseKind::min || clause.kind == ClauseKind::above) {
      const std::int64_t edge = lowest_whole(*bound, open);
      bounds.low = bounds.low ? std::max(*bounds.low, edge) : edge;
    } else {
      const std::int64_t edge = highest_whole(*bound, open);
      bounds.high = bounds.high ? std::min(*bounds.high, edge) : edge;
    }
  }
  if (const std::optional<WholeRange> held = whole_range(dtype)) {
    const std::int64_t most = held->high > INT64_MAX ? INT64_MAX : static_cast<std::int64_t>(held->high);
    if (bounds.low) bounds.low = std::max(*bounds.low, held->low);
    if (bounds.high) bounds.high = std::min(*bounds.high, most);
  }
  return bounds;
}

FormResult<RealBounds> real_bounds(const FormContext& context, c10::ScalarType dtype) {
  RealBounds bounds;
  if (!context.clauses) return bounds;
  for (const Clause& clause : context.clauses->clauses) {
    if (!is_bound(clause.kind)) continue;
    const FormResult<Exact> bound = bound_of(clause, context);
    if (!bound) return tl::make_unexpected(bound.error());
    const double value = round_to_dtype(bound->as_double(), dtype);
    if (!std::isfinite(value)) continue;
    const bool open = clause.kind == ClauseKind::above || clause.kind == ClauseKind::below;
    const bool lower = clause.kind == ClauseKind::min || clause.kind == ClauseKind::above;
    std::optional<double>& edge = lower ? bounds.low : bounds.high;
    bool& edge_open = lower ? bounds.low_open : bounds.high_open;
    const bool tighter = !edge || (lower ? value > *edge : value < *edge);
    if (tighter) {
      edge = value;
      edge_open = open;
    } else if (value == *edge) {
      edge_open = edge_open || open;
    }
  }
  return bounds;
}

FormResult<std::vector<Exact>> listed_values(const std::vector<ExprPtr>& exprs, const FormContext& context,
                                             SourcePos pos) {
  std::vector<Exact> values;
  values.reserve(exprs.size());
  for (const ExprPtr& expr : exprs) {
    const FormResult<Exact> value = exact_of(*expr, context, pos);
    if (!value) return tl::make_unexpected(value.error());
    values.push_back(*value);
  }
  return values;
}

}  // namespace relapse
