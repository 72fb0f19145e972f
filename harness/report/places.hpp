#pragma once

// Where things stand, as tools outside want to be told: places in broken files, paths as they see them.

#include <harness/journal/record.hpp>
#include <harness/support/diagnostic.hpp>
#include <string>
#include <vector>

namespace relapse {

/// One message of a broken file: `cases/x.yaml:14:24: error: expected ...` taken apart.
struct BrokenPlace {
  SourcePos pos;     ///< {0, 0} when the message names none
  std::string text;  ///< without the place; also the lines that follow the first
};
std::vector<BrokenPlace> places_of(const BrokenFile& file);

/// Folders that turn a path of the run into one that a tool outside understands. Both absolute.
struct PathContext {
  std::string folder;     ///< where relapse was started: paths of the run are relative to it
  std::string workspace;  ///< root of the checkout; empty: `folder`
};
/// The path relative to the workspace when it lies in it, else absolute; in normal form.
std::string path_in_workspace(const std::string& path, const PathContext& context);

/// A path as a relative or absolute URI reference (RFC 3986): what is not allowed is percent-encoded.
std::string uri_of(const std::string& path);

}  // namespace relapse
