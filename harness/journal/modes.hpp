#pragma once

#include <harness/plan/check.hpp>
#include <string>

namespace relapse {

/// The mode that reports need not name: launches that wait. Records of other tools may have none.
inline bool is_usual_mode(const std::string& mode) {
  return mode.empty() || mode == to_string(Mode::blocking);
}

}  // namespace relapse
