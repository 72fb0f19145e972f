#pragma once

// The rules that rules.cpp lists; each is defined in the file that its comment names.

#include <harness/case/substance/lint_rule.hpp>

namespace relapse {

extern const LintRule kFailingInput;  // input_rules.cpp
extern const LintRule kBatchInput;    // input_rules.cpp
extern const LintRule kLooseDraw;     // input_rules.cpp
extern const LintRule kStoredFile;    // input_rules.cpp
extern const LintRule kUnusedInput;   // unused_names.cpp
extern const LintRule kIdleSilence;   // silences.cpp
extern const LintRule kMutant;        // silences.cpp

}  // namespace relapse
