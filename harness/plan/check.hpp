#pragma once

// What a run asserts, one check at a time. Made by plan() from a Case, alike in the parent and in the worker.

#include <cstdint>
#include <harness/case/case.hpp>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace relapse {

enum class CheckKind : std::uint8_t { failing, corrected, batch, boundary, violation };
enum class Role : std::uint8_t { fixed, unfixed, mutant };
enum class Mode : std::uint8_t { blocking, async, nocache, sanitizer };
std::string_view to_string(CheckKind kind);
std::string_view to_string(Role role);
std::string_view to_string(Mode mode);

/// How one input of the first corrected scenario is changed for a boundary or violation.
enum class ProbeKind : std::uint8_t {
  min,           ///< one element becomes the lower bound (above: the next value inside); must hold
  max,           ///< likewise the upper bound
  below_min,     ///< one less than the lower bound (floats: the next representable value); must be rejected
  above_max,     ///< likewise the upper bound
  below_except,  ///< one less than a value of `except`; must be rejected
  above_except,  ///< one more
  dtype,         ///< another dtype; must be rejected, like all that follow
  rank,          ///< one more dimension
  extent,        ///< the last slice of the first sized dimension again at its end
  nan            ///< the first element becomes NaN
};
std::string_view to_string(ProbeKind kind);
struct Probe {
  std::string name;  ///< of the input
  ProbeKind kind = ProbeKind::min;
  bool last = false;     ///< the last element rather than the first
  int except_index = 0;  ///< which value of `except`
  std::vector<ClauseKind>
      aims;  ///< the clauses it means to break; any of them counts, together they count as one
  bool must_hold() const { return kind == ProbeKind::min || kind == ProbeKind::max; }
};

struct Check {
  std::string name;  ///< `failing`, `failing:above-one`, `corrected`, `batch-2:N=64,F=bfloat16`,
                     ///< `boundary:target.max.first`
  CheckKind kind = CheckKind::failing;
  Role role = Role::fixed;
  Scenario scenario;  ///< of a probe: the first corrected one
  std::vector<Outcome> expect;
  std::vector<Symptom> symptoms;  ///< recorded for this device, of all failing entries
  std::optional<Probe> probe;
  std::vector<Check> after = {};  ///< batches that run first in the same process, as they run by themselves
  SourcePos after_pos = {};       ///< where the file names them
  int clauses = 0;  ///< that a run whose subject returns evaluates at least: fewer are no verdict
  SourcePos pos;    ///< where the check stands in the file
};

}  // namespace relapse
