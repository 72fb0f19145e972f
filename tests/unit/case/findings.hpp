#pragma once

// What the rules of lint find in a case, one line each.

#include <gtest/gtest.h>

#include <harness/case/lint.hpp>
#include <harness/case/reader.hpp>
#include <harness/case/substance/substance.hpp>
#include <string>
#include <vector>

namespace relapse::testing_case {

/// `line:column [rule] message`. A case that cannot be read is a failure of the test.
inline std::vector<std::string> findings_in(const std::string& text, const StoredLookup& stored = {}) {
  const ReadResult read = read_case(text, "case.yaml", "case");
  for (const Diagnostic& d : read.diagnostics) ADD_FAILURE() << format(d) << "\n" << text;
  std::vector<std::string> all;
  if (!read.value) return all;
  for (const Diagnostic& d : substance_of(*read.value, text, stored).findings)
    all.push_back(std::to_string(d.pos.line) + ":" + std::to_string(d.pos.column) + " [" + d.id + "] " +
                  d.message);
  return all;
}

/// Those of one rule, without its id.
inline std::vector<std::string> findings_of(const std::string& rule, const std::string& text) {
  std::vector<std::string> all;
  for (const std::string& one : findings_in(text)) {
    const std::size_t at = one.find("[" + rule + "] ");
    if (at != std::string::npos) all.push_back(one.substr(0, at) + one.substr(at + rule.size() + 3));
  }
  return all;
}

}  // namespace relapse::testing_case
