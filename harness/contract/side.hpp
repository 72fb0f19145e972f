#pragma once

// One side of a contract over the values of one check: every clause and relation in file order.

#include <harness/contract/clause.hpp>
#include <harness/contract/reference.hpp>
#include <harness/plan/observation.hpp>
#include <set>
#include <string>
#include <vector>

namespace relapse {

struct SideContext {
  const Scope* scope = nullptr;                               ///< current values
  Symbols* symbols = nullptr;                                 ///< dims bind here
  std::function<const Value*(std::string_view name)> before;  ///< inputs before the subject; may be empty
  References* references = nullptr;                           ///< of `equals` and `same_as`, on both sides
  std::string folder;
  std::function<const Value*(std::string_view name)> find;    ///< the value that a name's clauses look at
  std::function<const Value*(std::string_view name)> placed;  ///< the same on its own device; may be empty
};

enum class Stop : std::uint8_t { never, at_first };
/// Which part of a side counts.
struct SideFilter {
  std::set<std::string>
      names;  ///< of guard(a, b): these names, and relations over only these tensors; empty: all
  bool only_unchanged = false;  ///< after a rejection
  bool skip_unbound = false;    ///< in guard(): names that no step has made yet
};

struct SideResult {
  std::vector<Breach> broken;
  int evaluated = 0;
};

/// Evaluates and collects. Throws EvalError for a mistake of the case.
SideResult check_side(const ContractSide& side, const SideContext& context, const SideFilter& filter = {},
                      Stop stop = Stop::never);

}  // namespace relapse
