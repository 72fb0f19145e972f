#include <algorithm>
#include <cstddef>
#include <harness/plan/plan.hpp>

namespace relapse {
namespace {

std::vector<Step> without_guards(const std::vector<Step>& steps) {
  std::vector<Step> kept;
  std::copy_if(steps.begin(), steps.end(), std::back_inserter(kept),
               [](const Step& step) { return step.builtin != Builtin::guard; });
  return kept;
}

bool writes(const Step& step, const std::string& name) {
  return std::find(step.targets.begin(), step.targets.end(), name) != step.targets.end();
}

/// The last step that writes the name still runs, then the name is rebound; an empty value drops the step
/// that makes it. A name that no step writes is an input (rebound before the first step) or a gradient (after
/// the last).
std::vector<Step> rebound(std::vector<Step> steps, const std::vector<Rebinding>& rebindings) {
  std::ptrdiff_t inputs = 0;  // rebound so far: they stand before the first step, in file order
  for (const Rebinding& rebinding : rebindings) {
    const auto last =
        std::find_if(steps.rbegin(), steps.rend(), [&](const Step& s) { return writes(s, rebinding.name); });
    if (!rebinding.expr) {
      if (last != steps.rend()) steps.erase(std::next(last).base());
      continue;
    }
    Step step;
    step.targets = {rebinding.name};
    step.expr = rebinding.expr;
    step.pos = rebinding.pos;
    step.text = rebinding.name + " = " + to_string(*rebinding.expr);
    const bool gradient = rebinding.name.find('.') != std::string::npos;
    auto where = last != steps.rend() ? last.base() : gradient ? steps.end() : steps.begin() + inputs;
    if (last == steps.rend() && !gradient) ++inputs;
    steps.insert(where, std::move(step));
  }
  return steps;
}

}  // namespace

std::vector<Step> steps_for(const Case& kase, Role role, int mutant) {
  const std::vector<Step>& written = kase.subject.steps;
  if (role == Role::fixed) return written;
  if (role == Role::mutant) {
    return rebound(without_guards(written), kase.mutants.at(static_cast<std::size_t>(mutant)).rebind);
  }
  switch (kase.unfixed.kind) {
    case UnfixedKind::automatic:
      return without_guards(written);
    case UnfixedKind::subject:
      return kase.unfixed.subject.steps;
    case UnfixedKind::rebind:
      return rebound(without_guards(written), kase.unfixed.rebind);
    case UnfixedKind::libraries:
      return without_guards(written);
    case UnfixedKind::none:
      return {};
  }
  return {};
}

}  // namespace relapse
