#pragma once

// Contracts as a case file says them, over values that the test makes.

#include <harness/case/reader.hpp>
#include <harness/contract/side.hpp>

#include "../operator/names.hpp"

namespace relapse::test {

/// A case with inputs x and z, a result y, and these two sides.
inline Case contract_case(const std::string& requires_, const std::string& ensures) {
  const std::string text =
      "relapse: 1\n"
      "title: A contract\n"
      "incident: {cause: none known, fix: none known}\n"
      "dims: {C: 3}\n"
      "dtypes: {F: float16}\n"
      "inputs: {x: {fill: zeros, shape: [3], dtype: float32}, z: {fill: zeros, shape: [3], dtype: float32}}\n"
      "subject:\n"
      "  - y = x + z\n"
      "contract:\n"
      "  requires: " +
      requires_ +
      "\n"
      "  ensures: " +
      ensures +
      "\n"
      "failing: {expect: returns}\n"
      "batches:\n"
      "  - {seed: 1}\n"
      "  - {seed: 2}\n";
  ReadResult read = read_case(text, "c.yaml", "c");
  for (const Diagnostic& diagnostic : read.diagnostics) ADD_FAILURE() << format(diagnostic);
  return read.value ? std::move(*read.value) : Case{};
}

/// Evaluates `ensures` over these names; inputs before the subject are `old`, by default the same values.
struct Checked {
  SideResult result;
  std::string error;  ///< of an EvalError, with its position

  /// `clause: seen | detail`, one for each breach.
  std::vector<std::string> seen() const {
    std::vector<std::string> all;
    if (!error.empty()) all.push_back("error " + error);
    for (const Breach& breach : result.broken) {
      std::string text = breach.clause + ": " + breach.seen;
      for (const std::string& detail : breach.details) text += " | " + detail;
      all.push_back(text);
    }
    return all;
  }
  std::string only() const {
    const std::vector<std::string> all = seen();
    if (all.empty()) return "holds";
    return all.size() == 1 ? all.front().substr(all.front().find(' ') + 1) : "several";
  }
  std::string promised() const { return result.broken.empty() ? "" : result.broken.front().promised; }
};

inline Checked check_names(const ContractSide& side, Names& names, const SideFilter& filter = {},
                           Stop stop = Stop::never) {
  if (names.old.empty()) {
    for (const char* input : {"x", "z"}) {
      if (names.values.count(input)) names.old.emplace(input, names.values.at(input));
    }
  }
  names.symbols.dims.emplace("C", 3);
  names.symbols.dtypes.emplace("F", DType::float16);
  const Scope scope = names.scope();
  References references(scope.find_old, scope.find, names.symbols, nullptr);
  SideContext context;
  context.scope = &scope;
  context.symbols = &names.symbols;
  context.before = scope.find_old;
  context.references = &references;
  context.find = scope.find;
  Checked checked;
  try {
    checked.result = check_side(side, context, filter, stop);
  } catch (const EvalError& error) {
    checked.error =
        std::to_string(error.pos().line) + ":" + std::to_string(error.pos().column) + " " + error.what();
  }
  return checked;
}

/// What one or more clauses of `y` say of a value.
inline Checked clause_of(const std::string& clauses, Value y, Names names = {}) {
  const Case kase = contract_case("{x: {dtype: float32}}", "{y: {" + clauses + "}}");
  names.set("y", std::move(y));
  return check_names(kase.contract.ensures, names);
}
inline std::string seen(const std::string& clauses, const std::string& y, Names names = {}) {
  return clause_of(clauses, {names.tensor(y)}, names).only();
}
inline std::string seen(const std::string& clauses, const at::Tensor& y) {
  return clause_of(clauses, {y}).only();
}
inline std::string promised(const std::string& clauses, const std::string& y) {
  return clause_of(clauses, {Names().tensor(y)}).promised();
}

}  // namespace relapse::test
