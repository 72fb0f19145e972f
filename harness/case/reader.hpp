#pragma once

// YAML text -> Case. Strict: every mistake of a file is reported in one go, with its position. Reading runs
// nothing and allocates nothing that the file's own size does not bound.

#include <harness/case/case.hpp>
#include <harness/support/diagnostic.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace relapse {

/// Limits of a case file; a file that passes one is refused with a message that names the limit.
struct ReadLimits {
  std::size_t file_bytes = 4u << 20;
  int depth = 32;
  std::size_t nodes = 200'000;
  std::size_t keys = 10'000;        ///< of all maps together
  std::size_t steps = 1'000;        ///< of one list of steps
  std::size_t mistakes = 100;       ///< that are told; behind them one line says how many more there are
  std::size_t elements = 1u << 20;  ///< of one nested list of values
  std::int64_t extent_product = std::int64_t(1) << 40;  ///< elements of one tensor whose extents are known
};

/// `value` is there when no diagnostic is an error.
struct ReadResult {
  std::optional<Case> value;
  std::vector<Diagnostic> diagnostics;
};

/// Reads a whole case. `file` is only for messages and positions; `id` becomes Case::id.
ReadResult read_case(std::string_view text, const std::string& file, const std::string& id,
                     const ReadLimits& limits = {});

/// Opens, reads and checks one file.
ReadResult read_case_file(const std::string& path, const std::string& id, const ReadLimits& limits = {});

}  // namespace relapse
