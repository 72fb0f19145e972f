#pragma once

// Which cases and checks a run is about: by id, glob, label, path, device or check.

#include <harness/case/discover.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace relapse {

/// One word of the command line, taken apart: `index/labels@cuda/batch-2` -> case, device, check. A word
/// without `@` may be an id or a glob over ids, a folder of ids (`index`), a label, or a path of a file or
/// folder.
struct Selector {
  std::string word;
  std::string kase;    ///< id, glob, folder or label
  std::string device;  ///< kind; empty: every device
  std::string check;   ///< name or glob; empty: all checks
};
Selector parse_selector(std::string_view word);

/// How a selector meets a case; `labels` are the case's.
bool selects_case(const Selector& selector, std::string_view id, std::string_view path,
                  const std::vector<std::string>& labels);
bool selects_device(const Selector& selector, std::string_view device_kind);
bool selects_check(const Selector& selector, std::string_view check_name);

}  // namespace relapse
