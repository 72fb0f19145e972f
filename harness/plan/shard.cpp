#include <algorithm>
#include <harness/plan/shard.hpp>
#include <harness/support/text.hpp>
#include <tuple>

namespace relapse {
namespace {

/// FNV's low bits alone divide similar names badly.
std::uint64_t mixed(std::uint64_t hash) {
  hash ^= hash >> 33;
  hash *= 0xff51afd7ed558ccdull;
  hash ^= hash >> 33;
  hash *= 0xc4ceb9fe1a85ec53ull;
  return hash ^ (hash >> 33);
}

double median(std::vector<double> values) {
  if (values.empty()) return 1;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::vector<int> by_seconds(const std::vector<std::string>& ids, int count,
                            const std::map<std::string, double>& seconds) {
  std::vector<double> known;
  for (const std::string& id : ids) {
    const auto found = seconds.find(id);
    if (found != seconds.end()) known.push_back(found->second);
  }
  const double usual = median(std::move(known));
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto found = seconds.find(ids[i]);
    order.emplace_back(found == seconds.end() ? usual : found->second, i);
  }
  std::sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
    return std::tuple(-a.first, ids[a.second]) < std::tuple(-b.first, ids[b.second]);
  });
  std::vector<int> shards(ids.size());
  // Cases without any time would all go to the first shard; so the number of cases decides between equals.
  std::vector<std::tuple<double, std::size_t, int>> loads;
  for (int shard = 1; shard <= count; ++shard) loads.emplace_back(0, 0, shard);
  for (const auto& [took, index] : order) {
    const auto emptiest = std::min_element(loads.begin(), loads.end());
    std::get<0>(*emptiest) += took;
    std::get<1>(*emptiest) += 1;
    shards[index] = std::get<2>(*emptiest);
  }
  return shards;
}

}  // namespace

std::vector<int> divide(const std::vector<std::string>& ids, int count,
                        const std::map<std::string, double>& seconds) {
  if (!seconds.empty()) return by_seconds(ids, count, seconds);
  std::vector<int> shards;
  shards.reserve(ids.size());
  for (const std::string& id : ids)
    shards.push_back(static_cast<int>(mixed(fnv1a64(id)) % static_cast<std::uint64_t>(count)) + 1);
  return shards;
}

}  // namespace relapse
