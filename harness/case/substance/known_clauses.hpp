#pragma once

// Clauses of `requires` against what is known of the inputs of one scenario.

#include <harness/case/substance/known_inputs.hpp>
#include <string>
#include <vector>

namespace relapse {

enum class Meets : std::uint8_t {
  certainly,
  perhaps,  ///< not known
  by_luck,  ///< a draw may break it
  never
};

/// One clause or relation of `requires`, in the order in which guard() looks at them.
struct JudgedClause {
  std::string clause;    ///< `target.max`, `where.enough`
  std::string promised;  ///< `target.max: C - 1 = 2`
  Meets meets = Meets::perhaps;
  std::string seen;                ///< `target[3] = 3`; of `by_luck` and `never`
  std::vector<std::string> about;  ///< the inputs that it speaks of
  SourcePos pos;
};

std::vector<JudgedClause> judge_requires(const Case& target, const KnownInputs& inputs);

}  // namespace relapse
