#include <fmt/format.h>

#include <harness/case/check_inputs.hpp>
#include <harness/support/text.hpp>
#include <map>

namespace relapse {

namespace {

using DimMap = std::map<std::string, std::int64_t, std::less<>>;

DimLookup lookup_in(const DimMap& dims) {
  return [&dims](std::string_view name) -> std::optional<std::int64_t> {
    const auto found = dims.find(name);
    return found == dims.end() ? std::nullopt : std::optional(found->second);
  };
}

/// The dims with the scenario's values over the case's. What cannot be evaluated is left out: dims that only
/// shapes bind are known later.
DimMap dims_of(const Case& target, const std::vector<DimValue>& overlay) {
  DimMap dims;
  const auto set = [&](const DimValue& dim) {
    if (dim.value == nullptr) return;
    if (const Result<std::int64_t> value = evaluate_integer(*dim.value, lookup_in(dims)))
      dims[dim.name] = *value;
  };
  const auto overlaid = [&](const DimValue& dim) -> const DimValue& {
    for (const DimValue& other : overlay) {
      if (other.name == dim.name) return other;
    }
    return dim;
  };
  for (const DimValue& dim : target.dims) set(overlaid(dim));
  for (const DimValue& dim : overlay) {
    if (dims.count(dim.name) == 0) set(dim);
  }
  return dims;
}

class ExtentChecker {
 public:
  ExtentChecker(ReadContext& context, const std::string& scenario, DimMap dims)
      : context_(context), scenario_(scenario), dims_(std::move(dims)) {}

  void check(const std::vector<ExprPtr>& shape, const std::string& what) {
    std::int64_t product = 1;
    const std::int64_t most = context_.limits().extent_product;
    for (const ExprPtr& expr : shape) {
      if (expr == nullptr) continue;
      const Result<std::int64_t> extent = evaluate_integer(*expr, lookup_in(dims_));
      if (!extent) continue;
      if (*extent < 0) {
        context_.error(
            expr->pos, 1,
            fmt::format("{}: the extent {} is {} in {}", what, to_string(*expr), *extent, scenario_));
        return;
      }
      const std::optional<std::int64_t> next = checked_mul(product, *extent);
      if (!next || *next > most) {
        context_.error(shape.front()->pos, 1,
                       fmt::format("{}: more than {} elements in {}", what, with_thousands(most), scenario_));
        return;
      }
      // An empty tensor is small whatever its other extents are; they still are to be counted.
      product = *next == 0 ? product : *next;
    }
  }

 private:
  ReadContext& context_;
  const std::string& scenario_;
  DimMap dims_;
};

void check_scenario(ReadContext& context, const Case& target, const Scenario& scenario,
                    const std::vector<DimValue>& dims) {
  ExtentChecker checker(context, scenario.name, dims_of(target, dims));
  for (const NameContract& contract : target.contract.requires_.names) {
    for (const Clause& clause : contract.clauses) {
      for (const std::vector<ExprPtr>& shape : clause.shapes) checker.check(shape, contract.name + ".shape");
    }
  }
  for (const auto* inputs : {&target.inputs, &scenario.inputs}) {
    for (const NamedInput& input : *inputs) {
      if (input.form.shape) checker.check(*input.form.shape, input.name + ".shape");
      if (input.form.expand) checker.check(*input.form.expand, input.name + ".expand");
    }
  }
}

void check_dim_values(ReadContext& context, const Case& target) {
  DimMap dims;
  for (const DimValue& dim : target.dims) {
    if (dim.value == nullptr) continue;
    const Result<std::int64_t> value = evaluate_integer(*dim.value, lookup_in(dims));
    if (value) {
      dims[dim.name] = *value;
    } else if (!value.error().message.starts_with("unknown name")) {
      context.error(dim.value->pos, 1, fmt::format("dims.{}: {}", dim.name, value.error().message));
    } else {
      // The name exists, or its own message was given; here it is only known too late.
      context.error(dim.value->pos, 1,
                    fmt::format("dims.{}: {} is not made of dims above it", dim.name,
                                quoted(to_string(*dim.value), 60)));
    }
  }
}

constexpr std::size_t kMostCombinations = 10'000;

/// Every list value is tried alone beside the first values of the others: enough to meet each extent that is
/// too large, without the whole product.
void check_batch(ReadContext& context, const Case& target, const Batch& batch) {
  std::size_t combinations = 1;
  std::vector<DimValue> first = batch.scenario.dims;
  for (const auto& [name, values] : batch.dim_lists) {
    first.push_back(values.front());
    combinations *= std::min(values.size(), kMostCombinations + 1);
    combinations = std::min(combinations, kMostCombinations + 1);
  }
  for (const auto& [name, values] : batch.dtype_lists) {
    combinations =
        std::min(combinations * std::min(values.size(), kMostCombinations + 1), kMostCombinations + 1);
  }
  if (combinations > kMostCombinations) {
    context.error(batch.scenario.pos, 1,
                  fmt::format("{}: its lists make more than {} combinations", batch.scenario.name,
                              with_thousands(kMostCombinations)));
    return;
  }
  check_scenario(context, target, batch.scenario, first);
  for (const auto& [name, values] : batch.dim_lists) {
    for (std::size_t i = 1; i < values.size(); ++i) {
      std::vector<DimValue> dims = first;
      for (DimValue& dim : dims) {
        if (dim.name == name) dim = values[i];
      }
      check_scenario(context, target, batch.scenario, dims);
    }
  }
}

}  // namespace

void check_extents(ReadContext& context, const Case& target) {
  check_dim_values(context, target);
  for (const Failing& failing : target.failing)
    check_scenario(context, target, failing.scenario, failing.scenario.dims);
  for (const Scenario& corrected : target.corrected)
    check_scenario(context, target, corrected, corrected.dims);
  for (const Batch& batch : target.batches) check_batch(context, target, batch);
}

}  // namespace relapse
