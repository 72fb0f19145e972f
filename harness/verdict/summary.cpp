#include <harness/verdict/summary.hpp>

namespace relapse {
namespace {

int Tally::*member_of(VerdictKind kind) {
  switch (kind) {
    case VerdictKind::held:
      return &Tally::held;
    case VerdictKind::broken:
      return &Tally::broken;
    case VerdictKind::relapsed:
      return &Tally::relapsed;
    case VerdictKind::faulted:
      return &Tally::faulted;
    case VerdictKind::timed_out:
      return &Tally::timed_out;
    case VerdictKind::no_verdict:
      return &Tally::no_verdict;
    case VerdictKind::case_error:
      return &Tally::case_error;
    case VerdictKind::unstable:
      return &Tally::unstable;
    case VerdictKind::skipped:
      return &Tally::skipped;
    case VerdictKind::infrastructure:
      return &Tally::infrastructure;
    case VerdictKind::not_run:
      return &Tally::not_run;
    case VerdictKind::quarantined:
      return &Tally::quarantined;
    case VerdictKind::left_out:
      return &Tally::left_out;
  }
  return &Tally::no_verdict;
}

}  // namespace

void Tally::add(VerdictKind kind, int count) {
  this->*member_of(kind) += count;
}
int Tally::of(VerdictKind kind) const {
  return this->*member_of(kind);
}

ExitCode exit_code_of(const Tally& tally, const RunFlags& flags) {
  if (flags.interrupted) return ExitCode::interrupted;
  if (flags.broken_file || tally.case_error > 0) return ExitCode::usage;
  if (flags.missing_device || tally.infrastructure > 0) return ExitCode::infrastructure;
  if (tally.red() > 0) return ExitCode::failed;
  if (tally.not_run > 0) return ExitCode::nothing_ran;
  if (tally.held == 0)
    return tally.skipped + tally.quarantined > 0 ? ExitCode::skipped : ExitCode::nothing_ran;
  return ExitCode::held;
}

ExitCode bisect_code(ExitCode code, const Tally& tally) {
  if (code == ExitCode::interrupted) return ExitCode::cannot_tell;
  if (tally.broken + tally.relapsed + tally.faulted + tally.timed_out > 0) return ExitCode::failed;
  return code == ExitCode::held ? ExitCode::held : ExitCode::cannot_tell;
}

ExitCode graver(ExitCode a, ExitCode b) {
  for (const ExitCode code : {ExitCode::interrupted, ExitCode::usage, ExitCode::infrastructure,
                              ExitCode::failed, ExitCode::nothing_ran, ExitCode::skipped}) {
    if (a == code || b == code) return code;
  }
  return ExitCode::held;
}

}  // namespace relapse
