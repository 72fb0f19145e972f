#pragma once

#include <string_view>

namespace relapse {

/// What stands for a character that HTML would take for markup; empty: it stands for itself.
inline std::string_view html_entity(char c) {
  switch (c) {
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '&':
      return "&amp;";
    default:
      return {};
  }
}

}  // namespace relapse
