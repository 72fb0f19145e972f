#include <fmt/format.h>

#include <harness/device/device.hpp>
#include <harness/device/errors.hpp>
#include <harness/operator/eval_error.hpp>
#include <harness/operator/evaluate.hpp>
#include <harness/subject/run_steps.hpp>

namespace relapse {
namespace {

/// What guard() found; caught in run_steps and nowhere else.
struct Rejection {
  Breach breach;
};

const at::Tensor& tensor_argument(const Expr& call, std::size_t index, const Value& value) {
  if (!value.is_tensor()) {
    throw EvalError(fmt::format("{}() takes a tensor, not {}", call.text, kind_text(value)),
                    call.args[index]->pos);
  }
  return value.tensor();
}

void run_guard(const Step& step, const StepHooks& hooks, SubjectOutcome& outcome) {
  if (!hooks.guard) return;
  ++outcome.guards_reached;
  std::set<std::string> names;
  for (const ExprPtr& arg : step.expr->args) names.insert(to_string(*arg));
  if (std::optional<Breach> breach = hooks.guard(names)) throw Rejection{*std::move(breach)};
}

void run_backward(const Expr& call, const Scope& scope) {
  const Value root = evaluate(*call.args.at(0), scope);
  at::Tensor gradient;
  if (call.args.size() > 1) gradient = tensor_argument(call, 1, evaluate(*call.args[1], scope));
  tensor_argument(call, 0, root).backward(gradient);
}

/// `y = data(x)`: the same storage with a version counter of its own, so that autograd does not see what is
/// written to it.
Value run_data(const Expr& call, const Scope& scope) {
  const Value value = evaluate(*call.args.at(0), scope);
  return {tensor_argument(call, 0, value).variable_data()};
}

void run_seed(const Expr& call, const Scope& scope) {
  const Value value = evaluate(*call.args.at(0), scope);
  if (!value.is_integer()) throw EvalError("seed() takes an integer", call.args[0]->pos);
  seed_generators(scope.device, static_cast<std::uint64_t>(value.integer()));
}

void bind_results(const Step& step, std::vector<Value> results, Environment& environment) {
  if (step.targets.empty()) return;
  if (step.targets.size() != results.size()) {
    throw EvalError(
        fmt::format("{} {} for {} {}", step.targets.size(), step.targets.size() == 1 ? "name" : "names",
                    results.size(), results.size() == 1 ? "result" : "results"),
        step.pos);
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (step.targets[i] != "_") environment.bind(step.targets[i], std::move(results[i]));
  }
}

void run_step(const Step& step, Environment& environment, const Scope& scope, const StepHooks& hooks,
              SubjectOutcome& outcome) {
  switch (step.builtin) {
    case Builtin::guard:
      run_guard(step, hooks, outcome);
      return;
    case Builtin::backward:
      run_backward(*step.expr, scope);
      return;
    case Builtin::data:
      bind_results(step, {run_data(*step.expr, scope)}, environment);
      return;
    case Builtin::seed:
      run_seed(*step.expr, scope);
      return;
    case Builtin::synchronize:
      synchronize(scope.device);
      return;
    case Builtin::none:
      bind_results(step, evaluate_results(*step.expr, scope), environment);
      return;
  }
}

/// Called while an exception is handled.
void raise(SubjectOutcome& outcome, c10::Device device) {
  outcome.end = SubjectEnd::raised;
  outcome.raised = classify(std::current_exception());
  if (!device.is_cpu()) outcome.device = state_after_error(device);
}

}  // namespace

SubjectOutcome run_steps(const std::vector<Step>& steps, Environment& environment, const Symbols& symbols,
                         c10::Device device, const StepHooks& hooks, OverloadCache* cache, Waiting waiting) {
  SubjectOutcome outcome;
  Scope scope;
  scope.find = [&](std::string_view name) { return environment.find(name); };
  scope.find_old = hooks.old;
  scope.symbols = &symbols;
  scope.device = device;
  scope.cache = cache;
  scope.may_write = true;
  for (int index = 0; index < static_cast<int>(steps.size()); ++index) {
    const Step& step = steps[static_cast<std::size_t>(index)];
    outcome.step = index;
    try {
      if (hooks.before) hooks.before(index, step);
      run_step(step, environment, scope, hooks, outcome);
      if (waiting == Waiting::each_step) synchronize(device);
    } catch (const Rejection& rejection) {
      outcome.end = SubjectEnd::rejected;
      outcome.rejection = rejection.breach;
      return outcome;
    } catch (const EvalError& error) {
      outcome.end = SubjectEnd::case_error;
      outcome.reason = error.what();
      outcome.reason_pos = error.pos();
      return outcome;
    } catch (...) {
      raise(outcome, device);
      return outcome;
    }
  }
  outcome.step = -1;
  try {
    if (waiting == Waiting::at_end) synchronize(device);
  } catch (...) {
    raise(outcome, device);
  }
  return outcome;
}

}  // namespace relapse
