#pragma once

// A small whole case that tests change, and the messages that reading gives.

#include <harness/case/reader.hpp>
#include <string>
#include <vector>

namespace relapse::testing_case {

/// Lines 1 to 13; every part can be replaced by its text.
inline std::string small_case(const std::string& from = "", const std::string& to = "") {
  std::string text =
      "relapse: 1\n"
      "title: A sum\n"
      "incident: {cause: none known, fix: none known}\n"
      "dims: {N: 4}\n"
      "subject:\n"
      "  - y = x.sum()\n"
      "contract:\n"
      "  requires: {x: {dtype: float32, shape: [N], finite: true}}\n"
      "  ensures: {y: {shape: [], same_as: x.sum()}}\n"
      "failing: {inputs: {x: zeros}, expect: returns}\n"
      "batches:\n"
      "  - {N: 8}\n"
      "  - {N: 16, seed: 2}\n";
  if (const std::size_t at = text.find(from); !from.empty() && at != std::string::npos)
    text.replace(at, from.size(), to);
  return text;
}

/// `line:column message | hint`, one for each diagnostic.
inline std::vector<std::string> mistakes_in(const std::string& text, const ReadLimits& limits = {}) {
  std::vector<std::string> all;
  for (const Diagnostic& d : read_case(text, "case.yaml", "case", limits).diagnostics) {
    all.push_back(std::to_string(d.pos.line) + ":" + std::to_string(d.pos.column) + " " + d.message +
                  (d.hint.empty() ? "" : " | " + d.hint));
  }
  return all;
}

}  // namespace relapse::testing_case
