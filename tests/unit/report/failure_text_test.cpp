#include <harness/report/failure_text.hpp>

#include "a_run.hpp"

namespace relapse {
namespace {

using namespace test;

TEST(FailureText, SaysWhatWasPromisedAndSeenOnWhichInputs) {
  const RunRecord run = red_run();
  const FailureText text = failure_text(run, run.checks[0]);
  EXPECT_EQ(text.word, "BROKEN");
  EXPECT_EQ(text.what, "index/labels @cpu · batch-2");
  EXPECT_EQ(text.where, "cases/index/labels.yaml:13");
  EXPECT_EQ(text.incident, "incident https://example.org/273");
  EXPECT_EQ(body_of(text),
            "  incident https://example.org/273\n"
            "\n"
            "  promised   loss.same_as: -log_softmax(logits, 1).mean()\n"
            "  seen       2.5 where 1.5 was due\n"
            "             second line\n"
            "             it would have passed at rtol 0.667\n"
            "  inputs     logits  float32  [4, 3]  strides [3, 1]  min -1  max 2  1,200 NaN  not finite  "
            "requires grad\n"
            "             n       3\n"
            "  stdout     one\n"
            "             two\n"
            "  stderr     ...\n"
            "             b\n             c\n             d\n             e\n             f\n             g\n"
            "             h\n             i\n             j\n             k\n             l\n             m\n"
            "             (of 5 MiB written, the first and the last part are kept)\n"
            "  left       process 17 (sleep 9) was left behind and ended\n"
            "  rerun      relapse run index/labels@cpu/batch-2\n");
}

TEST(FailureText, ShowsTheStepAndWhatItReadWhereItFailed) {
  RunRecord run = red_run();
  CheckRecord& check = run.checks[0];
  check.verdict.kind = VerdictKind::faulted;
  check.verdict.step = 1;
  StepRecord step;
  step.index = 1;
  step.text = "loss = f(x)";
  TensorFacts x;
  x.name = "x";
  x.dtype = "int64";
  x.finite = true;
  step.inputs = {x};
  check.step = step;
  run.attempts.clear();
  EXPECT_EQ(body_of(failure_text(run, check)),
            "  incident https://example.org/273\n"
            "\n"
            "  promised   loss.same_as: -log_softmax(logits, 1).mean()\n"
            "  seen       2.5 where 1.5 was due\n"
            "             second line\n"
            "             it would have passed at rtol 0.667\n"
            "  step       2: loss = f(x)\n"
            "  inputs     x  int64    []  strides []  finite\n"
            "  rerun      relapse run index/labels@cpu/batch-2\n");
}

TEST(FailureText, NamesTheIncidentThatIsBack) {
  RunRecord run = red_run();
  run.checks[0].verdict.kind = VerdictKind::relapsed;
  EXPECT_EQ(failure_text(run, run.checks[0]).incident,
            "the incident of 2018-12-14 is back: https://example.org/273");
  run.cases[0].date = "unknown";
  EXPECT_EQ(failure_text(run, run.checks[0]).incident, "the incident is back: https://example.org/273");
  run.cases[0].source = "";
  EXPECT_EQ(failure_text(run, run.checks[0]).incident, "");
}

TEST(FailureText, GivesTheReason) {
  RunRecord run = empty_run();
  CheckRecord& check = add_check(run, "batch-1", VerdictKind::case_error);
  check.verdict.reason = "the input breaks target.max\nsecond line";
  check.verdict.pos = {};
  const FailureText text = failure_text(run, check);
  EXPECT_EQ(text.where, "cases/index/labels.yaml");
  EXPECT_EQ(body_of(text),
            "  incident https://example.org/273\n"
            "\n"
            "  reason     the input breaks target.max\n"
            "             second line\n"
            "  rerun      relapse run index/labels@cpu/batch-1\n");
}

TEST(FailureText, HasAWordForEachVerdict) {
  EXPECT_EQ(headline_word(VerdictKind::relapsed), "RELAPSED");
  EXPECT_EQ(headline_word(VerdictKind::timed_out), "TIMED OUT");
  EXPECT_EQ(headline_word(VerdictKind::no_verdict), "NO VERDICT");
  EXPECT_EQ(headline_word(VerdictKind::case_error), "CASE ERROR");
  EXPECT_EQ(headline_word(VerdictKind::not_run), "NOT RUN");
  EXPECT_EQ(headline_word(VerdictKind::infrastructure), "INFRASTRUCTURE");
}

TEST(FailureText, StandsWithoutACaseOrAnAttempt) {
  RunRecord run = red_run();
  run.cases.clear();
  run.checks[0].attempt = 99;
  const FailureText text = failure_text(run, run.checks[0]);
  EXPECT_EQ(text.where, "");
  EXPECT_EQ(text.incident, "");
  EXPECT_EQ(case_of(run, run.checks[0]), nullptr);
}

}  // namespace
}  // namespace relapse
