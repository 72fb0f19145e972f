#include <gtest/gtest.h>

#include <harness/verdict/signals.hpp>
#include <harness/verdict/summary.hpp>

namespace relapse {
namespace {

constexpr int kKinds = static_cast<int>(VerdictKind::left_out) + 1;

VerdictKind kind_at(int i) {
  return static_cast<VerdictKind>(i);
}

/// What one verdict alone makes of a run.
ExitCode alone(VerdictKind kind) {
  Tally tally;
  tally.add(kind);
  return exit_code_of(tally, {});
}

int rank(ExitCode code) {
  constexpr ExitCode kOrder[] = {ExitCode::interrupted, ExitCode::usage,       ExitCode::infrastructure,
                                 ExitCode::failed,      ExitCode::nothing_ran, ExitCode::skipped,
                                 ExitCode::held};
  int rank = 0;
  while (kOrder[rank] != code) ++rank;
  return rank;
}

TEST(ExitCode, IsTheOneOfEachVerdictAlone) {
  EXPECT_EQ(alone(VerdictKind::held), ExitCode::held);
  for (const VerdictKind kind : {VerdictKind::broken, VerdictKind::relapsed, VerdictKind::faulted,
                                 VerdictKind::timed_out, VerdictKind::no_verdict, VerdictKind::unstable}) {
    EXPECT_EQ(alone(kind), ExitCode::failed) << to_string(kind);
  }
  EXPECT_EQ(alone(VerdictKind::case_error), ExitCode::usage);
  EXPECT_EQ(alone(VerdictKind::infrastructure), ExitCode::infrastructure);
  EXPECT_EQ(alone(VerdictKind::skipped), ExitCode::skipped);
  EXPECT_EQ(alone(VerdictKind::quarantined), ExitCode::skipped) << "nothing was held";
  EXPECT_EQ(alone(VerdictKind::not_run), ExitCode::nothing_ran);
  EXPECT_EQ(alone(VerdictKind::left_out), ExitCode::nothing_ran);
}

// 5, 2, 3, 1, 4, 77, 0: of two verdicts the first counts. A skipped check beside held ones is no reason to
// fail, and a probe that was left out counts for nothing.
TEST(ExitCode, TakesTheFirstOfEveryPair) {
  for (int i = 0; i < kKinds; ++i) {
    for (int j = 0; j < kKinds; ++j) {
      Tally tally;
      tally.add(kind_at(i));
      tally.add(kind_at(j));
      const VerdictKind a = kind_at(i), b = kind_at(j);
      ExitCode due = rank(alone(a)) < rank(alone(b)) ? alone(a) : alone(b);
      const auto pair = [&](VerdictKind one, VerdictKind other) {
        return (a == one && b == other) || (a == other && b == one);
      };
      if (pair(VerdictKind::held, VerdictKind::skipped) || pair(VerdictKind::held, VerdictKind::left_out))
        due = ExitCode::held;
      if (pair(VerdictKind::held, VerdictKind::quarantined)) due = ExitCode::held;
      if (pair(VerdictKind::skipped, VerdictKind::left_out)) due = ExitCode::skipped;
      if (pair(VerdictKind::quarantined, VerdictKind::left_out)) due = ExitCode::skipped;
      EXPECT_EQ(exit_code_of(tally, {}), due) << to_string(a) << " and " << to_string(b);
    }
  }
}

TEST(ExitCode, IsGoodBadOrNeitherForBisecting) {
  for (const VerdictKind kind :
       {VerdictKind::broken, VerdictKind::relapsed, VerdictKind::faulted, VerdictKind::timed_out}) {
    Tally tally;
    tally.add(kind);
    tally.add(VerdictKind::infrastructure);
    EXPECT_EQ(bisect_code(exit_code_of(tally, {}), tally), ExitCode::failed) << to_string(kind);
    EXPECT_EQ(bisect_code(ExitCode::interrupted, tally), ExitCode::cannot_tell);
  }
  for (const VerdictKind kind : {VerdictKind::no_verdict, VerdictKind::unstable, VerdictKind::case_error,
                                 VerdictKind::infrastructure, VerdictKind::not_run}) {
    Tally tally;
    tally.add(VerdictKind::held);
    tally.add(kind);
    EXPECT_EQ(bisect_code(exit_code_of(tally, {}), tally), ExitCode::cannot_tell) << to_string(kind);
  }
  Tally held;
  held.add(VerdictKind::held);
  held.add(VerdictKind::skipped);
  EXPECT_EQ(bisect_code(exit_code_of(held, {}), held), ExitCode::held);
}

TEST(ExitCode, IsTheGraverOfTwoRuns) {
  EXPECT_EQ(graver(ExitCode::held, ExitCode::skipped), ExitCode::skipped);
  EXPECT_EQ(graver(ExitCode::skipped, ExitCode::failed), ExitCode::failed);
  EXPECT_EQ(graver(ExitCode::infrastructure, ExitCode::failed), ExitCode::infrastructure);
  EXPECT_EQ(graver(ExitCode::usage, ExitCode::interrupted), ExitCode::interrupted);
  EXPECT_EQ(graver(ExitCode::held, ExitCode::held), ExitCode::held);
}

TEST(ExitCode, LetsWhatCountsBesidesVerdictsComeFirst) {
  for (int i = 0; i < kKinds; ++i) {
    Tally tally;
    tally.add(kind_at(i));
    RunFlags interrupted;
    interrupted.interrupted = true;
    EXPECT_EQ(exit_code_of(tally, interrupted), ExitCode::interrupted);
    RunFlags broken;
    broken.broken_file = true;
    EXPECT_EQ(exit_code_of(tally, broken), ExitCode::usage);
    RunFlags missing;
    missing.missing_device = true;
    EXPECT_EQ(exit_code_of(tally, missing),
              kind_at(i) == VerdictKind::case_error ? ExitCode::usage : ExitCode::infrastructure);
  }
  EXPECT_EQ(exit_code_of({}, {}), ExitCode::nothing_ran);
}

TEST(Tally, CountsEveryKindOnce) {
  for (int i = 0; i < kKinds; ++i) {
    Tally tally;
    tally.add(kind_at(i), 3);
    for (int j = 0; j < kKinds; ++j) EXPECT_EQ(tally.of(kind_at(j)), i == j ? 3 : 0);
    EXPECT_EQ(tally.red(), is_red(kind_at(i)) ? 3 : 0) << to_string(kind_at(i));
    EXPECT_EQ(tally.all(), kind_at(i) == VerdictKind::left_out ? 0 : 3);
  }
}

TEST(VerdictKind, IsSpelledAndReadBack) {
  for (int i = 0; i < kKinds; ++i) EXPECT_EQ(verdict_kind_from(to_string(kind_at(i))), kind_at(i));
  EXPECT_EQ(verdict_kind_from("passed"), std::nullopt);
  EXPECT_EQ(verdict_kind_from(""), std::nullopt);
}

TEST(SignalName, IsTheUsualOne) {
  EXPECT_EQ(signal_name(11), "SIGSEGV");
  EXPECT_EQ(signal_name(64), "signal 64");
}

}  // namespace
}  // namespace relapse
