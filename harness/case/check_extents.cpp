#include <fmt/format.h>

#include <harness/case/check_inputs.hpp>
#include <harness/case/check_made.hpp>
#include <harness/support/text.hpp>

namespace relapse {

namespace {

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

/// A file of thousands of scenarios and names: what is not looked at here is found when it is run.
constexpr std::size_t kMostLooks = 2'000'000;

class ScenarioChecker {
 public:
  ScenarioChecker(ReadContext& context, const Symbols& symbols, const Case& target)
      : context_(context), target_(target), made_(context, symbols, target) {}

  void check(const Scenario& scenario, const std::vector<DimValue>& dims,
             const std::vector<DTypeValue>& dtypes, bool may_break_requires = false) {
    looks_ += target_.contract.requires_.names.size() + target_.inputs.size() + scenario.inputs.size() +
              dims.size() * (target_.dims.size() + 1) + 1;
    if (looks_ > kMostLooks) return;
    const DimMap known = dims_of(target_, dims);
    ExtentChecker checker(context_, scenario.name, known);
    for (const NameContract& contract : target_.contract.requires_.names) {
      for (const Clause& clause : contract.clauses) {
        for (const std::vector<ExprPtr>& shape : clause.shapes)
          checker.check(shape, contract.name + ".shape");
      }
    }
    for (const auto* inputs : {&target_.inputs, &scenario.inputs}) {
      for (const NamedInput& input : *inputs) {
        if (input.form.shape) checker.check(*input.form.shape, input.name + ".shape");
        if (input.form.expand) checker.check(*input.form.expand, input.name + ".expand");
      }
    }
    made_.check({scenario, known, dtypes, may_break_requires});
  }

 private:
  ReadContext& context_;
  const Case& target_;
  MadeInputs made_;
  std::size_t looks_ = 0;
};

/// A failing input may be of the wrong shape on purpose, unless it must return.
bool expects_only_returns(const Failing& failing) {
  for (const auto& [device, outcomes] : failing.expect.by_device) {
    for (const Outcome& outcome : outcomes) {
      if (outcome.kind != OutcomeKind::returns) return false;
    }
  }
  return true;
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
void check_batch(ReadContext& context, ScenarioChecker& checker, const Batch& batch) {
  std::size_t combinations = 1;
  std::vector<DimValue> first = batch.scenario.dims;
  std::vector<DTypeValue> first_dtypes = batch.scenario.dtypes;
  for (const auto& [name, values] : batch.dim_lists) {
    first.push_back(values.front());
    combinations *= std::min(values.size(), kMostCombinations + 1);
    combinations = std::min(combinations, kMostCombinations + 1);
  }
  for (const auto& [name, values] : batch.dtype_lists) {
    first_dtypes.push_back(values.front());
    combinations =
        std::min(combinations * std::min(values.size(), kMostCombinations + 1), kMostCombinations + 1);
  }
  if (combinations > kMostCombinations) {
    context.error(batch.scenario.pos, 1,
                  fmt::format("{}: its lists make more than {} combinations", batch.scenario.name,
                              with_thousands(kMostCombinations)));
    return;
  }
  checker.check(batch.scenario, first, first_dtypes);
  for (const auto& [name, values] : batch.dim_lists) {
    for (std::size_t i = 1; i < values.size(); ++i) {
      std::vector<DimValue> dims = first;
      for (DimValue& dim : dims) {
        if (dim.name == name) dim = values[i];
      }
      checker.check(batch.scenario, dims, first_dtypes);
    }
  }
}

}  // namespace

void check_extents(ReadContext& context, const Symbols& symbols, const Case& target) {
  check_dim_values(context, target);
  ScenarioChecker checker(context, symbols, target);
  for (const Failing& failing : target.failing) {
    const Scenario& scenario = failing.scenario;
    checker.check(scenario, scenario.dims, scenario.dtypes, !expects_only_returns(failing));
  }
  for (const Scenario& corrected : target.corrected)
    checker.check(corrected, corrected.dims, corrected.dtypes);
  for (const Batch& batch : target.batches) check_batch(context, checker, batch);
}

}  // namespace relapse
