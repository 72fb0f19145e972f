#pragma once

// Finds case files below a folder and names them.

#include <harness/support/result.hpp>
#include <string>
#include <vector>

namespace relapse {

struct CaseFile {
  std::string path;  ///< as found: root + "/" + id + ".yaml"
  std::string id;    ///< path below `root` without `.yaml`
};

/// Every `*.yaml` below `root`, sorted by id; `*.yml` is an error that says to rename. Hidden files and
/// folders, and folders that hold a `.relapse-ignore` file, are passed over.
Result<std::vector<CaseFile>> discover_cases(const std::string& root);

}  // namespace relapse
