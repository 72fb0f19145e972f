#include <fmt/format.h>

#include <algorithm>
#include <harness/contract/compare.hpp>
#include <harness/contract/elements.hpp>
#include <harness/device/device.hpp>
#include <harness/execute/twins.hpp>
#include <harness/operator/eval_error.hpp>
#include <harness/plan/plan.hpp>
#include <harness/subject/run_steps.hpp>
#include <harness/support/text.hpp>
#include <harness/tensor/facts.hpp>

namespace relapse {
namespace {

/// Every name whose value both runs must agree on: those of ensures, the last results of steps, inputs that
/// the subject changed, and gradients.
std::vector<std::string> compared_names(const Case& kase, const std::vector<Step>& steps,
                                        const Inputs& inputs, const Environment& first) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (name != "_" && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const NameContract& contract : kase.contract.ensures.names) add(contract.name);
  // What comes behind the last result, such as guard() or backward(), makes none.
  const auto last =
      std::find_if(steps.rbegin(), steps.rend(), [](const Step& s) { return !s.targets.empty(); });
  if (last != steps.rend()) {
    for (const std::string& target : last->targets) add(target);
  }
  for (const Input& input : inputs.all) {
    if (!input.is_tensor()) continue;
    if (first.find(input.name + ".grad")) add(input.name + ".grad");
    const at::Tensor now = first.input_tensor(input.name);
    if (now.defined() && digest_of(now) != digest_of(input.value.toTensor())) add(input.name);
  }
  return names;
}

Inputs inputs_for(Twin twin, const Inputs& inputs, c10::Device device) {
  if (twin == Twin::float64) {
    Inputs wide = dense_inputs(inputs, true);
    // A step that says `.to(F)` must stay wide as well, or the twin would round where the subject does.
    for (auto& [name, dtype] : wide.symbols.dtypes) {
      if (is_floating(dtype)) dtype = DType::float64;
      if (is_complex(dtype)) dtype = DType::complex128;
    }
    return wide;
  }
  if (twin == Twin::contiguous) return copy_inputs(dense_inputs(inputs, false), device);
  return copy_inputs(inputs, device);
}

/// `picture` is of the first tensor that differs.
std::vector<std::string> differences(const std::string& name, const Value* one, const Value* other,
                                     const Compare& compare, std::optional<MismatchPicture>& picture) {
  if (!one || !other) return {fmt::format("{} has no value in {} run", name, one ? "the other" : "this")};
  if (one->is_list() && other->is_list()) {
    if (one->list().size() != other->list().size()) {
      return {fmt::format("{}: {} here, {} there", name, kind_text(*one), kind_text(*other))};
    }
    std::vector<std::string> all;
    for (std::size_t i = 0; i < one->list().size(); ++i) {
      const std::vector<std::string> lines =
          differences(fmt::format("{}[{}]", name, i), &one->list()[i], &other->list()[i], compare, picture);
      all.insert(all.end(), lines.begin(), lines.end());
    }
    return all;
  }
  if (!one->is_tensor() || !other->is_tensor()) {
    if (value_text(*one) == value_text(*other)) return {};
    return {fmt::format("{}: {} here, {} there", name, value_text(*one), value_text(*other))};
  }
  const at::Tensor a = dense_cpu(one->tensor());
  const at::Tensor b = dense_cpu(other->tensor());
  if (a.sizes() != b.sizes()) {
    return {fmt::format("{}: shape {} here, {} there", name, shape_text(a.sizes().vec()),
                        shape_text(b.sizes().vec()))};
  }
  const Comparison comparison = compare_tensors(a, b, compare, CompareTable::agrees);
  if (comparison.equal) return {};
  if (!picture) picture = comparison.picture;
  std::vector<std::string> lines = comparison.lines(a.sizes().vec());
  lines.front() = name + ": " + lines.front();
  return lines;
}

/// Draws of a generator differ between devices although their seeds are equal.
bool draws_numbers(const OverloadCache& used) {
  return std::any_of(used.begin(), used.end(),
                     [](const auto& entry) { return entry.second.hasTag(at::Tag::nondeterministic_seeded); });
}

/// One more run of the subject, and the names that it left.
struct TwinRun {
  Inputs inputs;
  Environment environment;
  SubjectOutcome outcome;
};

TwinRun run_twin(AttemptContext& context, Twin twin, const std::vector<Step>& steps, const Inputs& inputs) {
  const bool on_cpu = twin == Twin::float64 || twin == Twin::cpu;
  const c10::Device device = on_cpu ? c10::Device(c10::kCPU) : context.device;
  TwinRun run;
  run.inputs = inputs_for(twin, inputs, device);
  run.environment = Environment(run.inputs);
  // The same draws as in the first run: what a twin changes is nothing else.
  seed_generators(device, context.kase->run.seed.value_or(0));
  run.outcome = run_steps(steps, run.environment, run.inputs.symbols, device, {}, &context.overloads);
  return run;
}

/// What differs between two runs, name by name; the picture is of the first tensor that does.
struct Disagreement {
  std::vector<std::string> lines;
  std::optional<MismatchPicture> picture;
};
Disagreement disagreement(const std::vector<std::string>& names, const Agreement& agreement,
                          const Environment& one, const Environment& other) {
  // Here two runs are compared with one another, so NaN in the same places is agreement.
  Compare compare = agreement.compare.value_or(Compare{});
  compare.nan_same_places = true;
  Disagreement all;
  for (const std::string& name : names) {
    if (std::find(agreement.except.begin(), agreement.except.end(), name) != agreement.except.end()) continue;
    const std::vector<std::string> lines =
        differences(name, one.find(name), other.find(name), compare, all.picture);
    all.lines.insert(all.lines.end(), lines.begin(), lines.end());
  }
  return all;
}

/// Where a device and the CPU differ, the same subject in float64 says which of them is off.
std::string side_that_is_off(AttemptContext& context, const std::vector<Step>& steps, const Inputs& inputs,
                             const std::vector<std::string>& names, const Agreement& agreement,
                             const Environment& device, const Environment& cpu) {
  const TwinRun reference = run_twin(context, Twin::float64, steps, inputs);
  if (reference.outcome.end != SubjectEnd::returned)
    return "the subject does not run in float64, so which side is off is not known";
  const bool with_device = disagreement(names, agreement, device, reference.environment).lines.empty();
  const bool with_cpu = disagreement(names, agreement, cpu, reference.environment).lines.empty();
  if (with_cpu && !with_device)
    return fmt::format("the float64 reference agrees with the cpu: the {} side is off", context.device_kind);
  if (with_device && !with_cpu)
    return fmt::format("the float64 reference agrees with {}: the cpu side is off", context.device_kind);
  if (with_device)
    return "the float64 reference agrees with both: they differ by little more than is allowed";
  return "the float64 reference agrees with neither";
}

}  // namespace

void check_twins(AttemptContext& context, const std::vector<Step>& steps, const Inputs& inputs,
                 const Environment& first, Observation& observation) {
  const Case& kase = *context.kase;
  const std::vector<Agreement> twins = twins_of(kase, context.device_kind);
  if (twins.empty()) return;
  const std::vector<std::string> names = compared_names(kase, steps, inputs, first);
  for (const Agreement& agreement : twins) {
    if (agreement.twin == Twin::cpu && draws_numbers(context.overloads)) continue;
    const TwinRun twin = run_twin(context, agreement.twin, steps, inputs);
    ++observation.clauses_evaluated;

    Breach breach;
    breach.clause = "agrees." + std::string(to_string(agreement.twin));
    breach.pos = agreement.pos;
    breach.promised = breach.clause + ": the same results";
    if (twin.outcome.end == SubjectEnd::case_error) {
      breach.seen = "the other run: " + twin.outcome.reason;
      observation.broken.push_back(breach);
      continue;
    }
    if (twin.outcome.end != SubjectEnd::returned) {
      breach.seen = fmt::format("the other run raised {}: {}", to_string(twin.outcome.raised->error),
                                relapse::quoted(twin.outcome.raised->text));
      observation.broken.push_back(breach);
      if (!twin.outcome.device || !twin.outcome.device->sticky) continue;
      observation.kind = ObservedKind::sticky_fault;
      observation.raised = twin.outcome.raised;
      observation.device = twin.outcome.device;
      observation.step = twin.outcome.step;
      return;
    }
    auto [lines, picture] = disagreement(names, agreement, first, twin.environment);
    if (lines.empty()) continue;
    if (agreement.twin == Twin::cpu)
      lines.push_back(side_that_is_off(context, steps, inputs, names, agreement, first, twin.environment));
    breach.seen = lines.front();
    breach.details.assign(lines.begin() + 1, lines.end());
    breach.picture = std::move(picture);
    observation.broken.push_back(breach);
  }
}

}  // namespace relapse
