#include <harness/case/substance/scenarios.hpp>

namespace relapse {

namespace {

std::vector<Scenario> products_of(const Batch& batch) {
  std::vector<Scenario> all{batch.scenario};
  const auto spread = [&](std::size_t count, const auto& choose) {
    std::vector<Scenario> next;
    for (const Scenario& base : all) {
      for (std::size_t i = 0; i < count && next.size() < kMostProducts; ++i) {
        next.push_back(base);
        choose(next.back(), i);
      }
    }
    all = std::move(next);
  };
  for (const auto& list : batch.dim_lists)
    spread(list.second.size(), [&](Scenario& one, std::size_t i) { one.dims.push_back(list.second[i]); });
  for (const auto& list : batch.dtype_lists)
    spread(list.second.size(), [&](Scenario& one, std::size_t i) { one.dtypes.push_back(list.second[i]); });
  return all;
}

}  // namespace

void for_each_right_scenario(const Case& target, const std::function<void(const Scenario&)>& visit) {
  for (const Scenario& corrected : target.corrected) visit(corrected);
  for (const Batch& batch : target.batches) {
    for (const Scenario& one : products_of(batch)) visit(one);
  }
}

}  // namespace relapse
