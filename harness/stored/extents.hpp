#pragma once

// What the shape of a stored tensor says about its size.

#include <cstdint>
#include <optional>
#include <vector>

namespace relapse {

/// The bytes that elements of so many bits need, densely packed. Nothing when they are no whole number of
/// bytes, or when they do not fit 64 bits; the latter also where an extent of 0 hides it, since strides are
/// made of the extents that are left.
std::optional<std::uint64_t> bytes_of(const std::vector<std::int64_t>& shape, int element_bits);

}  // namespace relapse
