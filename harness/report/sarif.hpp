#pragma once

// SARIF 2.1.0 for code scanning: a result for each red check at the line of the clause, a rule for each kind
// of verdict. What was skipped or not run is told in the invocation's notifications, since viewers make an
// alert of every result.

#include <harness/journal/record.hpp>
#include <string>

namespace relapse {

std::string sarif_report(const RunRecord& run);

}  // namespace relapse
