#pragma once

// Boundaries and violations of a case: which inputs are probed, and how. The values are the worker's: whether
// a probe can be asked at all (it may also break another clause) is only known where the inputs are.

#include <harness/plan/check.hpp>
#include <string_view>
#include <vector>

namespace relapse {

/// Every probe of the case on this kind of device, in order; none where the fix is no rejection or boundaries
/// are off.
std::vector<Probe> probes_of(const Case& kase, std::string_view device_kind);

/// dtype, rank, extent, NaN: the probes of clauses that are no range.
bool is_violation(ProbeKind kind);

/// `boundary:target.above-max.first`, `violation:target.nan`.
std::string probe_name(const Probe& probe);

}  // namespace relapse
