#include <fmt/format.h>

#include <algorithm>
#include <harness/case/check_clauses.hpp>
#include <harness/support/text.hpp>
#include <map>

namespace relapse {

namespace {

void report_unbound(ReadContext& context, const Symbols& symbols, const Where& where, std::string_view name,
                    SourcePos pos) {
  if (context.lost().may_bind(name)) return;
  std::vector<std::string> known = to_vector(symbols.results);
  known.insert(known.end(), symbols.inputs.begin(), symbols.inputs.end());
  context.error(pos, count_code_points(name),
                fmt::format("{}: {} is neither an input nor a result{}", where.text(), quoted(name),
                            did_you_mean(name, known)));
}

/// `x` or `x.grad`.
void check_bound_name(ReadContext& context, const Symbols& symbols, const Where& where,
                      const std::string& name, SourcePos pos) {
  const std::string_view base = without_grad(name);
  const auto length = static_cast<int>(name.size());
  if (base.size() == name.size()) {
    const bool bound = symbols.results.count(name) + symbols.inputs.count(name) > 0;
    if (!bound) report_unbound(context, symbols, where, name, pos);
  } else if (symbols.inputs.count(base) == 0) {
    context.error(pos, length,
                  fmt::format("{}: only inputs have gradients, and {} is none{}", where.text(), quoted(base),
                              did_you_mean(base, to_vector(symbols.gradients))));
  } else if (!symbols.has_backward && !context.lost().may_call("backward")) {
    context.error(pos, length,
                  fmt::format("{}: {} is only there after a step backward(...)", where.text(), name));
  } else if (symbols.gradients.count(base) == 0) {
    context.error(
        pos, length,
        fmt::format("{}: {} is only there with requires_grad: true in requires", where.text(), name));
  }
}

void check_side_names(ReadContext& context, const Symbols& symbols, const ContractSide& side,
                      const Where& where) {
  for (const NameContract& contract : side.names) {
    check_bound_name(context, symbols, where, contract.name, contract.pos);
  }
}

/// Every clause of one side as `name.clause` and `where.label`.
void list_clauses(const ContractSide& side, std::vector<std::string>& names) {
  for (const NameContract& contract : side.names) {
    for (const Clause& clause : contract.clauses) {
      names.push_back(contract.name + "." + std::string(to_string(clause.kind)));
    }
  }
  for (const Relation& relation : side.where) names.push_back("where." + relation.label);
}

std::vector<std::string> names_for(Reference::Kind kind, const Symbols& symbols, const Case& target) {
  std::vector<std::string> names;
  switch (kind) {
    case Reference::Kind::rejected:
      list_clauses(target.contract.requires_, names);
      return names;
    case Reference::Kind::required:
      for (const NameContract& contract : target.contract.requires_.names) names.push_back(contract.name);
      return names;
    case Reference::Kind::result:
      names = to_vector(symbols.results);
      names.insert(names.end(), symbols.inputs.begin(), symbols.inputs.end());
      for (const std::string& input : symbols.gradients) names.push_back(input + ".grad");
      return names;
    case Reference::Kind::batch:
      for (const Batch& batch : target.batches) names.push_back(batch.scenario.name);
      return names;
    case Reference::Kind::breaks:
      names = {"expect", "guard"};
      break;
    case Reference::Kind::wrong:
      break;
  }
  list_clauses(target.contract.ensures, names);
  for_each_scenario(target, [&](const Scenario& scenario) { list_clauses(scenario.ensures, names); });
  // The CPU is compared with unless it is switched off; the other twins only where they are asked for.
  bool cpu = true;
  for (const Agreement& agreement : target.contract.agrees) {
    if (agreement.twin == Twin::cpu) {
      cpu = !agreement.off;
    } else if (!agreement.off) {
      names.push_back("agrees." + std::string(to_string(agreement.twin)));
    }
  }
  if (cpu) names.emplace_back("agrees.cpu");
  return names;
}

std::string_view what_is(Reference::Kind kind) {
  switch (kind) {
    case Reference::Kind::rejected:
      return "a clause of requires";
    case Reference::Kind::wrong:
      return "a clause of ensures or agrees";
    case Reference::Kind::breaks:
      return "a clause of ensures or agrees, or expect";
    case Reference::Kind::required:
      return "a name of requires";
    case Reference::Kind::batch:
      return "the name of a batch";
    case Reference::Kind::result:
      break;
  }
  return "a result";
}

/// Where the first rejection is expected.
std::optional<SourcePos> expects_rejection(const Case& target) {
  for (const Failing& failing : target.failing) {
    for (const auto& [device, outcomes] : failing.expect.by_device) {
      for (const Outcome& outcome : outcomes) {
        if (outcome.kind == OutcomeKind::rejected) return outcome.pos;
      }
    }
  }
  return std::nullopt;
}

}  // namespace

void check_bound_names(ReadContext& context, const Symbols& symbols, const Case& target) {
  const Where contract{nullptr, "contract"};
  check_side_names(context, symbols, target.contract.ensures, Where{&contract, "ensures"});
  for_each_scenario(target, [&](const Scenario& scenario) {
    const Where where{nullptr, scenario.name};
    check_side_names(context, symbols, scenario.ensures, Where{&where, "ensures"});
  });
  for (const Rebinding& rebind : target.unfixed.rebind) {
    check_bound_name(context, symbols, Where{nullptr, "unfixed"}, rebind.name, rebind.pos);
  }
  int number = 0;
  for (const Mutant& mutant : target.mutants) {
    const Where where{nullptr, "mutant", ++number};
    for (const Rebinding& rebind : mutant.rebind)
      check_bound_name(context, symbols, where, rebind.name, rebind.pos);
  }
}

void check_references(ReadContext& context, const Symbols& symbols, const Case& target) {
  std::map<Reference::Kind, std::pair<std::vector<std::string>, NameSet>> known;
  for (const Reference& reference : context.references()) {
    auto& [names, set] = known[reference.kind];
    if (names.empty()) {
      names = names_for(reference.kind, symbols, target);
      set = NameSet(names.begin(), names.end());
    }
    if (set.count(reference.text) > 0) continue;
    if (reference.kind == Reference::Kind::result && context.lost().may_bind(reference.text)) continue;
    context.error(reference.pos, reference.length,
                  fmt::format("{}: {} is not {}{}", reference.where, quoted(reference.text, 60),
                              what_is(reference.kind), did_you_mean(reference.text, names)));
  }
}

void check_parts(ReadContext& context, const YamlNode& root, const Case& target) {
  const std::optional<SourcePos> rejection = expects_rejection(target);
  if (rejection && root.find("corrected") == nullptr) {
    context.error(*rejection, 1, "a case whose failing input is rejected needs the key \"corrected\"",
                  "an input that is right shows that not everything is refused");
  }
  const bool is_guarded = target.subject.kind != SubjectKind::steps || context.lost().may_call("guard") ||
                          std::any_of(target.subject.steps.begin(), target.subject.steps.end(),
                                      [](const Step& step) { return step.builtin == Builtin::guard; });
  if (rejection && !is_guarded) {
    context.error(*rejection, 1, "failing: a rejection is expected, but nothing in the subject can refuse",
                  "add the step guard() where the fix checks its input");
  }
  if (!rejection) {
    for (const Mutant& mutant : target.mutants) {
      if (mutant.breaks == "expect")
        context.error(mutant.pos, 1, "breaks: expect is only for a case whose failing input is rejected");
    }
  }
  const bool steps = target.subject.kind == SubjectKind::steps;
  if (!steps && target.unfixed.kind == UnfixedKind::rebind) {
    context.error(target.unfixed.pos, 1, "unfixed: only the names of steps can be rebound",
                  "write the whole subject before the fix");
  }
  if (!steps && !target.mutants.empty()) {
    context.error(target.mutants.front().pos, 1, "mutants: only the names of steps can be rebound");
  }
}

}  // namespace relapse
