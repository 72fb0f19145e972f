#pragma once

// A whole case with a rejection, of which tests replace parts, and the names of its checks.

#include <gtest/gtest.h>

#include <harness/case/reader.hpp>
#include <harness/plan/plan.hpp>
#include <string>
#include <utility>
#include <vector>

namespace relapse::test {

using Edits = std::vector<std::pair<std::string, std::string>>;

inline std::string rejection_case(const Edits& edits = {}) {
  std::string text =
      "relapse: 1\n"
      "title: A label beyond the head\n"
      "incident: {cause: none known, fix: none known}\n"
      "dims: {N: 4, C: 3}\n"
      "subject:\n"
      "  - guard()\n"
      "  - loss = cross_entropy_loss(logits, target)\n"
      "contract:\n"
      "  requires:\n"
      "    logits: {dtype: float32, shape: [N, C], finite: true}\n"
      "    target: {dtype: int64, shape: [N], min: 0, max: C - 1}\n"
      "  ensures:\n"
      "    loss: {shape: [], finite: true}\n"
      "failing:\n"
      "  inputs: {target: [0, 1, 2, 3]}\n"
      "  symptom: {cpu: {raises: index_error}, cuda: {fault: device_assert}}\n"
      "  expect: {rejected: target.max}\n"
      "corrected: {dims: {C: 4}, inputs: {target: [0, 1, 2, 3]}}\n"
      "batches:\n"
      "  - {N: 8}\n"
      "  - {N: 16, seed: 2}\n";
  for (const auto& [from, to] : edits) {
    const std::size_t at = text.find(from);
    if (at == std::string::npos) ADD_FAILURE() << "the case has no \"" << from << '"';
    if (at != std::string::npos) text.replace(at, from.size(), to);
  }
  return text;
}

inline Case read(const std::string& text) {
  ReadResult result = read_case(text, "cases/index/labels.yaml", "index/labels");
  for (const Diagnostic& diagnostic : result.diagnostics) ADD_FAILURE() << format(diagnostic);
  return result.value ? std::move(*result.value) : Case{};
}
inline Case read(const Edits& edits = {}) {
  return read(rejection_case(edits));
}

inline std::vector<std::string> names_of(const std::vector<Check>& checks) {
  std::vector<std::string> names;
  for (const Check& check : checks) names.push_back(check.name);
  return names;
}
inline std::vector<std::string> planned(const Edits& edits, const std::string& device = "cpu") {
  return names_of(plan(read(edits), device));
}

}  // namespace relapse::test
