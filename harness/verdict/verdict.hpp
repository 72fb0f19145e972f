#pragma once

// The verdict on one check: a pure value, made by judge().

#include <cstdint>
#include <harness/case/case.hpp>
#include <harness/plan/observation.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace relapse {

enum class VerdictKind : std::uint8_t {
  held,
  broken,
  relapsed,
  faulted,
  timed_out,
  no_verdict,
  case_error,
  unstable,
  skipped,
  infrastructure,
  not_run,
  quarantined,  ///< red, but in quarantine: reported apart, no reason for a red run
  left_out      ///< a probe that cannot be asked of this case: counted, neither green nor red
};
std::string_view to_string(VerdictKind kind);
std::optional<VerdictKind> verdict_kind_from(std::string_view name);
bool is_red(VerdictKind kind);  ///< all but held, skipped, not_run, quarantined, left_out

struct Verdict {
  VerdictKind kind = VerdictKind::not_run;
  std::string clause;             ///< the first one that did not hold; may be empty
  SourcePos pos;                  ///< of that clause, else of the check
  std::string promised;           ///< one line
  std::vector<std::string> seen;  ///< lines: what happened instead, details
  std::string reason;             ///< of skipped, not_run, infrastructure, case_error, left_out
  std::optional<FaultKind> fault;
  std::string error;      ///< class of a host error
  int step = -1;          ///< failing step; -1: none
  std::string signature;  ///< what must be equal for two verdicts to be "the same": kind, clause or fault or
                          ///< error class
};

}  // namespace relapse
