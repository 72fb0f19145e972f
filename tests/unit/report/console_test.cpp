#include <harness/report/console.hpp>
#include <harness/report/progress.hpp>

#include "a_run.hpp"

namespace relapse {
namespace {

using namespace test;

const Style kPlain;

TEST(Console, SaysAtTheHeadWhatRunsWhere) {
  RunRecord run = empty_run();
  EXPECT_EQ(console_head(run, kPlain), "relapse 0.1.0 · cpu (2 cores) · 1 case from cases\n");
  run.cores = 1;
  run.devices.push_back({"cuda", false, false, "no NVIDIA driver here"});
  EXPECT_EQ(console_head(run, kPlain),
            "relapse 0.1.0 · cpu (1 core) · 1 case from cases\n"
            "  cuda: no NVIDIA driver here; its checks are skipped\n");
  run.devices.back().required = true;
  run.broken_files.push_back({"x", "x.yaml", {"x.yaml:3:1: error: unknown key"}});
  EXPECT_EQ(console_head(run, kPlain),
            "relapse 0.1.0 · cpu (1 core) · 2 cases from cases\n"
            "  cuda: no NVIDIA driver here; it is required\n"
            "x.yaml:3:1: error: unknown key\n");
}

TEST(Console, EndsAGreenRun) {
  RunRecord run = empty_run();
  for (int i = 0; i < 3; ++i) add_check(run, "batch-" + std::to_string(i), VerdictKind::held);
  EXPECT_EQ(console_tail(run, kPlain),
            "cpu 1 held · 3 checks · 1,127 clauses · 0.31 s · LibTorch 2.15.0\n"
            "journal .relapse/runs/x/journal.jsonl\n");
}

TEST(Console, EndsARedRunWithItsExitCode) {
  RunRecord run = empty_run();
  add_check(run, "failing", VerdictKind::broken);
  add_check(run, "probe", VerdictKind::left_out);
  run.seconds = 41.2;
  run.notes = {"the zygote died"};
  EXPECT_EQ(console_tail(run, kPlain),
            "cpu 1 red · 1 check · 1,127 clauses · 41 s · LibTorch 2.15.0 · 1 probe left out\n"
            "note: the zygote died\n"
            "journal .relapse/runs/x/journal.jsonl\n"
            "exit 1\n");
}

TEST(Console, GroupsWhatWasSkippedByReason) {
  RunRecord run = empty_run();
  add_check(run, "a", VerdictKind::skipped).verdict.reason = "needs cuda";
  add_check(run, "b", VerdictKind::skipped).verdict.reason = "needs cuda";
  run.journal.clear();
  EXPECT_EQ(console_tail(run, kPlain),
            "skipped  index/labels @cpu: needs cuda\n"
            "cpu 1 skipped · 0 checks · 1,127 clauses · 0.31 s · LibTorch 2.15.0\n"
            "exit 77\n");
  add_check(run, "c", VerdictKind::not_run).verdict.reason = "the run was interrupted";
  run.interrupted = true;
  EXPECT_EQ(console_tail(run, kPlain),
            "not run  index/labels @cpu: the run was interrupted\n"
            "skipped  index/labels @cpu: needs cuda\n"
            "cpu 1 not run · 0 checks · 1,127 clauses · 0.31 s · LibTorch 2.15.0\n"
            "interrupted\n"
            "exit 5\n");
}

TEST(Console, SaysThatARunnerWasStopped) {
  RunRecord run = empty_run();
  add_check(run, "a", VerdictKind::held);
  run.finished = false;
  EXPECT_EQ(console_tail(run, kPlain),
            "cpu 1 held · 1 check · 1,127 clauses · 0.31 s · LibTorch 2.15.0\n"
            "the run did not end: its runner was stopped; what had not been judged is not run\n"
            "journal .relapse/runs/x/journal.jsonl\n"
            "exit 5\n");
}

TEST(Console, SaysWhereNothingWasSelected) {
  RunRecord run;
  run.finished = true;
  EXPECT_EQ(console_tail(run, kPlain), "nothing was selected\nexit 4\n");
}

TEST(Console, ShowsOneRedCheckAsABlock) {
  const RunRecord run = red_run();
  const std::string block = console_failure(run, run.checks[0], kPlain);
  EXPECT_EQ(block.substr(0, block.find('\n')),
            "BROKEN     index/labels @cpu · batch-2   cases/index/labels.yaml:13");
  EXPECT_EQ(block.substr(block.size() - 2), "\n\n");
}

TEST(Console, PutsAReportTogether) {
  RunRecord run = red_run();
  add_check(run, "batch-3", VerdictKind::held);
  const std::string report = console_report(run, kPlain);
  EXPECT_EQ(report, console_head(run, kPlain) + "\n" + console_failure(run, run.checks[0], kPlain) +
                        console_tail(run, kPlain));
}

TEST(Style, PaintsOnlyWithColour) {
  Style colour;
  colour.colour = true;
  EXPECT_EQ(colour.red("x"), "\033[31mx\033[0m");
  EXPECT_EQ(kPlain.red("x"), "x");
}

TEST(Progress, WritesNothingWhereThereIsNoTerminal) {
  std::FILE* out = std::tmpfile();
  {
    RunRecord run = red_run();
    Progress progress(out, kPlain);
    progress.update(run, run.checks[0]);
  }
  EXPECT_EQ(std::ftell(out), 0);
  std::fclose(out);
}

TEST(Progress, FitsIntoOneLineAndIsTakenBack) {
  std::FILE* out = std::tmpfile();
  {
    RunRecord run = red_run();
    Style style;
    style.terminal = true;
    style.width = 30;
    Progress progress(out, style);
    progress.update(run, run.checks[0]);
  }
  std::rewind(out);
  char text[256] = {};
  const std::size_t size = std::fread(text, 1, sizeof text - 1, out);
  std::fclose(out);
  EXPECT_EQ(std::string(text, size), "\r\033[2K[1/1] cpu ▸ index/lab   1 red\r\033[2K");
}

}  // namespace
}  // namespace relapse
