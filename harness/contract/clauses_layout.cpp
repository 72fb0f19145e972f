#include <fmt/format.h>

#include <algorithm>
#include <harness/contract/clause.hpp>
#include <harness/operator/eval_error.hpp>
#include <harness/operator/evaluate.hpp>
#include <harness/support/text.hpp>
#include <harness/tensor/dtype_map.hpp>
#include <harness/tensor/facts.hpp>

namespace relapse {
namespace {

ClauseResult no_tensor(const Value& value) {
  return broken(fmt::format("{} where a tensor is due", kind_text(value)));
}

/// `rank`, `numel`: equal to one of the values, or within {min, max}.
ClauseResult check_count(const Clause& clause, std::int64_t count, std::string_view what,
                         const Scope& scope) {
  const auto integer = [&](const Expr& expr) {
    const Value value = number_of(expr, scope);
    if (!value.is_integer())
      throw EvalError(fmt::format("expected an integer, got {}", value_text(value)), expr.pos);
    return value.integer();
  };
  if (clause.values.empty() && !clause.at_least && !clause.at_most)
    throw EvalError("no number is allowed, so this clause says nothing", clause.value_pos);
  std::vector<std::string> due;
  for (const ExprPtr& expr : clause.values) {
    const std::int64_t wanted = integer(*expr);
    if (count == wanted) return holds();
    due.push_back(std::to_string(wanted));
  }
  if (!clause.values.empty()) return broken(fmt::format("{} {}", what, count), join_or(due));
  if (clause.at_least && count < integer(*clause.at_least)) {
    return broken(fmt::format("{} {}", what, count), fmt::format("at least {}", integer(*clause.at_least)));
  }
  if (clause.at_most && count > integer(*clause.at_most)) {
    return broken(fmt::format("{} {}", what, with_thousands(count)),
                  fmt::format("at most {}", with_thousands(integer(*clause.at_most))));
  }
  return holds();
}

}  // namespace

ClauseResult check_dtype(const Clause& clause, const NameContract&, const Value& value,
                         ClauseContext& context) {
  const at::Tensor tensor = tensor_of(value);
  if (!value.is_tensor() || !tensor.defined()) return no_tensor(value);
  std::vector<std::string> due;
  for (const DTypeRef& ref : clause.dtypes) {
    const std::optional<DType> dtype = context.symbols->dtype(ref);
    if (!dtype)
      throw EvalError(fmt::format("dtype {} has no value here; list it in dtypes", ref.symbol), ref.pos);
    if (to_scalar_type(*dtype) == tensor.scalar_type()) return holds();
    due.emplace_back(to_string(*dtype));
  }
  return broken(dtype_name(tensor.scalar_type()), join_or(due));
}

ClauseResult check_shape(const Clause& clause, const NameContract&, const Value& value,
                         ClauseContext& context) {
  const at::Tensor tensor = tensor_of(value);
  if (!tensor.defined()) return no_tensor(value);
  const std::vector<std::int64_t> extents = tensor.sizes().vec();
  std::string why;
  for (const std::vector<ExprPtr>& shape : clause.shapes) {
    Symbols trial = *context.symbols;
    why = bind_shape(shape, extents, trial);
    if (why.empty()) {
      *context.symbols = std::move(trial);
      return holds();
    }
  }
  ClauseResult result = broken(shape_text(extents));
  if (clause.shapes.size() == 1) result.details.push_back(why);
  return result;
}

ClauseResult check_rank(const Clause& clause, const NameContract&, const Value& value,
                        ClauseContext& context) {
  const at::Tensor tensor = tensor_of(value);
  if (!tensor.defined()) return no_tensor(value);
  return check_count(clause, tensor.dim(), "rank", *context.scope);
}

ClauseResult check_numel(const Clause& clause, const NameContract&, const Value& value,
                         ClauseContext& context) {
  const at::Tensor tensor = tensor_of(value);
  if (!tensor.defined()) return no_tensor(value);
  return check_count(clause, tensor.numel(), "elements:", *context.scope);
}

ClauseResult check_contiguous(const Clause& clause, const NameContract&, const Value& value, ClauseContext&) {
  const at::Tensor tensor = tensor_of(value);
  if (!tensor.defined()) return no_tensor(value);
  if (tensor.is_contiguous() == clause.flag) return holds();
  return broken(
      fmt::format("strides {} for {}", shape_text(tensor.strides().vec()), shape_text(tensor.sizes().vec())));
}

ClauseResult check_memory_format(const Clause& clause, const NameContract&, const Value& value,
                                 ClauseContext&) {
  const at::Tensor tensor = tensor_of(value);
  if (!tensor.defined()) return no_tensor(value);
  for (const std::string& word : clause.words) {
    const std::optional<MemoryFormat> format = memory_format_from(word);
    if (!format) continue;
    if (*format == MemoryFormat::channels_last && tensor.dim() != 4) continue;
    if (*format == MemoryFormat::channels_last_3d && tensor.dim() != 5) continue;
    if (tensor.is_contiguous(to_memory_format(*format))) return holds();
  }
  return broken(
      fmt::format("strides {} for {}", shape_text(tensor.strides().vec()), shape_text(tensor.sizes().vec())));
}

ClauseResult check_strides(const Clause& clause, const NameContract&, const Value& value,
                           ClauseContext& context) {
  const at::Tensor tensor = tensor_of(value);
  if (!tensor.defined()) return no_tensor(value);
  std::vector<std::int64_t> due;
  for (const ExprPtr& expr : clause.values) {
    const Value stride = evaluate(*expr, *context.scope);
    if (!stride.is_integer()) throw EvalError("strides are integers", expr->pos);
    due.push_back(stride.integer());
  }
  if (tensor.strides().vec() == due) return holds();
  return broken(shape_text(tensor.strides().vec()), shape_text(due));
}

ClauseResult check_device(const Clause& clause, const NameContract&, const Value& value,
                          ClauseContext& context) {
  const at::Tensor tensor = tensor_of(context.placed ? *context.placed : value);
  if (!tensor.defined()) return no_tensor(value);
  const std::string full = tensor.device().str();
  const std::string kind = full.substr(0, full.find(':'));
  for (const std::string& word : clause.words) {
    if (word == full || word == kind) return holds();
  }
  return broken(full, join_or(clause.words));
}

ClauseResult check_requires_grad(const Clause& clause, const NameContract&, const Value& value,
                                 ClauseContext&) {
  const at::Tensor tensor = tensor_of(value);
  if (!tensor.defined()) return no_tensor(value);
  if (tensor.requires_grad() == clause.flag) return holds();
  return broken(tensor.requires_grad() ? "it requires a gradient" : "it requires no gradient");
}

}  // namespace relapse
