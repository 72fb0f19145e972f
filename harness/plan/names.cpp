#include <algorithm>
#include <harness/plan/names.hpp>

namespace relapse {
namespace {

bool gives(const std::vector<NamedInput>& inputs, std::string_view name) {
  return std::any_of(inputs.begin(), inputs.end(),
                     [&](const NamedInput& input) { return input.name == name; });
}

/// Calls `visit` with every list of input forms of the file, the case's own first.
template <class Visit>
void each_input_list(const Case& kase, Visit visit) {
  visit(kase.inputs);
  for (const Failing& failing : kase.failing) visit(failing.scenario.inputs);
  for (const Scenario& corrected : kase.corrected) visit(corrected.inputs);
  for (const Batch& batch : kase.batches) visit(batch.scenario.inputs);
}

}  // namespace

bool has_form(const Case& kase, std::string_view name) {
  bool found = false;
  each_input_list(kase, [&](const std::vector<NamedInput>& inputs) { found = found || gives(inputs, name); });
  return found;
}

bool is_step_result(const Case& kase, std::string_view name) {
  if (has_form(kase, name)) return false;
  for (const Step& step : kase.subject.steps) {
    // Read before it is written: then it is an input that a step rebinds.
    const std::vector<std::string> read = names_in(*step.expr);
    if (step.builtin != Builtin::guard && std::find(read.begin(), read.end(), name) != read.end())
      return false;
    if (std::find(step.targets.begin(), step.targets.end(), name) != step.targets.end()) return true;
  }
  return false;
}

std::vector<std::string> input_names(const Case& kase) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const NameContract& contract : kase.contract.requires_.names) {
    if (!is_step_result(kase, contract.name)) add(contract.name);
  }
  each_input_list(kase, [&](const std::vector<NamedInput>& inputs) {
    for (const NamedInput& input : inputs) add(input.name);
  });
  return names;
}

}  // namespace relapse
