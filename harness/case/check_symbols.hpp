#pragma once

// Every name that a case gives to something.

#include <functional>
#include <harness/case/case.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace relapse {

using NameSet = std::set<std::string, std::less<>>;

struct Symbols {
  NameSet inputs;        ///< of requires, inputs and every scenario; not the results of steps
  NameSet results;       ///< of steps, or outputs of other subjects
  NameSet dims;          ///< listed ones, and those that only shapes bind
  NameSet dtypes;        ///< symbols with a value somewhere
  NameSet dtypes_asked;  ///< symbols that the contract uses
  NameSet gradients;     ///< inputs with requires_grad: those that have `x.grad` after a backward step
  bool has_backward = false;

  bool is_bound(std::string_view name) const {
    return inputs.count(name) + results.count(name) + dims.count(name) + dtypes.count(name) > 0;
  }
};

Symbols collect_symbols(const Case& target);

/// failing, corrected and batches alike, in this order.
void for_each_scenario(Case& target, const std::function<void(Scenario&)>& visit);
void for_each_scenario(const Case& target, const std::function<void(const Scenario&)>& visit);

/// The name's part before `.grad`, or all of it.
std::string_view without_grad(std::string_view name);

std::vector<std::string> to_vector(const NameSet& names);

}  // namespace relapse
