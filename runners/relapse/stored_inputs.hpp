#pragma once

// What the files beside a case hold, for rules of lint that compare it with the contract.

#include <harness/case/substance/known_inputs.hpp>
#include <string>

namespace relapse {

/// Reads files below the folder of `case_file`; a file that several forms name is read once for each.
StoredLookup stored_inputs_of(const std::string& case_file);

}  // namespace relapse
