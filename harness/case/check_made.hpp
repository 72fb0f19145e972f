#pragma once

// What is certain about the inputs of one scenario before anything makes them: a generated input whose range
// is empty, a literal of another shape than requires says. What is not certain is left to the run.

#include <harness/case/check_dims.hpp>
#include <harness/case/check_symbols.hpp>
#include <harness/case/read_context.hpp>
#include <set>

namespace relapse {

struct MadeScenario {
  const Scenario& scenario;
  const DimMap& dims;
  const std::vector<DTypeValue>& dtypes;  ///< of the scenario; of a batch with lists the first of each
  bool may_break_requires = false;        ///< its inputs may be wrong on purpose
};

class MadeInputs {
 public:
  MadeInputs(ReadContext& context, const Symbols& symbols, const Case& target);

  void check(const MadeScenario& made);

 private:
  void check_range(const MadeScenario& made, const NameContract& contract, const InputForm* form);
  void check_literal(const MadeScenario& made, const NameContract& contract, const InputForm& form,
                     const Where& where, bool is_default);

  ReadContext& context_;
  const Symbols& symbols_;
  const Case& target_;
  std::map<std::string_view, const InputForm*> defaults_;
  std::set<SourcePos> told_;  ///< ranges: one scenario is enough
};

}  // namespace relapse
