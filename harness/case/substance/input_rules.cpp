// Inputs against `requires`, as far as the file alone tells.

#include <fmt/format.h>

#include <algorithm>
#include <harness/case/substance/all_rules.hpp>
#include <harness/case/substance/known_clauses.hpp>
#include <harness/case/substance/scenarios.hpp>
#include <harness/support/text.hpp>
#include <set>

namespace relapse {

namespace {

/// Where the file can be mended: the form of the first input that the clause is about and somebody gave.
LintFinding finding_at(const KnownInputs& inputs, const Scenario& scenario, const JudgedClause& clause) {
  for (const std::string& name : clause.about) {
    if (const NamedInput* input = inputs.form(name))
      return {input->pos, count_code_points(name), scenario.name, "", ""};
  }
  return {scenario.pos, 1, scenario.name, "", ""};
}

// ---- failing ----

enum class Expected : std::uint8_t { only_returns, only_rejected, other };

Expected expected_of(const std::vector<Outcome>& outcomes) {
  const auto all = [&](OutcomeKind kind) {
    return !outcomes.empty() && std::all_of(outcomes.begin(), outcomes.end(),
                                            [&](const Outcome& one) { return one.kind == kind; });
  };
  if (all(OutcomeKind::returns) && outcomes.size() == 1) return Expected::only_returns;
  return all(OutcomeKind::rejected) ? Expected::only_rejected : Expected::other;
}

bool ends_in_place(std::string_view name) {
  const std::size_t dot = name.find('.');
  if (dot != std::string_view::npos) name = name.substr(0, dot);
  return name.ends_with('_') && !name.ends_with("__");
}

/// A step that may write to what it reads.
bool may_write(const Step& step) {
  if (step.builtin == Builtin::data) return true;
  const Expr& expr = *step.expr;
  const bool call = expr.kind == ExprKind::call || expr.kind == ExprKind::method;
  if (!call) return false;
  // Of operators that are not aten's nothing is known.
  if (expr.text.find("::") != std::string::npos && !expr.text.starts_with("aten::")) return true;
  return ends_in_place(expr.text) || !expr.kwargs.empty();
}

/// What a guard() sees is what the scenario makes: no step before it may have changed an input.
bool guards_see_inputs(const Case& target) {
  if (target.subject.kind != SubjectKind::steps) return target.subject.rejects.empty();
  bool changed = false;
  for (const Step& step : target.subject.steps) {
    if (step.builtin == Builtin::guard && changed) return false;
    changed = changed || may_write(step);
  }
  return true;
}

/// The clause is about an input, not about a result that a later guard() looks at.
bool is_about_inputs(const LintView& view, const std::string& clause) {
  constexpr std::string_view kWhere = "where.";
  if (!clause.starts_with(kWhere)) return view.symbols.inputs.count(clause.substr(0, clause.rfind('.'))) > 0;
  for (const Relation& relation : view.kase.contract.requires_.where) {
    if (relation.label != clause.substr(kWhere.size())) continue;
    const std::vector<std::string> names = names_in(*relation.expr);
    return std::none_of(names.begin(), names.end(),
                        [&](const std::string& name) { return view.symbols.results.count(name) > 0; });
  }
  return false;
}

void check_returns(const KnownInputs& inputs, const Scenario& scenario,
                   const std::vector<JudgedClause>& clauses, std::vector<LintFinding>& findings) {
  for (const JudgedClause& clause : clauses) {
    if (clause.meets != Meets::never) continue;
    LintFinding finding = finding_at(inputs, scenario, clause);
    finding.message = fmt::format("{} expects \"returns\", but its input breaks {}: {}", scenario.name,
                                  clause.promised, clause.seen);
    finding.hint = "expect a rejection, or let requires allow it";
    findings.push_back(std::move(finding));
    return;
  }
}

void check_rejected(const LintView& view, const Failing& failing, const std::vector<Outcome>& outcomes,
                    const KnownInputs& inputs, const std::vector<JudgedClause>& clauses,
                    std::vector<LintFinding>& findings) {
  if (!guards_see_inputs(view.kase)) return;
  const Scenario& scenario = failing.scenario;
  const auto add = [&](SourcePos pos, std::string message, std::string hint) {
    findings.push_back({pos, 1, scenario.name, std::move(message), std::move(hint)});
  };
  const auto first_broken = std::find_if(clauses.begin(), clauses.end(),
                                         [](const JudgedClause& one) { return one.meets == Meets::never; });
  for (const Outcome& outcome : outcomes) {
    if (outcome.clause.empty()) {
      const bool results = std::any_of(clauses.begin(), clauses.end(),
                                       [](const JudgedClause& one) { return one.meets != Meets::certainly; });
      if (results) continue;
      add(outcome.pos,
          fmt::format("{} expects a rejection, but its input meets every clause of requires", scenario.name),
          "a clause that it breaks is missing, or this is not the input that failed");
      continue;
    }
    const auto meant = std::find_if(clauses.begin(), clauses.end(),
                                    [&](const JudgedClause& one) { return one.clause == outcome.clause; });
    if (meant == clauses.end() || !is_about_inputs(view, outcome.clause)) continue;
    if (meant->meets == Meets::certainly) {
      add(outcome.pos,
          fmt::format("{} expects a rejection by {}, but its input meets it", scenario.name, meant->promised),
          first_broken == clauses.end()
              ? ""
              : fmt::format("it breaks {}: {}", first_broken->promised, first_broken->seen));
    } else if (first_broken < meant && outcomes.size() == 1) {
      LintFinding finding = finding_at(inputs, scenario, *first_broken);
      finding.message =
          fmt::format("{} expects a rejection by {}, but its input breaks {} before: {}", scenario.name,
                      outcome.clause, first_broken->promised, first_broken->seen);
      finding.hint = "guard() names the first broken clause in the order of the file";
      findings.push_back(std::move(finding));
    }
  }
}

void check_failing(const LintView& view, std::vector<LintFinding>& findings) {
  for (const Failing& failing : view.kase.failing) {
    const KnownInputs inputs(view.kase, failing.scenario, view.symbols.inputs, view.stored);
    const std::vector<JudgedClause> clauses = judge_requires(view.kase, inputs);
    std::set<std::string> told;
    for (const auto& [device, outcomes] : failing.expect.by_device) {
      std::vector<LintFinding> found;
      const Expected expected = expected_of(outcomes);
      if (expected == Expected::only_returns) check_returns(inputs, failing.scenario, clauses, found);
      if (expected == Expected::only_rejected)
        check_rejected(view, failing, outcomes, inputs, clauses, found);
      for (LintFinding& one : found) {
        if (told.insert(one.message).second) findings.push_back(std::move(one));
      }
    }
  }
}

// ---- corrected and batches ----

void check_right(const LintView& view, Meets wanted, std::vector<LintFinding>& findings) {
  std::set<std::pair<std::string, std::string>> told;  // of a batch with lists one product is enough
  for_each_right_scenario(view.kase, [&](const Scenario& scenario) {
    const KnownInputs inputs(view.kase, scenario, view.symbols.inputs, view.stored);
    for (const JudgedClause& clause : judge_requires(view.kase, inputs)) {
      if (clause.meets != wanted || !told.emplace(scenario.name, clause.clause).second) continue;
      LintFinding finding = finding_at(inputs, scenario, clause);
      if (wanted == Meets::never) {
        finding.message =
            fmt::format("the input of {} breaks {}, but {}", scenario.name, clause.promised, clause.seen);
        finding.hint = "what is normal must meet requires";
      } else {
        finding.message =
            fmt::format("the input of {} may break {}: {}", scenario.name, clause.promised, clause.seen);
        finding.hint = "keep the draw within requires";
      }
      findings.push_back(std::move(finding));
    }
  });
}

void check_batches(const LintView& view, std::vector<LintFinding>& findings) {
  check_right(view, Meets::never, findings);
}

void check_draws(const LintView& view, std::vector<LintFinding>& findings) {
  check_right(view, Meets::by_luck, findings);
}

// ---- files ----

void check_stored(const LintView& view, std::vector<LintFinding>& findings) {
  if (!view.stored) return;
  const auto look = [&](const NamedInput& input, const auto& self, const InputForm& form) -> void {
    if (form.source == InputSource::file) {
      const StoredInput stored = view.stored(form);
      if (!stored.mistake.empty())
        findings.push_back(
            {form.pos, 1, input.name, fmt::format("the input {}: {}", input.name, stored.mistake), ""});
    }
    for (const InputForm& item : form.list) self(input, self, item);
  };
  for (const NamedInput& input : view.kase.inputs) look(input, look, input.form);
  for_each_scenario(view.kase, [&](const Scenario& scenario) {
    for (const NamedInput& input : scenario.inputs) look(input, look, input.form);
  });
}

}  // namespace

const LintRule kFailingInput = {
    "failing-input", Severity::error, "A failing input that does not fit what it expects.",
    R"md(`expect: returns` needs an input that meets `requires`: what the contract forbids cannot be asked for. A rejection needs one
that breaks it, by the clause that it names, and by that one first, since `guard()` names the first broken clause in the order of
the file. Found where literal values, fills, draws or files tell; a run finds the rest and calls it an error in the case.

```yaml
# wrong: 2 is allowed by `max: C - 1`
dims: {C: 3}
contract: {requires: {target: {dtype: int64, shape: [N], min: 0, max: C - 1}}}
failing: {inputs: {target: [0, 1, 2]}, expect: {rejected: target.max}}

# right
failing: {inputs: {target: [0, 1, 3]}, expect: {rejected: target.max}}
```
)md",
    check_failing};

const LintRule kBatchInput = {
    "batch-input", Severity::error, "An input of `corrected` or a batch that breaks `requires`.",
    R"md(Batches show that the fix leaves normal use alone, so their inputs must be normal: every clause and every relation of `requires`
holds. Found before a run where literal values, fills, dims or files tell; the message names the clause as a run would.

```yaml
# wrong: the second batch has fewer classes than its labels need
contract: {requires: {target: {dtype: int64, shape: [N], min: 0, max: C - 1}}}
inputs: {target: [0, 1, 2, 3]}
batches: [{N: 4, C: 4}, {N: 4, C: 3}]
```
)md",
    check_batches};

const LintRule kLooseDraw = {
    "loose-draw", Severity::warning,
    "A random input of `corrected` or a batch whose range goes beyond `requires`.",
    R"md(Whether the run meets a value outside depends on the seed and on the number of elements; with another size the case is suddenly in
error. Draw from what `requires` allows; without `low` and `high`, `random: integers` takes its bounds.

```yaml
# wrong: inclusive, so 10 may come
dims: {C: 10}
batches: [{N: 8, inputs: {target: {random: integers, low: 0, high: C}}}]

# right
batches: [{N: 8, inputs: {target: {random: integers, low: 0, high: C - 1}}}]
```
)md",
    check_draws};

const LintRule kStoredFile = {
    "stored-file", Severity::error,
    "A file of an input that is not there or does not hold what the case says.",
    R"md(Every check that makes the input would be in error. The file lies beside the case, holds the tensor that `tensor` names, and has the
bytes that `sha256` was taken of.

```yaml
inputs: {weights: {file: captured.safetensors, tensor: head.weight}}
```
)md",
    check_stored};

}  // namespace relapse
