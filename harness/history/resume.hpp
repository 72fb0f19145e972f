#pragma once

// What an earlier run answered for good, so that a later one only runs the rest.

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace relapse {

/// Case, device, mode, check.
using CheckKey = std::tuple<std::string, std::string, std::string, std::string>;
/// Case, device, mode.
using JobKey = std::tuple<std::string, std::string, std::string>;

struct Lasting {
  std::set<CheckKey> checks;
  std::map<JobKey, int> time_outs;     ///< attempts that the deadline ended: their number is limited
  int attempts = 0;                    ///< the highest number in the journal
  std::vector<nlohmann::json> events;  ///< of the attempts that gave those verdicts, in order
};

/// A verdict lasts when its attempt ended and nothing that its end decides is missing, in every round of the
/// run. Skips and infrastructure do not: they are about the machine. `unchanged` says whether the case is
/// still the one that was run.
Lasting what_lasts(const std::vector<nlohmann::json>& events,
                   const std::function<bool(const std::string& kase)>& unchanged);

}  // namespace relapse
