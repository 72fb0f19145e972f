#pragma once

// The quarantine file: cases that are known to be red for a while. They still run and are reported apart;
// when their date has passed they are red again. Strict like case files, with positions.

#include <harness/support/diagnostic.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace relapse {

struct QuarantineEntry {
  std::string kase;   ///< as on the command line: an id or a pattern of ids, `@device`, `/check`
  std::string owner;  ///< who brings it back
  std::string link;   ///< where that is worked on
  std::string until;  ///< `2026-12-31`: the last day
  std::string why;    ///< optional
  SourcePos pos;
};

struct QuarantineResult {
  std::vector<QuarantineEntry> entries;
  std::vector<Diagnostic> diagnostics;  ///< with any error there are no entries
};

/// `file` is only for messages.
QuarantineResult read_quarantine(std::string_view text, const std::string& file);

/// A day of the calendar as `2026-12-31`.
bool is_date(std::string_view text);

}  // namespace relapse
