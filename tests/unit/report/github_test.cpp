#include <harness/report/github.hpp>
#include <harness/report/importance.hpp>

#include "a_run.hpp"

namespace relapse {
namespace {

using namespace test;

const PathContext kHere{"/work/project", ""};

TEST(GithubText, EscapesWhatWorkflowCommandsTakeForMarkup) {
  EXPECT_EQ(escaped_message("50 %\r\na: b, c\x1b[31m"), "50 %25%0D%0Aa: b, c[31m");
  EXPECT_EQ(escaped_property("a: b, c\n::error::x"), "a%3A b%2C c%0A%3A%3Aerror%3A%3Ax");
}

TEST(GithubAnnotations, PointAtTheClause) {
  const RunRecord run = red_run();
  const std::string text = github_annotations(run, kHere);
  EXPECT_EQ(text.substr(0, text.find("::incident")),
            "::error file=cases/index/labels.yaml,line=13,col=7,title=BROKEN%3A index/labels@cpu/batch-2");
  EXPECT_NE(text.find("%0Aseen      2.5 where 1.5 was due%0A          second line%0A"), std::string::npos);
  EXPECT_EQ(text.find("stderr"), std::string::npos) << "output is for the log and the summary";
  EXPECT_EQ(text.find('\n'), text.size() - 1);
}

TEST(GithubAnnotations, NameFilesAsTheCheckoutDoes) {
  const RunRecord run = red_run();
  EXPECT_NE(github_annotations(run, {"/work/project/sub", "/work/project"})
                .find("file=sub/cases/index/labels.yaml,"),
            std::string::npos);
  EXPECT_NE(github_annotations(run, {"/elsewhere", "/work/project"})
                .find("file=/elsewhere/cases/index/labels.yaml,"),
            std::string::npos);
}

TEST(GithubAnnotations, AreAtMostTenAndTheLastCounts) {
  RunRecord run = empty_run();
  for (int i = 0; i < 10; ++i) add_check(run, "batch-" + std::to_string(i), VerdictKind::broken);
  const auto lines = [&] {
    const std::string text = github_annotations(run, kHere);
    return std::count(text.begin(), text.end(), '\n');
  };
  EXPECT_EQ(lines(), 10);
  EXPECT_EQ(github_annotations(run, kHere).find(" more"), std::string::npos);
  add_check(run, "batch-10", VerdictKind::relapsed);
  EXPECT_EQ(lines(), 10);
  const std::string text = github_annotations(run, kHere);
  EXPECT_EQ(text.rfind("::error file=cases/index/labels.yaml,line=20,col=5,title=RELAPSED%3A", 0), 0u);
  EXPECT_NE(text.find("::error title=2 more::GitHub shows 10 annotations of a step; 2 more are in the job "
                      "summary and in the journal: relapse report .relapse/runs/x/journal.jsonl\n"),
            std::string::npos);
}

TEST(GithubAnnotations, SayWhatMakesTheWholeRunRed) {
  RunRecord run = empty_run();
  EXPECT_EQ(github_annotations(run, kHere), "");
  run.devices.push_back({"cuda", false, true, "no NVIDIA driver here"});
  EXPECT_EQ(github_annotations(run, kHere), "::error title=cuda is required::no NVIDIA driver here\n");
  run.finished = false;
  add_check(run, "a", VerdictKind::not_run).verdict.reason = "it was not reached";
  EXPECT_EQ(
      github_annotations(run, kHere),
      "::error title=cuda is required::no NVIDIA driver here\n"
      "::error title=The run did not end::Its runner was stopped; what had not been judged is not run.\n");
  run.finished = true;
  run.devices.pop_back();
  EXPECT_EQ(github_annotations(run, kHere), "::warning title=1 check was not run::it was not reached\n");
}

TEST(GithubAnnotations, PointIntoBrokenFilesAndComeBehindTheWorstOfEachCase) {
  RunRecord run = red_run();
  add_check(run, "batch-3", VerdictKind::broken);
  run.broken_files.push_back(
      {"x", "cases/x.yaml", {"cases/x.yaml:14:24: error: expected C\n  max: C -\n", "no place"}});
  const std::string text = github_annotations(run, kHere);
  const std::size_t broken = text.find(
      "::error file=cases/x.yaml,line=14,col=24,title=Broken case file::error: expected C%0A  max: C -%0A\n");
  ASSERT_NE(broken, std::string::npos);
  EXPECT_NE(text.find("::error file=cases/x.yaml,title=Broken case file::no place\n"), std::string::npos);
  EXPECT_LT(text.find("batch-2"), broken);
  EXPECT_GT(text.find("batch-3"), broken);
}

TEST(GithubAnnotations, CutWhatNobodyReadsBetweenCharacters) {
  RunRecord run = red_run();
  run.checks[0].name = std::string(300, 'n');
  run.checks[0].verdict.seen = {std::string(8000, 'x') + "é"};
  const std::string text = github_annotations(run, kHere);
  EXPECT_LT(text.size(), 4700u);
}

TEST(GithubSummary, SaysWhetherAllIsWell) {
  RunRecord run = empty_run();
  add_check(run, "a", VerdictKind::held);
  EXPECT_EQ(github_summary(run),
            "## relapse: every check held\n\n"
            "1 check · 1,127 clauses · 0.3 s · LibTorch 2.15.0 · exit 0\n\n"
            "| cases on | held | in part | red | skipped | not run |\n"
            "| --- | ---: | ---: | ---: | ---: | ---: |\n"
            "| <code>cpu blocking</code> | 1 | 0 | 0 | 0 | 0 |\n\n"
            "\njournal <code>.relapse/runs/x/journal.jsonl</code>\n");
}

TEST(GithubSummary, HasFailuresFirstAndKeepsOutputInItsBlock) {
  RunRecord run = red_run();
  run.cases[0].title = "A <b>label</b> | [x](y) `z` @octocat";
  run.cases[0].source = "javascript:alert(1)";
  run.attempts[4].ending.err.text = "````\n## heading\n";
  add_check(run, "batch-9", VerdictKind::skipped).verdict.reason = "no driver | here";
  const std::string text = github_summary(run);
  EXPECT_NE(text.find("#### BROKEN <code>index/labels &#64;cpu · batch-2</code>\n\n"
                      "A &lt;b&gt;label&lt;/b&gt; \\| \\[x\\]\\(y\\) \\`z\\` &#64;octocat\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("incident javascript:alert\\(1\\)"), std::string::npos);
  EXPECT_NE(text.find("\n`````text\n  promised"), std::string::npos) << "a fence longer than any inside";
  EXPECT_LT(text.find("### Red"), text.find("### Not run"));
  EXPECT_NE(text.find("- skipped: <code>index/labels &#64;cpu</code>: no driver \\| here\n"),
            std::string::npos);
}

TEST(GithubSummary, StaysBelowTheLimitAndPointsToTheRest) {
  RunRecord run = red_run();
  for (int i = 0; i < 3000; ++i) {
    CheckRecord& check = add_check(run, "batch-" + std::to_string(i), VerdictKind::broken);
    check.verdict.seen = {std::string(20000, 'x')};
  }
  const std::string text = github_summary(run);
  EXPECT_LE(text.size(), kSummaryBytes);
  EXPECT_GT(text.size(), kSummaryBytes / 2);
  EXPECT_NE(text.find("(cut; the journal holds all of it)"), std::string::npos);
  EXPECT_NE(text.find("more red** did not fit into a job summary; <code>relapse report "
                      ".relapse/runs/x/journal.jsonl</code> shows all.\n"),
            std::string::npos);
  for (const std::size_t limit : {0u, 100u, 3000u, 5000u, 100000u})
    EXPECT_LE(github_summary(run, limit).size(), limit);
  EXPECT_EQ(github_summary(run, 100), "");
  EXPECT_NE(github_summary(run, 3000), "");
}

TEST(Importance, TakesTheWorstOfEachCaseBeforeTheSecondOfAny) {
  RunRecord run = empty_run();
  CaseRecord other = run.cases[0];
  other.id = "index/other";
  other.checks.clear();
  add_check(run, "a", VerdictKind::broken);
  add_check(run, "b", VerdictKind::relapsed);
  add_check(run, "c", VerdictKind::held);
  run.cases.push_back(other);
  add_check(run, "d", VerdictKind::broken).kase = "index/other";
  add_check(run, "e", VerdictKind::timed_out).kase = "index/other";
  const RedChecks red = red_by_importance(run);
  Lines names;
  for (const CheckRecord* check : red.all) names.push_back(check->name);
  EXPECT_EQ(names, (Lines{"b", "e", "a", "d"}));
  EXPECT_EQ(red.worst_of_each, 2u);
}

}  // namespace
}  // namespace relapse
