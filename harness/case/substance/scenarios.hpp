#pragma once

// Every set of inputs that a case makes, with the values of listed dims and dtypes multiplied out.

#include <functional>
#include <harness/case/case.hpp>

namespace relapse {

/// Of a batch with lists the first this many products are looked at.
inline constexpr std::size_t kMostProducts = 64;

/// corrected and batches, whose inputs must meet `requires`, in file order.
void for_each_right_scenario(const Case& target, const std::function<void(const Scenario&)>& visit);

}  // namespace relapse
