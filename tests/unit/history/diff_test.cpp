#include <gmock/gmock.h>

#include <harness/history/diff.hpp>
#include <harness/history/diff_text.hpp>

#include "runs.hpp"

namespace relapse {
namespace {

using namespace test;
using testing::ElementsAre;
using testing::IsEmpty;
constexpr VerdictKind kHeld = VerdictKind::held, kBroken = VerdictKind::broken,
                      kSkipped = VerdictKind::skipped;

std::vector<std::string> changes(const RunDiff& diff) {
  std::vector<std::string> lines;
  for (const ChangedCheck& one : diff.changes)
    lines.push_back(std::to_string(static_cast<int>(one.change)) + " " + one.id);
  return lines;
}

RunWriter before() {
  RunWriter run("1");
  run.torch("2.11.0").kase("a", {{"worse", kHeld}, {"better", kBroken}, {"same", kHeld}, {"lost", kHeld}});
  run.start("a", {}).plan("b", {{"other", kHeld}}).judge("b", "other", kBroken, "cpu", "y.equals").end();
  run.kase("c", {{"gone", kHeld}, {"came", kSkipped}, {"idle", kSkipped}});
  return run;
}
RunWriter after() {
  RunWriter run("2");
  run.torch("2.15.0").kase("a", {{"worse", kBroken}, {"better", kHeld}, {"same", kHeld}, {"lost", kSkipped}});
  run.start("a", {})
      .plan("b", {{"other", kHeld}}, "cpu", "h2")
      .judge("b", "other", kBroken, "cpu", "y.same_as")
      .end();
  run.kase("c", {{"came", kHeld}, {"idle", VerdictKind::not_run}, {"new", kHeld}});
  return run;
}

TEST(Diff, PutsTheWorseFirst) {
  const RunDiff diff = diff_runs(before().finish().run(), after().finish().run());
  EXPECT_THAT(changes(diff), ElementsAre("0 a@cpu/worse", "0 a@cpu/lost", "0 c@cpu/gone", "1 b@cpu/other",
                                         "2 a@cpu/better", "2 c@cpu/came", "2 c@cpu/new", "3 c@cpu/idle"));
  EXPECT_EQ(diff.same, 1);
  EXPECT_THAT(diff.surroundings, ElementsAre("LibTorch 2.11.0 -> 2.15.0"));
  EXPECT_TRUE(diff.changes[3].file_changed);
  EXPECT_FALSE(diff.changes[0].file_changed);
}

TEST(Diff, IsEmptyBetweenARunAndItself) {
  const RunRecord run = before().finish().run();
  EXPECT_THAT(diff_runs(run, run).changes, IsEmpty());
  EXPECT_THAT(diff_runs(run, run).surroundings, IsEmpty());
  EXPECT_EQ(diff_runs(run, run).same, 8);
}

TEST(Diff, NamesDevicesThatCameAndWent) {
  RunWriter a("1"), b("2");
  a.device("cuda").finish();
  b.device("cuda", false, "no NVIDIA driver here").device("sim").finish();
  EXPECT_THAT(diff_runs(a.run(), b.run()).surroundings,
              ElementsAre("cuda present -> no NVIDIA driver here", "sim not asked for -> present"));
}

TEST(Diff, IsWordedForPeople) {
  const RunRecord a = before().finish().run("a.jsonl"), b = after().run("b.jsonl");
  const std::string text = diff_text(a, b, diff_runs(a, b), Style{});
  EXPECT_EQ(text.substr(0, text.find("worse      a@cpu/lost")),
            "A  2026-12-01T10:15:02Z · relapse 0.1.0 · LibTorch 2.11.0 · a.jsonl\n"
            "B  2026-12-01T10:15:02Z · relapse 0.1.0 · LibTorch 2.15.0 · b.jsonl\n"
            "   LibTorch 2.11.0 -> 2.15.0\n"
            "\n"
            "worse      a@cpu/worse\n"
            "           held -> broken\n");
  EXPECT_NE(text.find("different  b@cpu/other   (its case file changed)\n"
                      "           broken y.equals -> broken y.same_as\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("3 worse, 1 different, 3 better, 1 other changes · 1 checks alike\n"
                      "B did not come to its end: what it had not judged is not_run\n"),
            std::string::npos)
      << text;
}

TEST(Diff, IsJsonForPrograms) {
  const RunRecord a = before().finish().run("a.jsonl"), b = after().finish().run("b.jsonl");
  const Json json = Json::parse(diff_json(a, b, diff_runs(a, b)));
  EXPECT_EQ(json["schema"], 1);
  EXPECT_EQ(json["before"], "a.jsonl");
  EXPECT_EQ(json["changes"].size(), 8u);
  EXPECT_EQ(json["changes"][0]["change"], "worse");
  EXPECT_EQ(json["changes"][0]["before"]["kind"], "held");
  EXPECT_EQ(json["changes"][0]["after"]["kind"], "broken");
  EXPECT_FALSE(json["changes"][2].contains("after"));
}

}  // namespace
}  // namespace relapse
