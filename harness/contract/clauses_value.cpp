#include <ATen/ops/sum.h>
#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <harness/contract/clause.hpp>
#include <harness/contract/compare.hpp>
#include <harness/contract/elements.hpp>
#include <harness/contract/reference.hpp>
#include <harness/device/errors.hpp>
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

ClauseResult compared(const at::Tensor& actual, const at::Tensor& expected, const NameContract& contract,
                      CompareTable table) {
  if (actual.sizes() != expected.sizes()) {
    return broken(fmt::format("shape {} where {} was due", shape_text(actual.sizes().vec()),
                              shape_text(expected.sizes().vec())));
  }
  const Comparison comparison =
      compare_tensors(actual, dense_cpu(expected), contract.compare.value_or(Compare{}), table);
  if (comparison.equal) return holds();
  std::vector<std::string> lines = comparison.lines(actual.sizes().vec());
  ClauseResult result = broken(lines.empty() ? "other values" : lines.front());
  result.details.push_back(comparison.rule);
  result.picture = comparison.picture;
  if (lines.size() > 1) result.details.insert(result.details.end(), lines.begin() + 1, lines.end());
  return result;
}

/// What an operator of a reference throws breaks the clause; a mistake in the expression is the case's and
/// goes on.
template <class Make>
ClauseResult guarded(Make make) {
  try {
    return make();
  } catch (const EvalError&) {
    throw;
  } catch (...) {
    const Raised raised = classify(std::current_exception());
    return broken(
        fmt::format("the reference raised {}: {}", to_string(raised.error), relapse::quoted(raised.text)));
  }
}

/// `y: {same_as: y}` holds whatever y is. Of an input it says that the subject leaves it as it was.
void refuse_itself(const Expr& reference, const Clause& clause, const NameContract& contract,
                   const ClauseContext& context) {
  if (context.before || to_string(reference) != contract.name) return;
  throw EvalError(
      fmt::format("{}.{} compares {} with itself", contract.name, to_string(clause.kind), contract.name),
      clause.value_pos);
}

}  // namespace

ClauseResult check_sums_to(const Clause& clause, const NameContract&, const Value& value,
                           ClauseContext& context) {
  const at::Tensor tensor = tensor_of(value);
  if (!tensor.defined()) return no_tensor(value);
  const double due = number_of(*clause.sum, *context.scope).as_double();
  if (c10::isComplexType(tensor.scalar_type()))
    return broken(fmt::format("{}, of which no sum is compared", dtype_name(tensor.scalar_type())));
  at::Tensor wide = dense_tensor(tensor, true);
  // LibTorch has no sum of these.
  const c10::ScalarType dtype = wide.scalar_type();
  if (dtype == c10::ScalarType::UInt16 || dtype == c10::ScalarType::UInt32)
    wide = wide.to(c10::ScalarType::Long);
  if (dtype == c10::ScalarType::UInt64) wide = wide.to(c10::ScalarType::Double);
  at::Tensor sums;
  if (clause.sum_dim) {
    const Value dim = number_of(*clause.sum_dim, *context.scope);
    if (!dim.is_integer()) throw EvalError("sums_to.dim is an integer", clause.sum_dim->pos);
    if (dim.integer() < -wide.dim() || dim.integer() >= wide.dim()) {
      return broken(fmt::format("rank {}, so there is no dim {}", wide.dim(), dim.integer()));
    }
    sums = at::sum(wide, {dim.integer()});
  } else {
    sums = at::sum(wide);
  }
  sums = sums.to(c10::ScalarType::Double).contiguous();
  const Tolerance table = default_tolerance(tensor.scalar_type(), CompareTable::same_as);
  const double rtol = clause.rtol.value_or(clause.atol ? 0.0 : table.rtol);
  const double atol = clause.atol.value_or(clause.rtol ? 0.0 : table.atol);
  const double* elements = sums.const_data_ptr<double>();
  for (std::int64_t i = 0; i < sums.numel(); ++i) {
    // An infinity is near nothing but itself, whatever the tolerance.
    const double off = std::abs(elements[i] - due);
    if (elements[i] == due || (std::isfinite(off) && off <= atol + rtol * std::abs(due))) continue;
    const std::vector<std::int64_t> shape = sums.sizes().vec();
    return broken(fmt::format("{}sum {} where {} was due", shape.empty() ? "" : index_text(shape, i) + ": ",
                              number_text(elements[i], c10::ScalarType::Double),
                              number_text(due, c10::ScalarType::Double)));
  }
  return holds();
}

ClauseResult check_equals(const Clause& clause, const NameContract& contract, const Value& value,
                          ClauseContext& context) {
  const at::Tensor actual = tensor_of(value);
  if (!actual.defined()) return no_tensor(value);
  const InputForm& form = *clause.expected;
  if (form.source == InputSource::computed) {
    refuse_itself(*form.expr, clause, contract, context);
    return guarded([&] {
      const at::Tensor expected = tensor_of(context.references->evaluate_expression(*form.expr));
      if (!expected.defined()) throw EvalError("equals needs a tensor or a number", clause.value_pos);
      return compared(dense_cpu(actual), expected, contract, CompareTable::equals);
    });
  }
  FormContext form_context;
  form_context.name = contract.name;
  form_context.symbols = context.symbols;
  form_context.folder = context.folder;
  form_context.default_shape = actual.sizes().vec();
  form_context.default_dtype = actual.scalar_type();
  const FormResult<c10::IValue> expected = make_form(form, form_context);
  if (!expected) throw EvalError(expected.error().message, expected.error().pos);
  const at::Tensor tensor = tensor_of(value_of(*expected));
  if (!tensor.defined()) throw EvalError("equals needs a tensor or a number", clause.value_pos);
  return compared(dense_cpu(actual), tensor, contract, CompareTable::equals);
}

ClauseResult check_same_as(const Clause& clause, const NameContract& contract, const Value& value,
                           ClauseContext& context) {
  const at::Tensor actual = tensor_of(value);
  if (!actual.defined()) return no_tensor(value);
  if (clause.reference.size() == 1) refuse_itself(*clause.reference.front().expr, clause, contract, context);
  return guarded([&] {
    const Value reference = context.references->evaluate_steps(clause.reference);
    const at::Tensor expected = tensor_of(reference);
    if (!expected.defined()) {
      throw EvalError(fmt::format("same_as needs a tensor or a number, not {}", kind_text(reference)),
                      clause.value_pos);
    }
    const std::optional<c10::ScalarType> dtype = context.references->own_dtype(clause.reference);
    if (dtype && *dtype != actual.scalar_type()) {
      return broken(fmt::format("{} where {} was due", dtype_name(actual.scalar_type()), dtype_name(*dtype)));
    }
    return compared(dense_cpu(actual), expected, contract, CompareTable::same_as);
  });
}

ClauseResult check_unchanged(const Clause& clause, const NameContract& contract, const Value& value,
                             ClauseContext& context) {
  if (!clause.flag) return holds();
  const at::Tensor now = tensor_of(value);
  if (!now.defined()) return no_tensor(value);
  if (!context.before || !context.before->is_tensor()) {
    throw EvalError(fmt::format("unchanged: {} is no input", contract.name), clause.pos);
  }
  const at::Tensor before = dense_cpu(context.before->tensor());
  const at::Tensor after = dense_cpu(now);
  if (before.scalar_type() != after.scalar_type() || before.sizes() != after.sizes()) {
    return broken(fmt::format("{} {} where {} {} was", dtype_name(after.scalar_type()),
                              shape_text(after.sizes().vec()), dtype_name(before.scalar_type()),
                              shape_text(before.sizes().vec())));
  }
  const auto size = static_cast<std::size_t>(before.element_size());
  const auto* a = static_cast<const char*>(before.const_data_ptr());
  const auto* b = static_cast<const char*>(after.const_data_ptr());
  std::int64_t first = -1, changed = 0;
  for (std::int64_t i = 0; i < before.numel(); ++i) {
    const std::size_t at = static_cast<std::size_t>(i) * size;
    if (std::memcmp(a + at, b + at, size) == 0) continue;
    if (changed++ == 0) first = i;
  }
  if (changed == 0) return holds();
  const std::vector<std::int64_t> shape = before.sizes().vec();
  return broken(fmt::format("{} of {} elements changed; {}{} was {} and is {}", with_thousands(changed),
                            with_thousands(before.numel()), contract.name,
                            shape.empty() ? "" : index_text(shape, first), element_text(before, first),
                            element_text(after, first)));
}

}  // namespace relapse
