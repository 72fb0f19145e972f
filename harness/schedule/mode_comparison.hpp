#pragma once

// One check in blocking and in asynchronous mode: where the two differ, the order of launches matters.

#include <harness/plan/check.hpp>
#include <harness/plan/observation.hpp>
#include <harness/verdict/verdict.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace relapse {

class ModeComparison {
 public:
  /// Takes the verdict on a check in one mode, with its results when it returned. Once both modes have been
  /// seen: in one line how they differ; nothing when they agree, or when only one is known.
  std::optional<std::string> add(const std::string& check_id, const std::string& mode, const Verdict& verdict,
                                 std::vector<ResultDigest> results);

 private:
  struct Seen {
    Verdict verdict;
    std::vector<ResultDigest> results;
  };
  std::map<std::string, std::map<std::string, Seen>> seen_;  ///< by check, then by mode
};

/// The verdict of the asynchronous run of a check whose case says `agrees: async`, when the two differ.
Verdict disagreement_verdict(const Agreement& agreement, const Check& check, const std::string& how);

}  // namespace relapse
