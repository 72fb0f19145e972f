#pragma once

// From the words of a command line to the cases that they mean.

#include <harness/case/case.hpp>
#include <harness/plan/select.hpp>
#include <harness/support/result.hpp>
#include <memory>
#include <string>
#include <vector>

namespace relapse {

struct LoadedCase {
  std::string id, path, hash;
  std::shared_ptr<const Case> kase;        ///< null: the file is broken
  std::vector<std::string> messages;       ///< formatted diagnostics, errors and warnings
  std::vector<const Selector*> selectors;  ///< those that mean it; empty with no words
};

struct Loaded {
  std::string root;  ///< for messages
  std::vector<std::unique_ptr<Selector>> words;
  std::vector<LoadedCase> cases;       ///< selected ones, by id
  std::vector<std::string> unmatched;  ///< words that mean no case
};

/// `root` is the cases folder; empty: `cases` below the working folder. A word that names a file or folder
/// outside it is a root of its own. Without words every case of the root is meant.
Result<Loaded> load_cases(const std::string& root, const std::vector<std::string>& words);

/// Constructs that are read but not executed by this version, as formatted errors; empty: the case can run.
std::vector<std::string> refusals(const Case& kase, const std::string& text_of_file);

}  // namespace relapse
