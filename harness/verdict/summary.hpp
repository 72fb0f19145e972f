#pragma once

// From the verdicts of a run to its exit code. Of several the first of 5, 2, 3, 1, 4, 77, 0 counts.

#include <harness/support/exit_code.hpp>
#include <harness/verdict/verdict.hpp>

namespace relapse {

struct Tally {
  int held = 0, broken = 0, relapsed = 0, faulted = 0, timed_out = 0, no_verdict = 0, case_error = 0,
      unstable = 0, skipped = 0, infrastructure = 0, not_run = 0, quarantined = 0, left_out = 0;
  int red() const {
    return broken + relapsed + faulted + timed_out + no_verdict + case_error + unstable + infrastructure;
  }
  int all() const { return red() + held + skipped + not_run + quarantined; }
  void add(VerdictKind kind, int count = 1);
  int of(VerdictKind kind) const;
};

/// What counts besides the verdicts.
struct RunFlags {
  bool interrupted = false;
  bool broken_file = false;     ///< a case file that could not be read
  bool missing_device = false;  ///< a required device is not here
};

/// A run in which nothing was held is never `held`, and a check that was `not_run` forbids it.
ExitCode exit_code_of(const Tally& tally, const RunFlags& flags);

/// For `git bisect run`: 0 every check held, 1 one of them is certainly red, 125 nothing can be told. A check
/// that is unstable, contradicts itself or gave no verdict tells nothing about the code.
ExitCode bisect_code(ExitCode code, const Tally& tally);

/// Of two exit codes the one that counts: the first of 5, 2, 3, 1, 4, 77, 0.
ExitCode graver(ExitCode a, ExitCode b);

}  // namespace relapse
