#pragma once

// Changes one input of the first corrected scenario as a boundary or violation asks.

#include <harness/plan/check.hpp>
#include <harness/tensor/inputs.hpp>
#include <string>

namespace relapse {

/// Changes `inputs` in place (they must be a copy of their own). The answer is empty, or says why the probe
/// cannot be asked: the input has no element, no value of its dtype lies beyond the bound, ...
std::string apply_probe(const Case& kase, const Probe& probe, Inputs& inputs);

}  // namespace relapse
