#pragma once

// What compute-sanitizer printed (NVIDIA Compute Sanitizer documentation, tools memcheck, racecheck and
// initcheck).

#include <string>
#include <string_view>
#include <vector>

namespace relapse {

struct SanitizerFinding {
  std::string
      what;  ///< `Invalid __global__ read of size 4 bytes`, `Race reported between Write access at ...`
  std::string where;  ///< `at kernel(int *)+0x160 in file.cu:6`; empty where the report has none
  std::string who;    ///< `by thread (0,0,0) in block (0,0,0)`
  int count = 0;      ///< how often the same was found at the same place
};

struct SanitizerReport {
  bool complete = false;  ///< it has a summary: the tool came to its end
  int errors = 0;         ///< as its summary counts them
  std::vector<SanitizerFinding> findings;
};

/// Reads the lines that begin with `=========`; others are the program's own.
SanitizerReport read_sanitizer_report(std::string_view printed);

std::string to_string(const SanitizerFinding& finding);

}  // namespace relapse
