#include <gmock/gmock.h>

#include <harness/history/audit.hpp>
#include <harness/history/history.hpp>

#include "runs.hpp"

namespace relapse {
namespace {

using namespace test;
using testing::ElementsAre;
using testing::IsEmpty;
constexpr VerdictKind kHeld = VerdictKind::held, kBroken = VerdictKind::broken,
                      kSkipped = VerdictKind::skipped;

RunWriter on(const std::string& day, const Json& more = Json::object()) {
  Json all{{"time", day + "T10:00:00Z"}};
  all.update(more);
  return RunWriter(day, all);
}

History history(const std::vector<RunWriter>& runs) {
  HistoryBuilder builder;
  for (const RunWriter& run : runs) builder.add(run.run());
  return std::move(builder).finish();
}

TEST(History, SaysWhenACaseLastHeldOnWhichDevice) {
  RunWriter first = on("2026-11-01"), second = on("2026-11-05"), third = on("2026-11-09");
  first.torch("2.11.0").kase("a", {{"failing", kHeld}}).kase("a", {{"failing", kHeld}}, "cuda");
  second.torch("2.15.0").kase("a", {{"failing", kHeld}}).kase("a", {{"failing", kBroken}}, "cuda");
  third.torch("2.15.0")
      .kase("a", {{"failing", kHeld}, {"batch-1", kSkipped}})
      .kase("b", {{"failing", kSkipped}});
  const History all = history({first, second, third});
  ASSERT_EQ(all.cases.size(), 3u);
  EXPECT_EQ(all.runs, 3);
  EXPECT_EQ(all.first, "2026-11-01T10:00:00Z");
  const CaseHistory &cpu = all.cases[0], &cuda = all.cases[1], &b = all.cases[2];
  EXPECT_EQ(cpu.last_held, "2026-11-09T10:00:00Z");
  EXPECT_EQ(cpu.torch_at_last_held, "2.15.0");
  EXPECT_EQ(cpu.last, CaseOutcome::partly);
  EXPECT_EQ(cpu.held, 3);
  EXPECT_EQ(cuda.last_held, "2026-11-01T10:00:00Z");
  EXPECT_EQ(cuda.last_red, "2026-11-05T10:00:00Z");
  EXPECT_EQ(cuda.last_symptom, "broken");
  EXPECT_EQ(cuda.runs, 2);
  EXPECT_EQ(b.last_held, "");
  EXPECT_EQ(b.skipped, 1);
}

TEST(History, CallsUnstableWhatChangesWithoutAReason) {
  std::vector<RunWriter> runs;
  const VerdictKind kinds[] = {kHeld, kBroken, kHeld};
  for (int i = 0; i < 3; ++i) {
    runs.push_back(on("2026-11-0" + std::to_string(i + 1)));
    runs.back().torch("2.1" + std::to_string(i)).kase("torch-changed", {{"failing", kinds[i]}});
    runs.push_back(on("2026-11-0" + std::to_string(i + 1)));
    runs.back().kase("nothing-changed", {{"failing", kinds[i]}});
    runs.back().kase("file-changed", {{"failing", kinds[i]}}, "cpu", "h" + std::to_string(i));
  }
  runs.push_back(on("2026-11-08"));
  runs.back().kase("differs", {{"failing", VerdictKind::unstable}});
  std::vector<std::string> unstable;
  for (const CaseHistory& one : history(runs).cases) {
    if (one.unstable()) unstable.push_back(one.id);
  }
  EXPECT_THAT(unstable, ElementsAre("differs", "nothing-changed"));
}

TEST(History, TakesOneChangeForNoInstability) {
  RunWriter first = on("2026-11-01"), second = on("2026-11-02");
  first.kase("a", {{"failing", kBroken}});
  second.kase("a", {{"failing", kHeld}});
  EXPECT_FALSE(history({first, second}).cases[0].unstable());
}

RunWriter unfixed(const std::string& id, const std::string& hash, VerdictKind kind = VerdictKind::relapsed) {
  RunWriter run = on("2026-11-03", {{"unfixed", true}});
  run.event({{"event", "planned"},
             {"case", id},
             {"file", ""},
             {"device", "cpu"},
             {"mode", "blocking"},
             {"hash", hash},
             {"checks", {{{"name", "failing"}, {"kind", "failing"}}}}});
  run.start(id, {}).judge(id, "failing", kind).end();
  return run;
}

TEST(History, KnowsWhichCasesTheUnfixedCodeArmed) {
  const History all = history({unfixed("a", "h1"), unfixed("b", "h1", kHeld)});
  EXPECT_EQ(all.armed.size(), 1u);
  EXPECT_EQ(all.armed.at("a").at("h1"), "2026-11-03T10:00:00Z");
  EXPECT_THAT(all.cases, IsEmpty()) << "a red of the unfixed code is no red of the case";
}

AuditedCase kase(const std::string& id, const std::string& hash = "h1") {
  return {id, "cases/" + id + ".yaml", hash, true, true, {}};
}

std::vector<std::string> findings(const std::vector<AuditedCase>& cases, const History& all,
                                  const std::vector<QuarantineEntry>& quarantine = {}) {
  std::vector<std::string> lines;
  for (const AuditFinding& one : audit(cases, all, quarantine, {"2026-12-01", 30}))
    lines.push_back(one.kind + " " + one.what + ": " + one.text);
  return lines;
}

TEST(Audit, FindsNothingWhereAllIsWell) {
  RunWriter run = on("2026-11-20");
  run.kase("a", {{"failing", kHeld}}).kase("a", {{"failing", kHeld}}, "cuda");
  EXPECT_THAT(findings({kase("a")}, history({run, unfixed("a", "h1")})), IsEmpty());
}

TEST(Audit, NamesUnarmedCasesAndWhy) {
  RunWriter run = on("2026-11-20");
  AuditedCase none = kase("c");
  none.can_be_armed = false;
  none.why_not = "it was lost";
  for (const char* id : {"a", "b", "c"}) run.kase(id, {{"failing", kHeld}}, "cuda");
  EXPECT_THAT(
      findings({kase("a"), kase("b", "h2"), none}, history({run, unfixed("b", "h1")})),
      ElementsAre(
          "unarmed a: no run of the unfixed code has shown its symptom: relapse run --unfixed a",
          "unarmed b: its file changed after it was last armed on 2026-11-03: relapse run --unfixed b",
          "unarmed c: nothing can show that it catches its incident: it was lost"));
}

TEST(Audit, NamesWhatNoGpuHasSeenForLong) {
  RunWriter old = on("2026-10-31"), recent = on("2026-11-01");
  old.kase("old", {{"failing", kHeld}}, "cuda").kase("never", {{"failing", kHeld}});
  old.kase("cpu-only", {{"failing", kHeld}});
  recent.kase("recent", {{"failing", kBroken}}, "cuda").kase("never", {{"failing", kSkipped}}, "cuda");
  AuditedCase cpu_only = kase("cpu-only");
  cpu_only.on_gpu = false;
  std::vector<RunWriter> runs{old, recent};
  for (const char* id : {"old", "never", "recent", "cpu-only"}) runs.push_back(unfixed(id, "h1"));
  EXPECT_THAT(findings({kase("old"), kase("never"), kase("recent"), cpu_only}, history(runs)),
              ElementsAre("no-gpu old: it last ran on a GPU 31 days ago, on 2026-10-31",
                          "no-gpu never: no journal has it on a GPU"));
}

TEST(Audit, NamesWhatOnlySkipsAndWhatNeverRan) {
  RunWriter run = on("2026-11-20");
  run.plan("a", {{"failing", kSkipped}}).start("a", {}).judge("a", "failing", kSkipped).end();
  AuditedCase a = kase("a"), b = kase("b");
  a.on_gpu = b.on_gpu = false;
  EXPECT_THAT(findings({a, b}, history({run, unfixed("a", "h1"), unfixed("b", "h1")})),
              ElementsAre("only-skipped a: it has never run: ", "never-run b: no journal knows it"));
}

TEST(Audit, NamesQuarantinesThatCanEndOrHave) {
  RunWriter run = on("2026-11-20");
  run.kase("held", {{"failing", kHeld}}, "cuda").kase("red", {{"failing", kBroken}}, "cuda");
  QuarantineEntry entry;
  entry.owner = "ana";
  entry.link = "https://example.org/7";
  entry.until = "2026-12-01";
  std::vector<QuarantineEntry> all(4, entry);
  all[0].kase = "held";
  all[1].kase = "red";
  all[2].kase = "red@cuda";
  all[2].until = "2026-11-30";
  all[3].kase = "gone";
  EXPECT_THAT(
      findings({kase("held"), kase("red")}, history({run, unfixed("held", "h1"), unfixed("red", "h1")}), all),
      ElementsAre("quarantine held: it held in its last run, so its entry (ana, until 2026-12-01) can go",
                  "quarantine red@cuda: its quarantine ended on 2026-11-30 (ana, https://example.org/7)",
                  "quarantine gone: its entry of ana names no case"));
}

TEST(DaysBetween, CountsTheCalendar) {
  EXPECT_EQ(days_between("2026-11-01T23:59:59Z", "2026-12-01"), 30);
  EXPECT_EQ(days_between("2024-02-28", "2024-03-01"), 2);
  EXPECT_EQ(days_between("2026-12-01", "2026-12-01"), 0);
  EXPECT_EQ(days_between("", "2026-12-01"), -1);
}

}  // namespace
}  // namespace relapse
