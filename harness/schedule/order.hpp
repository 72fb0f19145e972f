#pragma once

// In which order jobs are started. With times the longest come first, so that no long one is left at the end
// with idle slots beside it; when the deadline is too short for all, the quickest, so that most get a
// verdict.

#include <harness/schedule/scheduler.hpp>
#include <map>
#include <string>
#include <vector>

namespace relapse {

enum class JobOrder { as_given, longest_first, quickest_first };

/// What the times of earlier runs (seconds, by `case@device`) advise for these jobs.
JobOrder order_for(const std::vector<Job>& jobs, const std::map<std::string, double>& times,
                   const ScheduleOptions& options);

/// A job without a time counts as the median of the others. Jobs of the same length stay in their order.
void put_in_order(std::vector<Job>& jobs, const std::map<std::string, double>& times, JobOrder order);

}  // namespace relapse
