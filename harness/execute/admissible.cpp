#include <fmt/format.h>

#include <algorithm>
#include <harness/execute/admissible.hpp>
#include <harness/plan/names.hpp>
#include <harness/support/text.hpp>

namespace relapse {
namespace {

bool refuse(Observation& observation, ObservedKind kind, std::string reason, SourcePos pos) {
  observation.kind = kind;
  observation.reason = std::move(reason);
  observation.reason_pos = pos;
  return false;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool expects(const Check& check, OutcomeKind kind) {
  return std::any_of(check.expect.begin(), check.expect.end(),
                     [&](const Outcome& outcome) { return outcome.kind == kind; });
}

/// Inputs that a broken relation reads and that nobody gave a form: those are where the file can be mended.
std::string generated_names(const Case& kase, const Check& check, const Breach& breach) {
  constexpr std::string_view where = "where.";
  if (breach.clause.compare(0, where.size(), where) != 0) return {};
  std::vector<std::string> names;
  const auto has_form = [&](const std::vector<NamedInput>& inputs, const std::string& name) {
    return std::any_of(inputs.begin(), inputs.end(),
                       [&](const NamedInput& input) { return input.name == name; });
  };
  for (const Relation& relation : kase.contract.requires_.where) {
    if (relation.label != breach.clause.substr(where.size())) continue;
    for (const std::string& name : names_in(*relation.expr)) {
      if (!kase.contract.requires_.find(name)) continue;
      if (has_form(check.scenario.inputs, name) || has_form(kase.inputs, name)) continue;
      names.push_back(name);
    }
  }
  if (names.empty()) return {};
  return fmt::format("; relations are checked, not solved: give {} a form", join_or(names));
}

bool is_input(const Observation& observation, const std::string& name) {
  return std::any_of(observation.inputs.begin(), observation.inputs.end(),
                     [&](const TensorFacts& input) { return input.name == name; });
}

bool writes(const Step& step, const std::string& name) {
  return std::find(step.targets.begin(), step.targets.end(), name) != step.targets.end();
}

/// Those of the names that only a step makes.
std::vector<std::string> results_among(const std::vector<std::string>& names, const std::vector<Step>& steps,
                                       const Observation& observation) {
  std::vector<std::string> results;
  for (const std::string& name : names) {
    const bool made = std::any_of(steps.begin(), steps.end(), [&](const Step& s) { return writes(s, name); });
    if (made && !is_input(observation, name)) results.push_back(name);
  }
  return results;
}

/// A guard() of everything or of these names, behind the steps that make the results among them.
bool is_guarded(const std::vector<std::string>& names, const std::vector<std::string>& results,
                const std::vector<Step>& steps, const Observation& observation) {
  const auto is_named = [&](const Step& guard, const std::string& name) {
    const std::vector<ExprPtr>& args = guard.expr->args;
    if (args.empty() || (!is_input(observation, name) && !contains(results, name))) return true;
    return std::any_of(args.begin(), args.end(), [&](const ExprPtr& arg) { return arg->text == name; });
  };
  for (auto step = steps.begin(); step != steps.end(); ++step) {
    if (step->builtin != Builtin::guard) continue;
    const bool all_made = std::all_of(results.begin(), results.end(), [&](const std::string& name) {
      return std::any_of(steps.begin(), step, [&](const Step& earlier) { return writes(earlier, name); });
    });
    const bool all_named = std::all_of(names.begin(), names.end(),
                                       [&](const std::string& name) { return is_named(*step, name); });
    if (all_made && all_named) return true;
  }
  return false;
}

/// The clause that should refuse is about a result of the steps, so whether the input breaks it is only known
/// at its guard().
bool is_refused_later(const Case& kase, const Check& check, const Observation& observation) {
  const auto of_result = [&](const std::vector<std::string>& names) {
    return !results_among(names, kase.subject.steps, observation).empty();
  };
  return std::any_of(check.expect.begin(), check.expect.end(), [&](const Outcome& outcome) {
    if (outcome.kind != OutcomeKind::rejected) return false;
    const auto meant = [&](const std::string& prefix) {
      return outcome.clause.empty() || outcome.clause.compare(0, prefix.size(), prefix) == 0;
    };
    const ContractSide& side = kase.contract.requires_;
    return std::any_of(
               side.names.begin(), side.names.end(),
               [&](const NameContract& one) { return meant(one.name + ".") && of_result({one.name}); }) ||
           std::any_of(side.where.begin(), side.where.end(), [&](const Relation& one) {
             return meant("where." + one.label) && of_result(names_in(*one.expr));
           });
  });
}

bool probe_is_admissible(const Check& check, Observation& observation) {
  const Probe& probe = *check.probe;
  const std::vector<Breach>& broken = observation.requires_broken;
  if (probe.must_hold()) {
    if (broken.empty()) return true;
    return refuse(observation, ObservedKind::left_out,
                  fmt::format("it also breaks {}", broken.front().clause), check.pos);
  }
  if (broken.empty()) return refuse(observation, ObservedKind::left_out, "it breaks no clause", check.pos);
  for (const Breach& breach : broken) {
    const bool aimed = std::any_of(probe.aims.begin(), probe.aims.end(), [&](ClauseKind kind) {
      return breach.clause == probe.name + "." + std::string(to_string(kind));
    });
    if (!aimed)
      return refuse(observation, ObservedKind::left_out, fmt::format("it also breaks {}", breach.clause),
                    check.pos);
  }
  return true;
}

}  // namespace

bool is_admissible(const Case& kase, const Check& check, Observation& observation) {
  const std::vector<Breach>& broken = observation.requires_broken;
  if (check.probe) return probe_is_admissible(check, observation);
  const bool only_rejected = expects(check, OutcomeKind::rejected) && !expects(check, OutcomeKind::raises) &&
                             !expects(check, OutcomeKind::returns);
  if (check.kind == CheckKind::failing && only_rejected && broken.empty() && kase.subject.rejects.empty() &&
      !is_refused_later(kase, check, observation)) {
    return refuse(
        observation, ObservedKind::case_error,
        fmt::format("{} expects a rejection, but its input meets every clause of requires; a clause that the "
                    "input breaks is missing, or the input is not the failing one",
                    check.name),
        check.pos);
  }
  const bool must_meet =
      check.kind != CheckKind::failing || (expects(check, OutcomeKind::returns) && check.expect.size() == 1);
  if (must_meet && !broken.empty()) {
    const Breach& first = broken.front();
    return refuse(observation, ObservedKind::case_error,
                  fmt::format("the input of {} breaks {}, but {}{}", check.name, first.promised, first.seen,
                              generated_names(kase, check, first)),
                  first.pos);
  }
  return true;
}

bool is_checked_somewhere(const Case& kase, const std::vector<Step>& steps, Observation& observation) {
  const auto unchecked = [&](const std::vector<std::string>& names) {
    const std::vector<std::string> results = results_among(names, steps, observation);
    return !results.empty() && !is_guarded(names, results, steps, observation);
  };
  const auto never = [&](const std::string& what, SourcePos pos) {
    return refuse(
        observation, ObservedKind::case_error,
        fmt::format("{} is never checked: a step makes what it speaks of, and no guard() behind that "
                    "step looks at it",
                    what),
        pos);
  };
  for (const NameContract& contract : kase.contract.requires_.names) {
    if (unchecked({contract.name})) return never("requires." + contract.name, contract.pos);
  }
  for (const Relation& relation : kase.contract.requires_.where) {
    if (unchecked(names_in(*relation.expr))) return never("requires.where." + relation.label, relation.pos);
  }
  return true;
}

}  // namespace relapse
