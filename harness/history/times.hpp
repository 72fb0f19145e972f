#pragma once

// How long cases took: to run the longest first and to fill shards evenly. Times decide the order and the
// division of a run, never a verdict.

#include <harness/journal/record.hpp>
#include <harness/support/result.hpp>
#include <map>
#include <string>
#include <vector>

namespace relapse {

/// Seconds of all checks of a case on one kind of device, by `index/labels@cuda`.
using CaseTimes = std::map<std::string, double>;

/// The times of a run: of cases that ran to their end.
CaseTimes times_of(const RunRecord& run);

/// `{"schema": 1, "times": {"index/labels@cuda": 0.25}}`.
std::string times_json(const CaseTimes& times);

/// A times file, a journal, or a folder of journals, of which later ones count. The error names the place.
Result<CaseTimes> read_times(const std::string& path);

/// Seconds by case for `divide`: all of its devices that are among `kinds`.
std::map<std::string, double> by_case(const CaseTimes& times, const std::vector<std::string>& kinds);

}  // namespace relapse
