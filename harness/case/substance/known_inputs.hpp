#pragma once

// The inputs of one scenario, as far as the case file alone says what they are.

#include <functional>
#include <harness/case/case.hpp>
#include <harness/case/check_dims.hpp>
#include <harness/case/check_symbols.hpp>
#include <harness/case/substance/known_expression.hpp>
#include <map>
#include <string>

namespace relapse {

/// What a file beside the case holds for a form, or why a run could not read it.
struct StoredInput {
  std::string mistake;  ///< a sentence; empty: there is none
  KnownTensor tensor;
};
/// Reads the file of a form. Empty: nobody does, and nothing is known of such inputs.
using StoredLookup = std::function<StoredInput(const InputForm&)>;

class KnownInputs {
 public:
  KnownInputs(const Case& target, const Scenario& scenario, const NameSet& names, const StoredLookup& stored);
  KnownInputs(const KnownInputs&) = delete;
  KnownInputs& operator=(const KnownInputs&) = delete;

  /// Inputs, numbers and dims. Null: nothing is known.
  const KnownTensor* find(std::string_view name) const;
  /// The same where arithmetic gives what it says: not of integers so narrow that they may wrap.
  const KnownTensor* operand(std::string_view name) const;
  std::optional<DType> dtype(const DTypeRef& ref) const;
  /// The form that an input has here: the scenario's, else the case's; null: nobody gave one.
  const NamedInput* form(std::string_view name) const;

 private:
  void bind_dims();
  KnownTensor made(const std::string& name, const InputForm* form) const;
  void add_elements(const InputForm& form, const NameContract* contract, KnownTensor& tensor) const;
  void add_draw(const InputForm& form, const NameContract* contract, KnownTensor& tensor) const;
  void add_set(const InputForm& form, KnownTensor& tensor) const;
  void add_generated(const NameContract& contract, KnownTensor& tensor) const;
  std::optional<Number> number(const ExprPtr& expr) const;
  std::optional<Number> scalar(const Scalar& one) const;
  std::optional<Number> bound(const NameContract* contract, ClauseKind kind) const;
  std::optional<std::vector<std::int64_t>> extents(const std::vector<ExprPtr>& shape) const;

  const Case& target_;
  const Scenario& scenario_;
  const StoredLookup& stored_;
  DimMap dims_;
  NameSet names_;
  mutable std::map<std::string, std::optional<KnownTensor>, std::less<>> known_;
};

}  // namespace relapse
