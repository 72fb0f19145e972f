#pragma once

// Every expression of a case, and where it stands.

#include <functional>
#include <harness/case/case.hpp>
#include <string_view>

namespace relapse {

enum class ExprPlace : std::uint8_t {
  dims,      ///< the value of a dim, anywhere; `owner`: its name
  form,      ///< of an input; `owner`: its name
  step,      ///< of the subject; `owner` is empty
  argument,  ///< of another subject than steps
  unfixed,   ///< steps and rebindings of the code before the fix
  mutant,
  requires_,  ///< a clause; `owner`: the name it is about, or empty for a relation
  ensures     ///< likewise, also those of scenarios
};

using VisitExpr = std::function<void(ExprPlace place, std::string_view owner, const Expr& expr)>;

/// In the order of the file's parts. Shapes, bounds and references count as expressions; literal numbers of
/// lists do not.
void for_each_expr(const Case& target, const VisitExpr& visit);

}  // namespace relapse
