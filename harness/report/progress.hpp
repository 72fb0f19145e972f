#pragma once

// The line that updates on a terminal while a run goes on: `[ 143/214] cpu ▸ embedding/offsets#batch-2   1
// red`. Elsewhere nothing is printed.

#include <chrono>
#include <cstdio>
#include <harness/journal/record.hpp>
#include <harness/report/style.hpp>
#include <string>

namespace relapse {

class Progress {
 public:
  Progress(std::FILE* out, Style style) : out_(out), style_(style) {}
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Shows where the run is, at most about 15 times a second.
  void update(const RunRecord& run, const CheckRecord& check);
  /// Takes the line away before other text is printed.
  void clear();

 private:
  std::FILE* out_;
  Style style_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point last_{};
};

}  // namespace relapse
