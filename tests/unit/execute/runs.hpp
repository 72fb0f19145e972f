#pragma once

// Whole cases run in memory: what was seen of a check, and what it is judged to be.

#include <gtest/gtest.h>

#include <harness/case/reader.hpp>
#include <harness/execute/check_run.hpp>
#include <harness/plan/plan.hpp>
#include <harness/verdict/judge.hpp>
#include <string>
#include <utility>
#include <vector>

namespace relapse::test {

using Lines = std::vector<std::string>;
using Edits = std::vector<std::pair<std::string, std::string>>;

/// Lines 1 to 21: a loss with a guard. Every part can be replaced by its text.
inline std::string loss_case(const Edits& edits = {}) {
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

/// Lines 1 to 13: one step over x, which returns.
inline std::string step_case(const std::string& steps, const std::string& requires_,
                             const std::string& ensures, const std::string& more = "") {
  return "relapse: 1\n"
         "title: A step\n"
         "incident: {cause: none known, fix: none known}\n"
         "dims: {N: 4}\n"
         "subject: " +
         steps +
         "\n"
         "contract:\n"
         "  requires: " +
         requires_ +
         "\n"
         "  ensures: " +
         ensures + "\n" + more +
         "failing: {expect: returns}\n"
         "batches:\n"
         "  - {N: 8}\n"
         "  - {N: 16, seed: 2}\n";
}

/// All checks of a case, run one after the other in this process.
class Ran {
 public:
  explicit Ran(const std::string& text, Role role = Role::fixed) {
    ReadResult read = read_case(text, "cases/c.yaml", "c");
    for (const Diagnostic& diagnostic : read.diagnostics) ADD_FAILURE() << format(diagnostic);
    if (!read.value) return;
    kase_ = std::move(*read.value);
    AttemptContext context;
    context.kase = &kase_;
    context.role = role;
    context.step_started = [this](const std::string&, const StepRecord& step, auto...) {
      steps.push_back(step);
    };
    for (Check& check : plan(kase_, "cpu")) {
      observations_.push_back(run_check(context, check));
      checks_.push_back(std::move(check));
    }
  }

  const Observation& seen(const std::string& name) const {
    for (const Observation& observation : observations_) {
      if (observation.check == name) return observation;
    }
    ADD_FAILURE() << "no check " << name;
    static const Observation none;
    return none;
  }
  Verdict verdict(const std::string& name) const {
    for (std::size_t i = 0; i < checks_.size(); ++i) {
      if (checks_[i].name == name) return judge(checks_[i], observations_[i], {"2.15.0"});
    }
    ADD_FAILURE() << "no check " << name;
    return {};
  }
  /// `kind`, or `kind: reason at line`, or `kind clause: seen`.
  std::string text(const std::string& name) const {
    const Verdict found = verdict(name);
    std::string out(to_string(found.kind));
    if (!found.reason.empty()) return out + ": " + found.reason + " at " + std::to_string(found.pos.line);
    if (!found.clause.empty()) out += " " + found.clause;
    return found.seen.empty() ? out : out + ": " + found.seen.front();
  }
  /// Names and verdicts of what is not held.
  Lines others() const {
    Lines all;
    for (const Check& check : checks_) {
      const std::string one = text(check.name);
      if (one != "held") all.push_back(check.name + " " + one);
    }
    return all;
  }
  std::size_t size() const { return checks_.size(); }

  std::vector<StepRecord> steps;

 private:
  Case kase_;
  std::vector<Check> checks_;
  std::vector<Observation> observations_;
};

}  // namespace relapse::test
