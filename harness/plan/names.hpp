#pragma once

// Which names of a case are inputs, and which are results of its steps.

#include <harness/case/case.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace relapse {

/// A form for this name stands somewhere in the file: in `inputs`, or in a failing, corrected or batch
/// scenario.
bool has_form(const Case& kase, std::string_view name);

/// A step makes it and no form does: `guard(target)` may check such a name, but nothing makes it beforehand.
bool is_step_result(const Case& kase, std::string_view name);

/// Every input, in the order of `requires`, then of `inputs`, then of the scenarios.
std::vector<std::string> input_names(const Case& kase);

}  // namespace relapse
