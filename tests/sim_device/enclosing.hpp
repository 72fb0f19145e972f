#pragma once

// Which operators are being called right now. A composite operator (cross_entropy_loss, embedding) never
// reaches a device's own kernels, yet a fault is to be placed by the name that a case uses.

#include <cstdint>
#include <string_view>

namespace sim {

/// Starts to follow the dispatcher's calls, in every thread; once, when the library is loaded.
void follow_calls();

/// The outermost call under way in this thread that the pattern means; 0 for none. Two calls differ.
std::uint64_t enclosing_call(std::string_view pattern);

}  // namespace sim
