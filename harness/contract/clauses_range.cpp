#include <ATen/ops/view_as_real.h>
#include <fmt/format.h>

#include <cmath>
#include <harness/contract/clause.hpp>
#include <harness/contract/elements.hpp>
#include <harness/operator/eval_error.hpp>
#include <harness/operator/evaluate.hpp>
#include <harness/support/text.hpp>
#include <harness/tensor/dtype_map.hpp>
#include <harness/tensor/facts.hpp>
#include <limits>

namespace relapse {
namespace {

struct Scan {
  std::int64_t first_bad = -1, bad = 0;
};

/// Counts the elements for which `good` is false.
template <class T, class Good>
Scan scan(const T* elements, std::int64_t count, Good good) {
  Scan result;
  for (std::int64_t i = 0; i < count; ++i) {
    if (good(elements[i])) continue;
    if (result.bad++ == 0) result.first_bad = i;
  }
  return result;
}

ClauseResult report(const std::string& name, const at::Tensor& dense, const Scan& found, std::string value) {
  if (found.bad == 0) return holds();
  const std::vector<std::int64_t> shape = dense.sizes().vec();
  ClauseResult result =
      broken(fmt::format("{}{} = {}", name, shape.empty() ? "" : index_text(shape, found.first_bad),
                         element_text(dense, found.first_bad)),
             std::move(value));
  if (found.bad > 1) {
    result.details.push_back(
        fmt::format("{} of {} elements break it", with_thousands(found.bad), with_thousands(dense.numel())));
  }
  return result;
}

ClauseResult not_ordered(const Value& value, const at::Tensor& tensor) {
  if (!tensor.defined()) return broken(fmt::format("{} where a tensor is due", kind_text(value)));
  return broken(fmt::format("{}, which has no order", dtype_name(tensor.scalar_type())));
}

std::vector<ElementBound> exceptions(const NameContract& contract, c10::ScalarType dtype,
                                     const Scope& scope) {
  std::vector<ElementBound> allowed;
  for (const ExprPtr& expr : contract.except)
    allowed.push_back(element_bound(number_of(*expr, scope), dtype));
  return allowed;
}

template <class T>
bool is_nan(T element) {
  if constexpr (is_float_element<T>()) {
    return std::isnan(static_cast<double>(element));
  } else {
    return false;
  }
}

template <class T>
bool within(ClauseKind kind, T element, const ElementBound& bound) {
  if constexpr (is_float_element<T>()) {
    const auto x = static_cast<double>(element);
    if (kind == ClauseKind::min) return x >= bound.real;
    if (kind == ClauseKind::max) return x <= bound.real;
    if (kind == ClauseKind::above) return x > bound.real;
    return x < bound.real;
  } else if constexpr (std::is_same_v<T, bool>) {
    return within<std::uint8_t>(kind, element ? 1 : 0, bound);
  } else {
    if (kind == ClauseKind::min) return std::cmp_greater_equal(element, bound.integer);
    if (kind == ClauseKind::max) return std::cmp_less_equal(element, bound.integer);
    if (kind == ClauseKind::above) return std::cmp_greater(element, bound.integer);
    return std::cmp_less(element, bound.integer);
  }
}

/// A whole element against a bound that is none: as numbers, so that nothing is rounded. The mantissa of a
/// long double holds every integer of 64 bits.
static_assert(std::numeric_limits<long double>::digits >= 64);
template <class T>
bool within_real(ClauseKind kind, T element, double bound) {
  const auto x = static_cast<long double>(element);
  if (kind == ClauseKind::min) return x >= bound;
  if (kind == ClauseKind::max) return x <= bound;
  if (kind == ClauseKind::above) return x > bound;
  return x < bound;
}

}  // namespace

ClauseResult check_finite(const Clause& clause, const NameContract& contract, const Value& value,
                          ClauseContext&) {
  const at::Tensor tensor = tensor_of(value);
  if (!tensor.defined()) return not_ordered(value, tensor);
  if (!clause.flag) return holds();
  at::Tensor dense = dense_cpu(tensor);
  if (c10::isComplexType(dense.scalar_type())) dense = at::view_as_real(dense).contiguous();
  // float8 has its own NaN and infinities; in float64 all of them are seen.
  if (c10::isFloat8Type(dense.scalar_type())) dense = dense_tensor(dense, true);
  Scan found;
  const bool known = visit_elements(dense, [&](const auto* elements) {
    found = scan(elements, dense.numel(), [](auto element) {
      if constexpr (is_float_element<decltype(element)>()) return std::isfinite(static_cast<double>(element));
      return true;
    });
  });
  if (!known) return broken(fmt::format("{}, which cannot be looked at", dtype_name(dense.scalar_type())));
  return report(contract.name, dense, found, {});
}

ClauseResult check_bound(const Clause& clause, const NameContract& contract, const Value& value,
                         ClauseContext& context) {
  const at::Tensor tensor = tensor_of(value);
  if (!tensor.defined() || c10::isComplexType(tensor.scalar_type())) return not_ordered(value, tensor);
  const Value number = number_of(*clause.values.front(), *context.scope);
  // Nothing is on either side of it; whole elements would be compared with whatever NaN becomes as one.
  if (number.is_real() && std::isnan(number.as_double()))
    return broken("the bound is nan", value_text(number));
  const ElementBound bound = element_bound(number, tensor.scalar_type());
  const bool real = number.is_real();
  const std::vector<ElementBound> allowed = exceptions(contract, tensor.scalar_type(), *context.scope);
  const at::Tensor dense = dense_cpu(tensor);
  Scan found;
  const bool known = visit_elements(dense, [&](const auto* elements) {
    found = scan(elements, dense.numel(), [&](auto element) {
      if (is_nan(element)) return contract.nan_allowed;
      constexpr bool whole = !is_float_element<decltype(element)>();
      if (whole && real ? within_real(clause.kind, element, number.as_double())
                        : within(clause.kind, element, bound))
        return true;
      for (const ElementBound& exception : allowed) {
        if (equals_bound(element, exception)) return true;
      }
      return false;
    });
  });
  if (!known) return not_ordered(value, tensor);
  return report(contract.name, dense, found, value_text(number));
}

ClauseResult check_one_of(const Clause& clause, const NameContract& contract, const Value& value,
                          ClauseContext& context) {
  const at::Tensor tensor = tensor_of(value);
  if (!tensor.defined() || c10::isComplexType(tensor.scalar_type())) return not_ordered(value, tensor);
  std::vector<ElementBound> listed;
  bool nan_listed = false;
  for (const ExprPtr& expr : clause.values) {
    listed.push_back(element_bound(number_of(*expr, *context.scope), tensor.scalar_type()));
    nan_listed = nan_listed || (!listed.back().is_integer && std::isnan(listed.back().real));
  }
  const std::vector<ElementBound> allowed = exceptions(contract, tensor.scalar_type(), *context.scope);
  const bool wanted = clause.kind == ClauseKind::one_of;
  const at::Tensor dense = dense_cpu(tensor);
  Scan found;
  const bool known = visit_elements(dense, [&](const auto* elements) {
    found = scan(elements, dense.numel(), [&](auto element) {
      if (is_nan(element)) return nan_listed ? wanted : contract.nan_allowed || !wanted;
      bool in_list = false;
      for (const ElementBound& entry : listed) in_list = in_list || equals_bound(element, entry);
      if (in_list == wanted) return true;
      for (const ElementBound& exception : allowed) {
        if (equals_bound(element, exception)) return true;
      }
      return false;
    });
  });
  if (!known) return not_ordered(value, tensor);
  return report(contract.name, dense, found, {});
}

}  // namespace relapse
