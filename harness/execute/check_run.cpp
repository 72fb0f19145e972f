#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <harness/contract/side.hpp>
#include <harness/device/device.hpp>
#include <harness/device/errors.hpp>
#include <harness/execute/admissible.hpp>
#include <harness/execute/check_run.hpp>
#include <harness/execute/probe.hpp>
#include <harness/execute/twins.hpp>
#include <harness/operator/eval_error.hpp>
#include <harness/operator/evaluate.hpp>
#include <harness/plan/plan.hpp>
#include <harness/subject/run_steps.hpp>
#include <harness/tensor/facts.hpp>

namespace relapse {
namespace {

using Values = std::map<std::string, Value, std::less<>>;

std::function<const Value*(std::string_view)> finder(const Values& values) {
  return [&values](std::string_view name) -> const Value* {
    const auto found = values.find(name);
    return found == values.end() ? nullptr : &found->second;
  };
}

Values values_of(const Inputs& inputs) {
  Values values;
  for (const Input& input : inputs.all) values.emplace(input.name, value_of(input.value));
  return values;
}

/// `requires` over the inputs as they were made; what steps make later is left to guard().
void check_requires(const AttemptContext& context, const Values& before, Symbols& symbols,
                    Observation& observation) {
  Scope scope;
  scope.find = finder(before);
  scope.find_old = scope.find;
  scope.symbols = &symbols;
  References references(scope.find, {}, symbols, nullptr);
  SideContext side;
  side.scope = &scope;
  side.symbols = &symbols;
  side.references = &references;
  side.folder = context.folder;
  side.find = scope.find;
  SideFilter filter;
  filter.skip_unbound = true;
  SideResult result = check_side(context.kase->contract.requires_, side, filter);
  observation.requires_broken = std::move(result.broken);
  observation.clauses_evaluated += result.evaluated;
}

/// Values as the CPU sees them. What lies on a device is copied when it is first looked at: the copy waits
/// for the device, and is the only way to read it.
class HostValues {
 public:
  explicit HostValues(const Environment& environment) : environment_(environment) {}

  const Value* find(std::string_view name) {
    const Value* value = environment_.find(name);
    if (!value || is_on_host(*value)) return value;
    if (const auto found = copies_.find(name); found != copies_.end()) return &found->second;
    return &copies_.emplace(std::string(name), on_host(*value)).first->second;
  }

 private:
  static bool is_on_host(const Value& value) {
    if (value.is_tensor()) return !value.tensor().defined() || value.tensor().device().is_cpu();
    return !value.is_list() || std::all_of(value.list().begin(), value.list().end(), is_on_host);
  }
  static Value on_host(const Value& value) {
    if (value.is_tensor()) return {host_tensor(value.tensor())};
    if (!value.is_list()) return value;
    ValueList list;
    for (const Value& entry : value.list()) list.push_back(on_host(entry));
    return {std::move(list)};
  }

  const Environment& environment_;
  Values copies_;
};

/// What clauses see while the subject runs and after it: current values, and the inputs as they were before.
/// guard() and `ensures` look through the same window.
struct RunningSide {
  HostValues values;
  Scope scope;
  References references;
  SideContext side;

  RunningSide(const AttemptContext& context, const Environment& environment, const Values& before,
              Symbols& symbols)
      : values(environment),
        scope{[this](std::string_view name) { return values.find(name); }, finder(before), &symbols},
        references(finder(before), scope.find, symbols, nullptr) {
    side.placed = [&environment](std::string_view name) { return environment.find(name); };
    side.scope = &scope;
    side.symbols = &symbols;
    side.before = finder(before);
    side.references = &references;
    side.folder = context.folder;
    side.find = scope.find;
  }
  RunningSide(const RunningSide&) = delete;
  RunningSide& operator=(const RunningSide&) = delete;
};

/// Facts of what a step reads. Reading a device would wait for it, which an asynchronous run must not do:
/// there an input's elements are those of its original.
TensorFacts facts_before(const AttemptContext& context, const std::string& name, const Value& value,
                         const Values& before) {
  const bool may_read = context.waiting == Waiting::each_step || !value.is_tensor() ||
                        !value.tensor().defined() || value.tensor().device().is_cpu();
  TensorFacts facts = facts_of(name, to_ivalue(value), may_read);
  if (may_read) return facts;
  const auto original = before.find(name);
  if (original == before.end() || !original->second.is_tensor()) return facts;
  const TensorFacts read = facts_of(name, original->second.tensor());
  facts.min = read.min;
  facts.max = read.max;
  facts.finite = read.finite;
  facts.nans = read.nans;
  return facts;
}

StepHooks hooks_for(AttemptContext& context, const Check& check, const Environment& environment,
                    const Values& before, const Symbols& symbols, Observation& observation) {
  StepHooks hooks;
  hooks.old = finder(before);
  hooks.before = [&](int index, const Step& step) {
    StepRecord record;
    record.index = index;
    record.text = step.text;
    record.pos = step.pos;
    for (const std::string& name : names_in(*step.expr)) {
      if (const Value* value = environment.find(name))
        record.inputs.push_back(facts_before(context, name, *value, before));
    }
    if (context.step_started) context.step_started(check.name, record, step.builtin);
  };
  hooks.guard = [&](const std::set<std::string>& names) -> std::optional<Breach> {
    // guard() binds dims like any check, but what it binds is not kept: the next guard may see other shapes.
    Symbols own = symbols;
    RunningSide running(context, environment, before, own);
    SideFilter filter;
    filter.names = names;
    filter.skip_unbound = names.empty();
    SideResult result = check_side(context.kase->contract.requires_, running.side, filter, Stop::at_first);
    observation.clauses_evaluated += result.evaluated;
    if (result.broken.empty()) return std::nullopt;
    return result.broken.front();
  };
  return hooks;
}

/// Both sides of `ensures`: the contract's and what the scenario adds. After a rejection only `unchanged`
/// counts.
void check_ensures(const AttemptContext& context, const Check& check, const Environment& environment,
                   const Values& before, const Symbols& symbols, bool only_unchanged,
                   Observation& observation) {
  Symbols own = symbols;
  RunningSide running(context, environment, before, own);
  SideFilter filter;
  filter.only_unchanged = only_unchanged;
  for (const ContractSide* part : {&context.kase->contract.ensures, &check.scenario.ensures}) {
    SideResult result = check_side(*part, running.side, filter);
    observation.clauses_evaluated += result.evaluated;
    observation.broken.insert(observation.broken.end(), result.broken.begin(), result.broken.end());
  }
}

void check_poison(const Inputs& run_inputs, Observation& observation) {
  for (const Input& input : run_inputs.all) {
    if (!input.is_tensor()) continue;
    const std::string damage = find_damaged_poison(input);
    if (damage.empty()) continue;
    Breach breach;
    breach.clause = "poison";
    breach.pos = input.pos;
    breach.promised = fmt::format("what lies between the elements of {} is not touched", input.name);
    breach.seen = damage;
    observation.broken.push_back(std::move(breach));
  }
}

void record_results(const AttemptContext& context, const std::vector<Step>& steps,
                    const Environment& environment, Observation& observation) {
  std::set<std::string> names;
  for (const NameContract& contract : context.kase->contract.ensures.names) names.insert(contract.name);
  if (!steps.empty()) names.insert(steps.back().targets.begin(), steps.back().targets.end());
  for (const std::string& name : names) {
    const Value* value = environment.find(name);
    if (!value || !value->is_tensor() || !value->tensor().defined()) continue;
    observation.results.push_back({facts_of(name, value->tensor()), digest_of(value->tensor())});
  }
}

void take_over(const SubjectOutcome& outcome, Observation& observation) {
  observation.step = outcome.step;
  observation.guards_reached = outcome.guards_reached;
  observation.raised = outcome.raised;
  observation.device = outcome.device;
  switch (outcome.end) {
    case SubjectEnd::returned:
      observation.kind = ObservedKind::returned;
      break;
    case SubjectEnd::raised:
      observation.kind =
          outcome.device && outcome.device->sticky ? ObservedKind::sticky_fault : ObservedKind::raised;
      break;
    case SubjectEnd::rejected:
      observation.kind = ObservedKind::rejected;
      observation.rejection = outcome.rejection;
      observation.rejected_by = outcome.rejection->clause;
      break;
    case SubjectEnd::case_error:
      observation.kind = ObservedKind::case_error;
      observation.reason = outcome.reason;
      observation.reason_pos = outcome.reason_pos;
      break;
  }
}

/// Copies the inputs to the device of the run. Nothing of the case has run yet: what goes wrong here is the
/// machine's.
std::optional<Inputs> place_inputs(AttemptContext& context, const Inputs& inputs, Observation& observation) {
  try {
    Inputs placed = copy_inputs(inputs, context.device);
    seed_generators(context.device, context.kase->run.seed.value_or(0));
    synchronize(context.device);
    return placed;
  } catch (...) {
    if (context.device.is_cpu()) throw;
    const Raised raised = classify(std::current_exception());
    observation.kind = ObservedKind::machine;
    observation.reason = fmt::format("the inputs cannot be brought to {}, {}: {}", context.device_kind,
                                     to_string(raised.error), raised.text);
    observation.device = state_after_error(context.device);
    return std::nullopt;
  }
}

void lose_device(const AttemptContext& context, Observation& observation) {
  if (context.device_lost) context.device_lost(observation);
}

void look_at_results(AttemptContext& context, const Check& check, const std::vector<Step>& steps,
                     const Inputs& inputs, const Inputs& run_inputs, const Values& before,
                     const Symbols& symbols, const Environment& environment, Observation& observation) {
  const bool returned = observation.kind == ObservedKind::returned;
  check_ensures(context, check, environment, before, symbols, !returned, observation);
  check_poison(run_inputs, observation);
  if (returned && !check.probe) {
    check_twins(context, steps, inputs, environment, observation);
    if (observation.kind == ObservedKind::sticky_fault) return lose_device(context, observation);
    record_results(context, steps, environment, observation);
  }
  if (observation.kind == ObservedKind::rejected) observation.usable_after = known_answer(context.device);
}

void run_subject(AttemptContext& context, const Check& check, const Inputs& inputs,
                 Observation& observation) {
  const Case& kase = *context.kase;
  const std::vector<Step> steps = steps_for(kase, context.role);
  const Values before = values_of(inputs);
  Symbols symbols = inputs.symbols;
  check_requires(context, before, symbols, observation);
  if (context.role == Role::fixed && !is_checked_somewhere(kase, steps, observation)) return;
  if (!is_admissible(kase, check, observation)) return;

  const std::optional<Inputs> placed = place_inputs(context, inputs, observation);
  if (!placed) return;
  const Inputs& run_inputs = *placed;
  Environment environment(run_inputs);
  for (const Step& step : steps) observation.guards_expected += step.builtin == Builtin::guard ? 1 : 0;
  const StepHooks hooks = hooks_for(context, check, environment, before, symbols, observation);
  take_over(
      run_steps(steps, environment, symbols, context.device, hooks, &context.overloads, context.waiting),
      observation);
  if (observation.kind == ObservedKind::sticky_fault) return lose_device(context, observation);
  if (observation.kind == ObservedKind::case_error) return;
  try {
    look_at_results(context, check, steps, inputs, run_inputs, before, symbols, environment, observation);
  } catch (const EvalError&) {
    throw;
  } catch (...) {
    if (context.device.is_cpu()) throw;
    // The subject returned, and its results cannot be fetched: what it launched has failed.
    observation.raised = classify(std::current_exception());
    observation.device = state_after_error(context.device);
    observation.kind = observation.device->sticky ? ObservedKind::sticky_fault : ObservedKind::raised;
    observation.step = -1;
    if (observation.kind == ObservedKind::sticky_fault) lose_device(context, observation);
  }
}

}  // namespace

FormResult<Inputs> inputs_of(AttemptContext& context, const Check& check) {
  if (!check.probe) return make_inputs(*context.kase, check.scenario, InputsEvaluator{});
  if (!context.probed) {
    FormResult<Inputs> made = make_inputs(*context.kase, check.scenario, InputsEvaluator{});
    if (!made) return made;
    context.probed = std::move(*made);
  }
  return copy_inputs(*context.probed, c10::Device(c10::kCPU));
}

Observation run_check(AttemptContext& context, const Check& check) {
  const auto start = std::chrono::steady_clock::now();
  Observation observation;
  observation.check = check.name;
  const auto case_error = [&](std::string reason, SourcePos pos) {
    observation.kind = ObservedKind::case_error;
    observation.reason = std::move(reason);
    observation.reason_pos = pos;
  };
  try {
    FormResult<Inputs> inputs = inputs_of(context, check);
    if (!inputs) {
      case_error(inputs.error().message, inputs.error().pos);
    } else {
      const std::string left_out = check.probe ? apply_probe(*context.kase, *check.probe, *inputs) : "";
      if (!left_out.empty()) {
        observation.kind = ObservedKind::left_out;
        observation.reason = left_out;
        observation.reason_pos = check.pos;
      } else {
        for (const Input& input : inputs->all)
          observation.inputs.push_back(facts_of(input.name, input.value));
        run_subject(context, check, *inputs, observation);
      }
    }
  } catch (const EvalError& error) {
    case_error(error.what(), error.pos());
  } catch (...) {
    // Outside the subject: an input could not be computed, or a clause could not be evaluated for lack of
    // memory.
    const Raised raised = classify(std::current_exception());
    case_error(fmt::format("outside the subject, {}: {}", to_string(raised.error), raised.text), check.pos);
  }
  observation.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return observation;
}

}  // namespace relapse
