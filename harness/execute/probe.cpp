#include <ATen/ops/as_strided.h>
#include <ATen/ops/cat.h>
#include <fmt/format.h>

#include <cmath>
#include <harness/contract/clause.hpp>
#include <harness/contract/elements.hpp>
#include <harness/execute/probe.hpp>
#include <harness/operator/eval_error.hpp>
#include <harness/plan/probes.hpp>
#include <harness/tensor/dtype_map.hpp>
#include <harness/tensor/form.hpp>
#include <limits>
#include <map>

namespace relapse {
namespace {

const Clause* find(const NameContract& contract, ClauseKind first, ClauseKind second) {
  for (const Clause& clause : contract.clauses) {
    if (clause.kind == first || clause.kind == second) return &clause;
  }
  return nullptr;
}

/// One element as a 0-d view of the tensor's storage, whatever the layout.
at::Tensor element_view(const at::Tensor& tensor, bool last) {
  std::int64_t offset = tensor.storage_offset();
  if (last) {
    for (std::int64_t dim = 0; dim < tensor.dim(); ++dim)
      offset += (tensor.size(dim) - 1) * tensor.stride(dim);
  }
  return at::as_strided(tensor.detach(), {}, {}, offset);
}

struct Range {
  std::int64_t low = 0, high = 0;
};
Range integer_range(c10::ScalarType dtype) {
  switch (dtype) {
    case c10::ScalarType::Bool:
      return {0, 1};
    case c10::ScalarType::Byte:
      return {0, 255};
    case c10::ScalarType::Char:
      return {-128, 127};
    case c10::ScalarType::Short:
      return {-32768, 32767};
    case c10::ScalarType::UInt16:
      return {0, 65535};
    case c10::ScalarType::Int:
      return {std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()};
    case c10::ScalarType::UInt32:
      return {0, std::numeric_limits<std::uint32_t>::max()};
    case c10::ScalarType::UInt64:
      return {0, std::numeric_limits<std::int64_t>::max()};
    default:
      return {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
  }
}

/// The value `steps` away from the bound (-1, 0 or 1), written into the element; empty, or why there is none.
std::string put(const at::Tensor& element, const ElementBound& bound, int steps) {
  const c10::ScalarType dtype = element.scalar_type();
  if (c10::isFloatingType(dtype)) {
    const double value = steps == 0 ? bound.real : next_value(bound.real, steps > 0, dtype);
    if (!std::isfinite(value)) return fmt::format("no finite {} lies beyond the bound", dtype_name(dtype));
    element.fill_(value);
    return {};
  }
  const Range range = integer_range(dtype);
  const std::optional<std::int64_t> value = checked_add(bound.integer, steps);
  if (!value || *value < range.low || *value > range.high) {
    return fmt::format("no {} lies beyond the bound", dtype_name(dtype));
  }
  element.fill_(*value);
  return {};
}

std::string put_bound(const NameContract& contract, const Probe& probe, const at::Tensor& tensor,
                      const Scope& scope) {
  const bool lower = probe.kind == ProbeKind::min || probe.kind == ProbeKind::below_min;
  const Clause* clause = lower ? find(contract, ClauseKind::min, ClauseKind::above)
                               : find(contract, ClauseKind::max, ClauseKind::below);
  if (!clause) return "there is no such bound";
  const bool open = clause->kind == ClauseKind::above || clause->kind == ClauseKind::below;
  const ElementBound bound = element_bound(
      number_of(*clause->values.front(), scope), tensor.scalar_type(),
      clause->kind == ClauseKind::min || clause->kind == ClauseKind::below ? Rounding::up : Rounding::down);
  // An open bound is itself outside: the value inside lies one step further in, and the value outside is the
  // bound.
  const int inward = lower ? 1 : -1;
  const int steps = (open ? inward : 0) - (probe.must_hold() ? 0 : inward);
  return put(element_view(tensor, probe.last), bound, steps);
}

std::string put_beside_except(const NameContract& contract, const Probe& probe, const at::Tensor& tensor,
                              const Scope& scope) {
  const ExprPtr& expr = contract.except.at(static_cast<std::size_t>(probe.except_index));
  const ElementBound value = element_bound(number_of(*expr, scope), tensor.scalar_type());
  return put(element_view(tensor, probe.last), value, probe.kind == ProbeKind::below_except ? -1 : 1);
}

/// A dtype that the clause does not allow; the first such of a fixed list, values of small integers survive
/// in all of them.
std::optional<c10::ScalarType> other_dtype(const NameContract& contract, const at::Tensor& tensor,
                                           const Symbols& symbols) {
  const Clause* clause = find(contract, ClauseKind::dtype, ClauseKind::dtype);
  for (const c10::ScalarType candidate :
       {c10::ScalarType::Int, c10::ScalarType::Long, c10::ScalarType::Double, c10::ScalarType::Float,
        c10::ScalarType::Half, c10::ScalarType::Short}) {
    if (c10::isFloatingType(candidate) != c10::isFloatingType(tensor.scalar_type()) ||
        candidate == tensor.scalar_type())
      continue;
    bool allowed = false;
    for (const DTypeRef& ref : clause ? clause->dtypes : std::vector<DTypeRef>{}) {
      const std::optional<DType> dtype = symbols.dtype(ref);
      allowed = allowed || (dtype && to_scalar_type(*dtype) == candidate);
    }
    if (!allowed) return candidate;
  }
  return std::nullopt;
}

std::string violate(const NameContract& contract, const Probe& probe, Input& input, const Symbols& symbols) {
  const at::Tensor tensor = input.value.toTensor();
  at::Tensor changed;
  if (probe.kind == ProbeKind::nan) {
    if (!c10::isFloatingType(tensor.scalar_type())) return "its dtype has no NaN";
    if (tensor.numel() == 0) return "it has no element";
    element_view(tensor, false).fill_(std::nan(""));
    return {};
  }
  if (probe.kind == ProbeKind::dtype) {
    const std::optional<c10::ScalarType> dtype = other_dtype(contract, tensor, symbols);
    if (!dtype) return "every dtype of its kind is allowed";
    changed = tensor.detach().to(*dtype);
  } else if (probe.kind == ProbeKind::rank) {
    changed = tensor.detach().unsqueeze(0);
  } else {
    std::int64_t dim = 0;
    while (dim < tensor.dim() && tensor.size(dim) == 0) ++dim;
    if (dim >= tensor.dim()) return "it has no extent to grow";
    changed = at::cat({tensor.detach(), tensor.detach().narrow(dim, tensor.size(dim) - 1, 1)}, dim);
  }
  if (tensor.requires_grad()) changed.set_requires_grad(true);
  input.value = changed;
  return {};
}

}  // namespace

std::string apply_probe(const Case& kase, const Probe& probe, Inputs& inputs) {
  const NameContract* contract = kase.contract.requires_.find(probe.name);
  for (Input& input : inputs.all) {
    if (input.name != probe.name || !contract) continue;
    if (!input.is_tensor()) return "it is no tensor";
    const at::Tensor tensor = input.value.toTensor();
    const bool violation = is_violation(probe.kind);
    if (violation) return violate(*contract, probe, input, inputs.symbols);
    if (tensor.numel() == 0) return "it has no element";
    // A bound may be told by another input: `max: rows - 1`.
    std::map<std::string, Value, std::less<>> values;
    for (const Input& other : inputs.all) values.emplace(other.name, value_of(other.value));
    Scope scope;
    scope.find = [&](std::string_view name) -> const Value* {
      const auto found = values.find(name);
      return found == values.end() ? nullptr : &found->second;
    };
    scope.symbols = &inputs.symbols;
    if (probe.kind == ProbeKind::below_except || probe.kind == ProbeKind::above_except) {
      return put_beside_except(*contract, probe, tensor, scope);
    }
    return put_bound(*contract, probe, tensor, scope);
  }
  return "there is no such input";
}

}  // namespace relapse
