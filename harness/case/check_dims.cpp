#include <harness/case/check_dims.hpp>

namespace relapse {

DimLookup lookup_in(const DimMap& dims) {
  return [&dims](std::string_view name) -> std::optional<std::int64_t> {
    const auto found = dims.find(name);
    return found == dims.end() ? std::nullopt : std::optional(found->second);
  };
}

DimMap dims_of(const Case& target, const std::vector<DimValue>& overlay) {
  DimMap dims;
  const auto set = [&](const DimValue& dim) {
    if (dim.value == nullptr) return;
    if (const Result<std::int64_t> value = evaluate_integer(*dim.value, lookup_in(dims)))
      dims[dim.name] = *value;
  };
  const auto overlaid = [&](const DimValue& dim) -> const DimValue& {
    for (const DimValue& other : overlay) {
      if (other.name == dim.name) return other;
    }
    return dim;
  };
  for (const DimValue& dim : target.dims) set(overlaid(dim));
  for (const DimValue& dim : overlay) {
    if (dims.count(dim.name) == 0) set(dim);
  }
  return dims;
}

}  // namespace relapse
