#include <algorithm>
#include <harness/schedule/order.hpp>
#include <map>
#include <numeric>

namespace relapse {
namespace {

/// Seconds of each job; nothing is known of any: empty.
std::vector<double> seconds_of(const std::vector<Job>& jobs, const std::map<std::string, double>& times) {
  std::vector<double> seconds, known;
  for (const Job& job : jobs) {
    const auto found = times.find(job.kase->id + "@" + job.device);
    seconds.push_back(found == times.end() ? -1 : found->second);
    if (found != times.end()) known.push_back(found->second);
  }
  if (known.empty()) return {};
  const auto middle = known.begin() + static_cast<std::ptrdiff_t>(known.size() / 2);
  std::nth_element(known.begin(), middle, known.end());
  for (double& one : seconds) one = one < 0 ? *middle : one;
  return seconds;
}

}  // namespace

JobOrder order_for(const std::vector<Job>& jobs, const std::map<std::string, double>& times,
                   const ScheduleOptions& options) {
  const std::vector<double> seconds = seconds_of(jobs, times);
  if (seconds.empty()) return JobOrder::as_given;
  if (!options.deadline) return JobOrder::longest_first;
  double work = 0, longest = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (!jobs[i].skip.empty()) continue;
    work += seconds[i] * options.repeat;
    longest = std::max(longest, seconds[i]);
  }
  // No order makes it shorter than its longest job, or than all of the work on all slots.
  const double least = std::max(longest, work / std::max(1, options.jobs));
  return least > *options.deadline ? JobOrder::quickest_first : JobOrder::longest_first;
}

void put_in_order(std::vector<Job>& jobs, const std::map<std::string, double>& times, JobOrder order) {
  const std::vector<double> seconds = seconds_of(jobs, times);
  if (order == JobOrder::as_given || seconds.empty()) return;
  std::vector<std::size_t> places(jobs.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::stable_sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) {
    return order == JobOrder::longest_first ? seconds[a] > seconds[b] : seconds[a] < seconds[b];
  });
  std::vector<Job> sorted;
  sorted.reserve(jobs.size());
  for (const std::size_t place : places) sorted.push_back(std::move(jobs[place]));
  jobs = std::move(sorted);
}

}  // namespace relapse
