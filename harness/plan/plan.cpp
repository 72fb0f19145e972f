#include <algorithm>
#include <cctype>
#include <harness/plan/plan.hpp>
#include <harness/plan/probes.hpp>
#include <set>

namespace relapse {
namespace {

/// A name as part of an id: `above one` becomes `above-one`, so that a shell needs no quotes.
std::string slug(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool keep = std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' || c == '.' ||
                      c == '=' || c == ',' || static_cast<unsigned char>(c) >= 0x80;
    out += keep ? c : '-';
  }
  return out;
}

std::vector<Symptom> symptoms_for(const Case& kase, std::string_view device_kind) {
  std::vector<Symptom> all;
  for (const Failing& failing : kase.failing) {
    auto found = failing.symptoms.find(std::string(device_kind));
    // As with `expect`: another accelerator shows what CUDA showed, unless the case has its own words for it.
    if (found == failing.symptoms.end() && device_kind != "cpu") found = failing.symptoms.find("cuda");
    if (found != failing.symptoms.end()) all.insert(all.end(), found->second.begin(), found->second.end());
  }
  return all;
}

Outcome returns(SourcePos pos) {
  Outcome outcome;
  outcome.kind = OutcomeKind::returns;
  outcome.pos = pos;
  return outcome;
}

/// The cartesian product of a batch's lists, in file order with the last list running fastest; each product
/// is named after the values that tell it from its siblings.
std::vector<Scenario> multiply_out(const Batch& batch) {
  std::vector<Scenario> scenarios{batch.scenario};
  const auto spread = [&](const std::string& symbol, std::size_t count, auto choose) {
    std::vector<Scenario> next;
    for (const Scenario& base : scenarios) {
      for (std::size_t i = 0; i < count; ++i) {
        Scenario scenario = base;
        const std::string value = choose(scenario, i);
        scenario.name += (base.name == batch.scenario.name ? ":" : ",") + symbol + "=" + value;
        next.push_back(std::move(scenario));
      }
    }
    scenarios = std::move(next);
  };
  for (const auto& list : batch.dim_lists) {
    spread(list.first, list.second.size(), [&](Scenario& scenario, std::size_t i) {
      scenario.dims.push_back(list.second[i]);
      return to_string(*list.second[i].value);
    });
  }
  for (const auto& list : batch.dtype_lists) {
    spread(list.first, list.second.size(), [&](Scenario& scenario, std::size_t i) {
      scenario.dtypes.push_back(list.second[i]);
      return std::string(to_string(list.second[i].dtype));
    });
  }
  return scenarios;
}

int clauses_of(const ContractSide& side) {
  auto count = side.where.size();
  for (const NameContract& contract : side.names) count += contract.clauses.size();
  return static_cast<int>(count);
}

/// What every run of the check evaluates when its subject returns. Relations of `requires`, results that
/// guard() checks and the CPU's twin (none where draws are random) may come on top.
int least_clauses(const Case& kase, const Check& check, std::string_view device_kind) {
  int count = clauses_of(kase.contract.ensures) + clauses_of(check.scenario.ensures);
  for (const NameContract& contract : kase.contract.requires_.names) {
    const bool made_by_step =
        std::any_of(kase.subject.steps.begin(), kase.subject.steps.end(), [&](const Step& step) {
          return std::find(step.targets.begin(), step.targets.end(), contract.name) != step.targets.end();
        });
    if (!made_by_step) count += static_cast<int>(contract.clauses.size());
  }
  count += static_cast<int>(check.after.size());
  if (check.probe) return count;
  for (const Agreement& twin : twins_of(kase, device_kind)) count += twin.twin == Twin::cpu ? 0 : 1;
  return count;
}

/// The checks of the batches that `after` names, in its order; of a batch with lists all of them.
void put_first(const Failing& failing, const std::map<std::string, std::vector<std::size_t>>& batches,
               const std::vector<Check>& checks, Check& check) {
  check.after_pos = failing.after_pos;
  for (const std::string& name : failing.after) {
    const auto found = batches.find(name);
    if (found == batches.end()) continue;  // the reader refuses it
    for (const std::size_t position : found->second) check.after.push_back(checks[position]);
  }
}

/// Names are all that travels, so two checks never share one: `a b` and `a-b` become `a-b` and `a-b-2`.
void make_unique(std::vector<Check>& checks) {
  std::set<std::string> taken;
  for (Check& check : checks) {
    const std::string name = check.name;
    for (int number = 2; !taken.insert(check.name).second; ++number)
      check.name = name + "-" + std::to_string(number);
  }
}

/// Where the reader should look when a probe is red: the clause that it aims at, of a bound that must hold
/// the bound itself.
SourcePos place_of(const Probe& probe, const NameContract& contract) {
  std::vector<ClauseKind> kinds = probe.aims;
  if (probe.kind == ProbeKind::min) kinds = {ClauseKind::min, ClauseKind::above};
  if (probe.kind == ProbeKind::max) kinds = {ClauseKind::max, ClauseKind::below};
  for (const Clause& clause : contract.clauses) {
    if (std::find(kinds.begin(), kinds.end(), clause.kind) != kinds.end()) return clause.pos;
  }
  return contract.pos;
}

}  // namespace

std::vector<Check> plan(const Case& kase, std::string_view device_kind) {
  std::vector<Check> checks;
  std::map<std::string, std::vector<std::size_t>> batches;  // name in the file -> its checks
  const std::vector<Symptom> symptoms = symptoms_for(kase, device_kind);
  const auto add = [&](CheckKind kind, std::string name, const Scenario& scenario,
                       std::vector<Outcome> expect) -> Check& {
    Check check;
    check.name = std::move(name);
    check.kind = kind;
    check.scenario = scenario;
    check.expect = std::move(expect);
    check.symptoms = symptoms;
    check.pos = scenario.pos;
    checks.push_back(std::move(check));
    return checks.back();
  };

  for (const Failing& failing : kase.failing) {
    const std::string& name = failing.scenario.name;
    add(CheckKind::failing,
        kase.failing.size() == 1 && name == "failing" ? "failing" : "failing:" + slug(name), failing.scenario,
        failing.expect.for_device(std::string(device_kind)));
  }
  for (const Scenario& corrected : kase.corrected) {
    add(CheckKind::corrected,
        kase.corrected.size() == 1 && corrected.name == "corrected" ? "corrected"
                                                                    : "corrected:" + slug(corrected.name),
        corrected, {returns(corrected.pos)});
  }
  for (const Batch& batch : kase.batches) {
    for (const Scenario& scenario : multiply_out(batch)) {
      // A colon parts a batch from what its lists chose, so it survives; everything else is slugged.
      const std::string own = slug(batch.scenario.name);
      batches[batch.scenario.name].push_back(checks.size());
      add(CheckKind::batch, own + scenario.name.substr(batch.scenario.name.size()), scenario,
          {returns(scenario.pos)});
    }
  }
  for (const Probe& probe : probes_of(kase, device_kind)) {
    const Scenario& base = kase.corrected.front();
    Outcome outcome = returns(base.pos);
    if (!probe.must_hold()) outcome.kind = OutcomeKind::rejected;
    const bool violation = is_violation(probe.kind);
    Check& check =
        add(violation ? CheckKind::violation : CheckKind::boundary, probe_name(probe), base, {outcome});
    // Only the contract's own ensures hold for a changed input; those of `corrected` are about its exact
    // values.
    check.scenario.ensures = {};
    check.probe = probe;
    if (const NameContract* contract = kase.contract.requires_.find(probe.name)) {
      check.pos = place_of(probe, *contract);
    }
  }
  make_unique(checks);
  for (std::size_t i = 0; i < kase.failing.size(); ++i)
    put_first(kase.failing[i], batches, checks, checks[i]);
  for (Check& check : checks) check.clauses = least_clauses(kase, check, device_kind);
  return checks;
}

std::vector<Agreement> twins_of(const Case& kase, std::string_view device_kind) {
  const bool on_cpu = device_kind == "cpu";
  std::vector<Agreement> twins;
  bool says_cpu = on_cpu;
  for (const Agreement& agreement : kase.contract.agrees) {
    says_cpu = says_cpu || agreement.twin == Twin::cpu;
    // On the CPU the twin `cpu` would be the same run.
    if (agreement.off || agreement.twin == Twin::async || (on_cpu && agreement.twin == Twin::cpu)) continue;
    twins.push_back(agreement);
  }
  if (!says_cpu) {
    Agreement agreement;
    agreement.twin = Twin::cpu;
    twins.push_back(agreement);
  }
  return twins;
}

std::string check_id(std::string_view case_id, std::string_view device_kind, std::string_view check_name) {
  std::string id(case_id);
  id += "@";
  id += device_kind;
  id += "/";
  id += check_name;
  return id;
}

}  // namespace relapse
