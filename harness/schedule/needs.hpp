#pragma once

// `needs` of a case or check against a machine: why it is skipped.

#include <harness/case/case.hpp>
#include <harness/schedule/machine.hpp>
#include <string>

namespace relapse {

/// Empty when every need is met on this kind of device; else the reason, in words a report can show. Needs of
/// GPUs count only for checks on one.
std::string unmet(const Needs& needs, const std::string& device_kind, const Machine& machine,
                  const std::string& torch_version);

}  // namespace relapse
