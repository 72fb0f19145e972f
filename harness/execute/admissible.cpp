#include <fmt/format.h>

#include <algorithm>
#include <harness/execute/admissible.hpp>
#include <harness/support/text.hpp>

namespace relapse {
namespace {

bool refuse(Observation& observation, ObservedKind kind, std::string reason, SourcePos pos) {
  observation.kind = kind;
  observation.reason = std::move(reason);
  observation.reason_pos = pos;
  return false;
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
  if (check.kind == CheckKind::failing && only_rejected && broken.empty() && kase.subject.rejects.empty()) {
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

}  // namespace relapse
