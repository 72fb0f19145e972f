#pragma once

// Short ways to write checks, observations and endings.

#include <gtest/gtest.h>

#include <harness/verdict/judge.hpp>
#include <string>
#include <utility>
#include <vector>

namespace relapse::test {

using Lines = std::vector<std::string>;

inline Outcome returns() {
  return {};
}
inline Outcome rejected(const std::string& clause = "") {
  Outcome outcome;
  outcome.kind = OutcomeKind::rejected;
  outcome.pos = {17, 11};
  outcome.clause = clause;
  return outcome;
}
inline Outcome raises(std::vector<ErrorClass> classes, std::vector<std::string> match = {}) {
  Outcome outcome;
  outcome.kind = OutcomeKind::raises;
  outcome.classes = std::move(classes);
  outcome.match = std::move(match);
  return outcome;
}
inline Check check(std::vector<Outcome> expect, const std::string& name = "failing") {
  Check check;
  check.name = name;
  check.expect = std::move(expect);
  check.pos = {15, 3};
  return check;
}

inline Breach breach(const std::string& clause, int line = 12) {
  Breach breach;
  breach.clause = clause;
  breach.pos = {line, 7};
  breach.promised = clause + ": C - 1 = 2";
  breach.seen = clause.substr(0, clause.find('.')) + "[3] = 3";
  return breach;
}
inline Observation returned(std::vector<Breach> broken = {}) {
  Observation observation;
  observation.check = "failing";
  observation.clauses_evaluated = 10;
  observation.broken = std::move(broken);
  return observation;
}
inline Observation raised(ErrorClass error, const std::string& text) {
  Observation observation = returned();
  observation.kind = ObservedKind::raised;
  observation.raised = Raised{error, "c10::Error", text, {}};
  observation.step = 0;
  return observation;
}
inline Observation rejection(const std::string& clause) {
  Observation observation = returned();
  observation.kind = ObservedKind::rejected;
  observation.rejected_by = clause;
  observation.rejection = breach(clause);
  observation.step = 0;
  observation.guards_reached = observation.guards_expected = 1;
  return observation;
}

inline Symptom symptom(SymptomKind kind) {
  Symptom symptom;
  symptom.kind = kind;
  return symptom;
}
inline Symptom raises_symptom(ErrorClass error, std::vector<std::string> match = {}) {
  Symptom one = symptom(SymptomKind::raises);
  one.raises = {error};
  one.match = std::move(match);
  return one;
}
inline Symptom fault_symptom(FaultKind fault) {
  Symptom one = symptom(SymptomKind::fault);
  one.fault = fault;
  return one;
}
inline Symptom wrong_symptom(const std::string& clause) {
  Symptom one = symptom(SymptomKind::wrong);
  one.wrong = clause;
  return one;
}
inline VersionRange versions(const std::string& op, std::vector<int> version) {
  VersionRange range;
  range.bounds = {{op, std::move(version)}};
  return range;
}

inline Ending ended(EndCause cause) {
  Ending ending;
  ending.cause = cause;
  return ending;
}
inline Ending exited(int status) {
  Ending ending;
  ending.exit_status = status;
  return ending;
}
inline Ending killed(int signal) {
  Ending ending;
  ending.signal = signal;
  return ending;
}
inline Ending finished() {
  Ending ending = exited(0);
  ending.done = true;
  return ending;
}

}  // namespace relapse::test
