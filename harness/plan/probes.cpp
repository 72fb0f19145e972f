#include <algorithm>
#include <harness/plan/names.hpp>
#include <harness/plan/probes.hpp>

namespace relapse {
namespace {

const Clause* find(const NameContract& contract, ClauseKind kind) {
  for (const Clause& clause : contract.clauses) {
    if (clause.kind == kind) return &clause;
  }
  return nullptr;
}

bool has_range(const NameContract& contract) {
  return std::any_of(contract.clauses.begin(), contract.clauses.end(), [](const Clause& clause) {
    return clause.kind == ClauseKind::min || clause.kind == ClauseKind::max ||
           clause.kind == ClauseKind::above || clause.kind == ClauseKind::below;
  });
}

bool rejection_is_expected(const Case& kase, std::string_view device_kind) {
  for (const Failing& failing : kase.failing) {
    for (const Outcome& outcome : failing.expect.for_device(std::string(device_kind))) {
      if (outcome.kind == OutcomeKind::rejected) return true;
    }
  }
  return false;
}

/// A float clause anywhere says that the dtype may hold a NaN; without any dtype clause the worker leaves the
/// probe out.
bool may_hold_nan(const NameContract& contract, const Case& kase) {
  const Clause* dtype = find(contract, ClauseKind::dtype);
  if (!dtype || dtype->dtypes.empty()) return false;
  const DTypeRef& first = dtype->dtypes.front();
  if (first.dtype) return is_floating(*first.dtype);
  for (const DTypeValue& value : kase.dtypes) {
    if (value.name == first.symbol) return is_floating(value.dtype);
  }
  return true;
}

void add_range_probes(const NameContract& contract, std::vector<Probe>& probes) {
  const bool lower = find(contract, ClauseKind::min) || find(contract, ClauseKind::above);
  const bool upper = find(contract, ClauseKind::max) || find(contract, ClauseKind::below);
  const std::vector<ClauseKind> low{ClauseKind::min, ClauseKind::above};
  const std::vector<ClauseKind> high{ClauseKind::max, ClauseKind::below};
  const std::vector<ClauseKind> any{ClauseKind::min, ClauseKind::above, ClauseKind::max, ClauseKind::below};
  for (const bool last : {false, true}) {
    if (lower) probes.push_back({contract.name, ProbeKind::min, last, 0, {}});
    if (upper) probes.push_back({contract.name, ProbeKind::max, last, 0, {}});
    if (lower) probes.push_back({contract.name, ProbeKind::below_min, last, 0, low});
    if (upper) probes.push_back({contract.name, ProbeKind::above_max, last, 0, high});
    for (int i = 0; i < static_cast<int>(contract.except.size()); ++i) {
      probes.push_back({contract.name, ProbeKind::below_except, last, i, any});
      probes.push_back({contract.name, ProbeKind::above_except, last, i, any});
    }
  }
}

void add_violations(const NameContract& contract, const Case& kase, std::vector<Probe>& probes) {
  if (find(contract, ClauseKind::dtype))
    probes.push_back({contract.name, ProbeKind::dtype, false, 0, {ClauseKind::dtype}});
  const bool shaped = find(contract, ClauseKind::shape) || find(contract, ClauseKind::rank);
  if (shaped) {
    probes.push_back({contract.name, ProbeKind::rank, false, 0, {ClauseKind::shape, ClauseKind::rank}});
  }
  if (find(contract, ClauseKind::shape) || find(contract, ClauseKind::numel)) {
    probes.push_back({contract.name, ProbeKind::extent, false, 0, {ClauseKind::shape, ClauseKind::numel}});
  }
  // A NaN breaks every range clause of its tensor; together with `finite` they count as one.
  if (may_hold_nan(contract, kase) && !contract.nan_allowed) {
    probes.push_back({contract.name,
                      ProbeKind::nan,
                      false,
                      0,
                      {ClauseKind::finite, ClauseKind::min, ClauseKind::max, ClauseKind::above,
                       ClauseKind::below, ClauseKind::one_of}});
  }
}

}  // namespace

std::vector<Probe> probes_of(const Case& kase, std::string_view device_kind) {
  std::vector<Probe> probes;
  if (kase.boundaries == BoundariesKind::off || kase.corrected.empty()) return probes;
  if (kase.boundaries == BoundariesKind::automatic && !rejection_is_expected(kase, device_kind))
    return probes;
  for (const NameContract& contract : kase.contract.requires_.names) {
    const bool named = std::find(kase.boundary_names.begin(), kase.boundary_names.end(), contract.name) !=
                       kase.boundary_names.end();
    const bool wanted = kase.boundaries == BoundariesKind::names ? named : has_range(contract);
    if (!wanted || is_step_result(kase, contract.name)) continue;
    add_range_probes(contract, probes);
    add_violations(contract, kase, probes);
  }
  return probes;
}

bool is_violation(ProbeKind kind) {
  return kind == ProbeKind::dtype || kind == ProbeKind::rank || kind == ProbeKind::extent ||
         kind == ProbeKind::nan;
}

std::string probe_name(const Probe& probe) {
  const bool violation = is_violation(probe.kind);
  std::string name = violation ? "violation:" : "boundary:";
  name += probe.name + "." + std::string(to_string(probe.kind));
  if (probe.kind == ProbeKind::below_except || probe.kind == ProbeKind::above_except) {
    name += "-" + std::to_string(probe.except_index + 1);
  }
  if (!violation) name += probe.last ? ".last" : ".first";
  return name;
}

}  // namespace relapse
