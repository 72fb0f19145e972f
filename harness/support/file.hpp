#pragma once

// Whole files in, whole files out.

#include <harness/support/result.hpp>
#include <string>

namespace relapse {

/// The bytes of a file of at most `limit` bytes; the error names the path and the reason.
Result<std::string> read_file(const std::string& path, std::size_t limit = std::size_t(1) << 31);

/// Writes through a temporary file beside it and a rename, so that a reader never sees half a file.
Result<void> write_file_atomically(const std::string& path, const std::string& bytes);

}  // namespace relapse
