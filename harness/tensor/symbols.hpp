#pragma once

// The dims and dtypes of one check: the case's, overlaid by the scenario's, then bound by the shapes of
// inputs.

#include <cstdint>
#include <harness/case/case.hpp>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace relapse {

struct Symbols {
  std::map<std::string, std::int64_t, std::less<>> dims;
  std::map<std::string, DType, std::less<>> dtypes;

  std::optional<std::int64_t> dim(std::string_view name) const;
  std::optional<DType> dtype(const DTypeRef& ref) const;  ///< nothing: an unknown symbol
  DimLookup lookup() const;                               ///< over `dims`; valid while this lives
  std::vector<std::string> dim_names() const;
};

/// Case values overlaid by the scenario's. The error names the dim that cannot be computed.
Result<Symbols> symbols_of(const Case& kase, const Scenario& scenario);

/// Makes the extents agree with a shape clause: a lone unlisted name binds, everything else must be equal.
/// The answer is empty, or says which extent differs (`extent 0 is 8, expected N = 4`).
std::string bind_shape(const std::vector<ExprPtr>& shape, const std::vector<std::int64_t>& extents,
                       Symbols& symbols);

}  // namespace relapse
