#pragma once

// The values of dims in one scenario, as far as they are known when a file is read: those that are listed.

#include <harness/case/case.hpp>
#include <map>
#include <string>

namespace relapse {

using DimMap = std::map<std::string, std::int64_t, std::less<>>;

/// A view of `dims`, which must outlive it.
DimLookup lookup_in(const DimMap& dims);

/// The dims with the scenario's values over the case's. What cannot be evaluated is left out: dims that only
/// shapes bind are known later.
DimMap dims_of(const Case& target, const std::vector<DimValue>& overlay);

}  // namespace relapse
