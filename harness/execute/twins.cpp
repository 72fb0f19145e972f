#include <fmt/format.h>

#include <algorithm>
#include <harness/contract/compare.hpp>
#include <harness/contract/elements.hpp>
#include <harness/device/device.hpp>
#include <harness/execute/twins.hpp>
#include <harness/operator/eval_error.hpp>
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

std::vector<std::string> differences(const std::string& name, const Value* one, const Value* other,
                                     const Compare& compare) {
  if (!one || !other) return {fmt::format("{} has no value in {} run", name, one ? "the other" : "this")};
  if (one->is_list() && other->is_list()) {
    if (one->list().size() != other->list().size()) {
      return {fmt::format("{}: {} here, {} there", name, kind_text(*one), kind_text(*other))};
    }
    std::vector<std::string> all;
    for (std::size_t i = 0; i < one->list().size(); ++i) {
      const std::vector<std::string> lines =
          differences(fmt::format("{}[{}]", name, i), &one->list()[i], &other->list()[i], compare);
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
  std::vector<std::string> lines = comparison.lines(a.sizes().vec());
  lines.front() = name + ": " + lines.front();
  return lines;
}

}  // namespace

void check_twins(AttemptContext& context, const std::vector<Step>& steps, const Inputs& inputs,
                 const Environment& first, Observation& observation) {
  const Case& kase = *context.kase;
  for (const Agreement& agreement : kase.contract.agrees) {
    // On the CPU the twin `cpu` would be the same run, and launches are never asynchronous there.
    const bool runs_here = agreement.twin == Twin::float64 || agreement.twin == Twin::contiguous ||
                           agreement.twin == Twin::repeat;
    if (agreement.off || !runs_here) continue;
    const c10::Device device = agreement.twin == Twin::float64 ? c10::Device(c10::kCPU) : context.device;
    const Inputs twin_inputs = inputs_for(agreement.twin, inputs, device);
    Environment twin(twin_inputs);
    // The same draws as in the first run: what a twin changes is nothing else.
    seed_generators(device, kase.run.seed.value_or(0));
    const SubjectOutcome outcome =
        run_steps(steps, twin, twin_inputs.symbols, device, {}, &context.overloads);
    ++observation.clauses_evaluated;

    Breach breach;
    breach.clause = "agrees." + std::string(to_string(agreement.twin));
    breach.pos = agreement.pos;
    breach.promised = breach.clause + ": the same results";
    if (outcome.end == SubjectEnd::case_error) {
      breach.seen = "the other run: " + outcome.reason;
      observation.broken.push_back(breach);
      continue;
    }
    if (outcome.end != SubjectEnd::returned) {
      breach.seen = fmt::format("the other run raised {}: {}", to_string(outcome.raised->error),
                                relapse::quoted(outcome.raised->text));
      observation.broken.push_back(breach);
      continue;
    }
    // Here two runs are compared with one another, so NaN in the same places is agreement.
    Compare compare = agreement.compare.value_or(Compare{});
    compare.nan_same_places = true;
    for (const std::string& name : compared_names(kase, steps, inputs, first)) {
      if (std::find(agreement.except.begin(), agreement.except.end(), name) != agreement.except.end())
        continue;
      std::vector<std::string> lines = differences(name, first.find(name), twin.find(name), compare);
      if (lines.empty()) continue;
      if (breach.seen.empty()) {
        breach.seen = lines.front();
        lines.erase(lines.begin());
      }
      breach.details.insert(breach.details.end(), lines.begin(), lines.end());
    }
    if (!breach.seen.empty()) observation.broken.push_back(breach);
  }
}

}  // namespace relapse
