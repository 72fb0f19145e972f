#include <gmock/gmock.h>

#include <harness/history/merge.hpp>

#include "runs.hpp"

namespace relapse {
namespace {

using namespace test;
using testing::ElementsAre;
using testing::IsEmpty;
constexpr VerdictKind kHeld = VerdictKind::held, kBroken = VerdictKind::broken;

std::string error_of(std::vector<RunRecord> runs) {
  const Result<RunRecord> merged = merge_runs(std::move(runs));
  return merged ? "no error" : merged.error().message;
}

/// Three shards of a run of four cases, of which one is red.
std::vector<RunRecord> three_shards() {
  RunWriter one("1", shard(1, 3)), two("2", shard(2, 3)), three("3", shard(3, 3));
  one.kase("d/last", {{"failing", kHeld}, {"batch-1", kHeld}});
  two.kase("a/first", {{"failing", kBroken}}).kase("c/third", {{"failing", kHeld}});
  three.kase("b/second", {{"failing", kHeld}});
  one.elsewhere("a/first", 2, {"failing"})
      .elsewhere("c/third", 2, {"failing"})
      .elsewhere("b/second", 3, {"failing"});
  two.elsewhere("d/last", 1, {"failing", "batch-1"}).elsewhere("b/second", 3, {"failing"});
  three.elsewhere("d/last", 1, {"failing", "batch-1"}).elsewhere("a/first", 2, {"failing"});
  three.elsewhere("c/third", 2, {"failing"});
  return {three.finish().run("3.jsonl"), one.finish().run("1.jsonl"), two.finish().run("2.jsonl")};
}

TEST(Merge, MakesOneRunOfShardsInTheOrderOfAnUndividedOne) {
  const Result<RunRecord> merged = merge_runs(three_shards());
  ASSERT_TRUE(merged) << merged.error().message;
  EXPECT_THAT(verdict_lines(*merged), ElementsAre("a/first@cpu/failing: broken", "b/second@cpu/failing: held",
                                                  "c/third@cpu/failing: held", "d/last@cpu/failing: held",
                                                  "d/last@cpu/batch-1: held"));
  EXPECT_THAT(merged->notes, IsEmpty());
  EXPECT_EQ(merged->exit_code(), ExitCode::failed);
  EXPECT_EQ(merged->attempts.size(), 4u);
  for (const CheckRecord& check : merged->checks)
    EXPECT_EQ(merged->attempts.at(check.attempt).kase, check.kase);
  EXPECT_EQ(merged->shard.count, 0);
  EXPECT_TRUE(merged->finished);
}

TEST(Merge, SaysWhichShardIsMissingAndIsNotGreen) {
  std::vector<RunRecord> runs = three_shards();
  runs.pop_back();  // shard 2
  const Result<RunRecord> merged = merge_runs(std::move(runs));
  ASSERT_TRUE(merged);
  EXPECT_THAT(
      verdict_lines(*merged),
      ElementsAre("a/first@cpu/failing: not_run", "b/second@cpu/failing: held",
                  "c/third@cpu/failing: not_run", "d/last@cpu/failing: held", "d/last@cpu/batch-1: held"));
  EXPECT_THAT(merged->notes, ElementsAre("shard 2/3 is missing: 2 of its cases have no verdict"));
  EXPECT_EQ(merged->checks.front().verdict.reason, "its shard 2/3 is not among these journals");
  EXPECT_EQ(merged->exit_code(), ExitCode::nothing_ran);
}

TEST(Merge, MissesNoBrokenFileOfAMissingShard) {
  RunWriter one("1", shard(1, 2));
  one.kase("a", {{"failing", kHeld}}).elsewhere("b", 2, {});
  const Result<RunRecord> merged = merge_runs({one.finish().run()});
  ASSERT_EQ(merged->broken_files.size(), 1u);
  EXPECT_THAT(merged->broken_files[0].messages,
              ElementsAre("cases/b.yaml: a broken case file; its shard 2/2 is not among these journals"));
  EXPECT_EQ(merged->exit_code(), ExitCode::usage);
}

TEST(Merge, TellsAMissingEmptyShardFromAMissingFullOne) {
  RunWriter one("1", shard(1, 2));
  one.kase("a", {{"failing", kHeld}});
  const Result<RunRecord> merged = merge_runs({one.finish().run()});
  EXPECT_THAT(merged->notes, ElementsAre("shard 2/2 is not here; it holds no case"));
  EXPECT_EQ(merged->exit_code(), ExitCode::held);
}

TEST(Merge, IsNotFinishedWhereAShardIsNot) {
  RunWriter one("1", shard(1, 2)), two("2", shard(2, 2));
  one.kase("a", {{"failing", kHeld}}).elsewhere("b", 2, {"failing"}).finish();
  two.plan("b", {{"failing", kHeld}}).start("b", {{"failing", kHeld}}).elsewhere("a", 1, {"failing"});
  const Result<RunRecord> merged = merge_runs({one.run("1.jsonl"), two.run("2.jsonl")});
  EXPECT_FALSE(merged->finished);
  EXPECT_THAT(merged->notes, ElementsAre("shard 2/2 did not end: its runner was stopped"));
  EXPECT_EQ(merged->exit_code(), ExitCode::interrupted);
}

TEST(Merge, LetsTheRedVerdictCountWhereACaseIsInTwo) {
  RunWriter a("a"), b("b"), c("c");
  a.kase("x", {{"failing", kHeld}, {"batch-1", kBroken}}).finish();
  b.kase("x", {{"failing", kBroken}, {"batch-1", kHeld}}).finish();
  c.kase("x", {{"failing", kHeld}}, "cuda").finish();
  const Result<RunRecord> merged = merge_runs({a.run("a.jsonl"), b.run("b.jsonl"), c.run("c.jsonl")});
  EXPECT_THAT(verdict_lines(*merged),
              ElementsAre("x@cpu/failing: broken", "x@cpu/batch-1: broken", "x@cuda/failing: held"));
  EXPECT_THAT(merged->notes,
              ElementsAre("x @cpu is in a.jsonl and b.jsonl: where they differ the red verdict counts"));
  EXPECT_EQ(merged->attempts.at(merged->checks[0].attempt).kase, "x");
  EXPECT_EQ(merged->checks[0].attempt, 2) << "of the second journal";
}

TEST(Merge, TakesAVerdictBeforeNone) {
  RunWriter a("a"), b("b");
  a.kase("x", {{"failing", VerdictKind::not_run}}).finish();
  b.kase("x", {{"failing", kHeld}}).finish();
  EXPECT_THAT(verdict_lines(*merge_runs({a.run(), b.run("b")})), ElementsAre("x@cpu/failing: held"));
  EXPECT_THAT(verdict_lines(*merge_runs({b.run(), a.run("b")})), ElementsAre("x@cpu/failing: held"));
}

TEST(Merge, LeavesOutARunThatWasResumed) {
  RunWriter first("one"), second("two", {{"resumes", {"one"}}});
  first.kase("x", {{"failing", VerdictKind::not_run}});
  second.kase("x", {{"failing", kHeld}}).finish();
  const Result<RunRecord> merged =
      merge_runs({first.run("1.jsonl"), second.run("2.jsonl"), second.run("copy")});
  EXPECT_THAT(verdict_lines(*merged), ElementsAre("x@cpu/failing: held"));
  EXPECT_TRUE(merged->finished);
  EXPECT_THAT(merged->notes, ElementsAre("1.jsonl was resumed: the run that finished it counts",
                                         "copy is the same run as one before it"));
}

TEST(Merge, KeepsAMissingDeviceMissing) {
  RunWriter one("1", shard(1, 2)), two("2", shard(2, 2));
  one.device("cuda").kase("a", {{"failing", kHeld}}).elsewhere("b", 2, {"failing"}).finish();
  two.device("cuda", false, "no NVIDIA driver here", true).kase("b", {{"failing", kHeld}}).finish();
  const Result<RunRecord> merged = merge_runs({one.run(), two.run()});
  ASSERT_EQ(merged->devices.size(), 2u);
  EXPECT_FALSE(merged->devices[1].present);
  EXPECT_EQ(merged->devices[1].reason, "in shard 2/2: no NVIDIA driver here");
  EXPECT_EQ(merged->exit_code(), ExitCode::infrastructure);
}

TEST(Merge, SaysWhereVersionsDiffer) {
  RunWriter a("a"), b("b");
  a.torch("2.11.0").kase("x", {{"failing", kHeld}}).finish();
  b.torch("2.15.0").kase("y", {{"failing", kHeld}}).finish();
  EXPECT_THAT(merge_runs({a.run("a.jsonl"), b.run("b.jsonl")})->notes,
              ElementsAre("different LibTorch: 2.11.0 in a.jsonl; 2.15.0 in b.jsonl"));
}

TEST(Merge, RefusesWhatDoesNotBelongTogether) {
  RunWriter one("1", shard(1, 2)), other("2", shard(2, 3)), set("3", shard(2, 2, "another")), none("4");
  RunWriter unfixed("5", {{"unfixed", true}});
  EXPECT_EQ(error_of({}), "no journal to merge");
  EXPECT_EQ(
      error_of({one.run("1.jsonl"), none.run("4.jsonl")}),
      "1.jsonl is shard 1/2 of a run, but 4.jsonl is no shard: merge the shards of one run, or runs that are "
      "none");
  EXPECT_EQ(error_of({one.run("1.jsonl"), other.run("2.jsonl")}),
            "1.jsonl is shard 1/2 and 2.jsonl is shard 2/3: they are of different runs");
  EXPECT_EQ(error_of({one.run("1.jsonl"), set.run("3.jsonl")}),
            "1.jsonl and 3.jsonl are shards of different sets: the cases, their files, the times that "
            "balanced them "
            "or the options of the run differ");
  EXPECT_EQ(error_of({none.run("4.jsonl"), unfixed.run("5.jsonl")}),
            "one of 4.jsonl and 5.jsonl ran the unfixed code, the other did not");
}

}  // namespace
}  // namespace relapse
