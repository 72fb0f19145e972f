#pragma once

// The rules that rules.cpp lists; each is defined in the file that its comment names.

#include <harness/case/substance/lint_rule.hpp>

namespace relapse {

extern const LintRule kUnusedInput;  // unused_names.cpp
extern const LintRule kIdleSilence;  // silences.cpp
extern const LintRule kMutant;       // silences.cpp

}  // namespace relapse
