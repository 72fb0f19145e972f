#pragma once

// Case x kind of device -> ordered checks, with stable names; ids and selection by them. Runs nothing; the
// parent plans to know what should be answered, the worker plans again to know what to do, and both get the
// same.

#include <harness/plan/check.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace relapse {

/// Checks in the order in which they run: failing, corrected, batches, boundaries, violations.
std::vector<Check> plan(const Case& kase, std::string_view device_kind);

/// Which other runs a check on this kind of device is compared with, in the process that runs it: those that
/// the case asks for, and on every device but the CPU, unless the case says no, the CPU. Not `async`: that is
/// another process.
std::vector<Agreement> twins_of(const Case& kase, std::string_view device_kind);

/// `index/labels-beyond-head@cpu/batch-2`.
std::string check_id(std::string_view case_id, std::string_view device_kind, std::string_view check_name);

/// The steps that run for a role: as written, or with the unfixed rebindings and without guard().
/// The unfixed side of a subject that has none is empty.
std::vector<Step> steps_for(const Case& kase, Role role, int mutant = 0);

}  // namespace relapse
