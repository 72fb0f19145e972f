#include <gmock/gmock.h>

#include <harness/plan/shard.hpp>
#include <numeric>

namespace relapse {
namespace {

using testing::ElementsAre;

using Variables = std::map<std::string, std::string>;

Lookup lookup(const Variables& variables) {
  return [variables](const std::string& name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional<std::string>(found->second);
  };
}

/// `2/5 Bazel`, `whole`, or the error.
std::string choice(const std::string& option, const Variables& variables) {
  const Result<ShardChoice> made = choose_shard(option, lookup(variables));
  if (!made) return made.error().message;
  if (made->shard.count == 0) return made->hint.empty() ? "whole" : "whole; " + made->hint;
  return std::to_string(made->shard.index) + "/" + std::to_string(made->shard.count) + " " + made->shard.from;
}

std::vector<std::string> ids(int count) {
  std::vector<std::string> out;
  for (int i = 0; i < count; ++i) out.push_back("topic/case-" + std::to_string(i));
  return out;
}

TEST(Shard, IsReadFromTheOption) {
  EXPECT_EQ(choice("2/5", {}), "2/5 --shard");
  EXPECT_EQ(choice("1/1", {}), "1/1 --shard");
  EXPECT_EQ(choice("", {}), "whole");
  for (const char* text : {"2", "2/", "/5", "a/b", "2/5/7", "2/5 ", "+1/2", ""}) {
    if (*text == 0) continue;
    EXPECT_EQ(choice(text, {}),
              "--shard: expected k/n such as 2/5, auto or none, got \"" + std::string(text) + "\"");
  }
  EXPECT_EQ(choice("0/5", {}), "--shard 0/5: shards count from 1, so 1/5 is the first and 5/5 the last");
  EXPECT_EQ(choice("6/5", {}), "--shard 6/5: shards count from 1, so 1/5 is the first and 5/5 the last");
}

TEST(Shard, IsTakenFromSchedulersThatMeanNothingElse) {
  EXPECT_EQ(choice("", {{"TEST_SHARD_INDEX", "1"}, {"TEST_TOTAL_SHARDS", "5"}}), "2/5 Bazel");
  EXPECT_EQ(choice("", {{"GTEST_SHARD_INDEX", "4"}, {"GTEST_TOTAL_SHARDS", "5"}}), "5/5 GoogleTest");
  EXPECT_EQ(choice("", {{"RELAPSE_SHARD_INDEX", "0"}, {"RELAPSE_SHARD_COUNT", "3"}}), "1/3 relapse");
  // Bazel's wrapper sets GoogleTest's variables too.
  const Variables both{{"TEST_SHARD_INDEX", "1"},
                       {"TEST_TOTAL_SHARDS", "5"},
                       {"TEST_SHARD_STATUS_FILE", "/x"},
                       {"GTEST_SHARD_INDEX", "1"},
                       {"GTEST_TOTAL_SHARDS", "5"}};
  EXPECT_EQ(choice("", both), "2/5 Bazel");
  EXPECT_EQ(choose_shard("", lookup(both))->status_file, "/x");
  EXPECT_EQ(choice("", {{"TEST_SHARD_INDEX", "0"}, {"TEST_TOTAL_SHARDS", "0"}}), "whole");
  EXPECT_EQ(choice("", {{"TEST_SHARD_INDEX", ""}, {"TEST_TOTAL_SHARDS", ""}}), "whole");
}

TEST(Shard, OfTheOptionWinsOverTheEnvironment) {
  const Variables bazel{
      {"TEST_SHARD_INDEX", "1"}, {"TEST_TOTAL_SHARDS", "5"}, {"TEST_SHARD_STATUS_FILE", "/x"}};
  EXPECT_EQ(choice("1/2", bazel), "1/2 --shard");
  EXPECT_EQ(choice("none", bazel), "whole");
  EXPECT_EQ(choose_shard("1/2", lookup(bazel))->status_file, "") << "its protocol is not obeyed";
  EXPECT_EQ(choice("1/2", {{"TEST_SHARD_INDEX", "nonsense"}}), "1/2 --shard");
}

TEST(Shard, OfASlurmArrayIsTakenWhereAskedForOnly) {
  const Variables tasks{{"SLURM_ARRAY_TASK_ID", "14"},
                        {"SLURM_ARRAY_TASK_MIN", "10"},
                        {"SLURM_ARRAY_TASK_MAX", "18"},
                        {"SLURM_ARRAY_TASK_COUNT", "5"}};
  EXPECT_EQ(choice("auto", tasks), "3/5 Slurm");
  EXPECT_EQ(choice("", tasks),
            "whole; this is a task of a Slurm array, which runs all cases: --shard auto would divide them");
  EXPECT_EQ(choice("auto", {{"SLURM_ARRAY_TASK_ID", "7"},
                            {"SLURM_ARRAY_TASK_MIN", "7"},
                            {"SLURM_ARRAY_TASK_MAX", "7"},
                            {"SLURM_ARRAY_TASK_COUNT", "1"}}),
            "1/1 Slurm");
  Variables uneven = tasks;
  uneven["SLURM_ARRAY_TASK_ID"] = "11";
  EXPECT_EQ(choice("auto", uneven),
            "SLURM_ARRAY_TASK_ID=11 of 5 tasks from 10 to 18: the tasks of the array must lie at equal steps "
            "to stand "
            "for shards; give --shard k/n");
  Variables half = tasks;
  half.erase("SLURM_ARRAY_TASK_COUNT");
  EXPECT_EQ(choice("auto", half),
            "SLURM_ARRAY_TASK_ID is set but not all of SLURM_ARRAY_TASK_MIN, "
            "SLURM_ARRAY_TASK_MAX and SLURM_ARRAY_TASK_COUNT: set them, or give --shard k/n");
}

TEST(Shard, RefusesHalfAndContradictoryEnvironments) {
  EXPECT_EQ(choice("", {{"TEST_TOTAL_SHARDS", "5"}}),
            "TEST_TOTAL_SHARDS is set but TEST_SHARD_INDEX is not: which part of the cases to run is not "
            "known; set "
            "both, or give --shard k/n or --shard none");
  EXPECT_EQ(choice("", {{"GTEST_SHARD_INDEX", "1"}}),
            "GTEST_SHARD_INDEX is set but GTEST_TOTAL_SHARDS is not: which part of the cases to run is not "
            "known; set "
            "both, or give --shard k/n or --shard none");
  EXPECT_EQ(choice("", {{"GTEST_SHARD_INDEX", "5"}, {"GTEST_TOTAL_SHARDS", "5"}}),
            "GTEST_SHARD_INDEX=5 counts from 0 and must be below GTEST_TOTAL_SHARDS=5");
  EXPECT_EQ(choice("", {{"GTEST_SHARD_INDEX", "one"}, {"GTEST_TOTAL_SHARDS", "5"}}),
            "GTEST_SHARD_INDEX=one: expected a whole number from 0 to 1000000");
  EXPECT_EQ(
      choice("", {{"GTEST_SHARD_INDEX", "1"},
                  {"GTEST_TOTAL_SHARDS", "5"},
                  {"RELAPSE_SHARD_INDEX", "1"},
                  {"RELAPSE_SHARD_COUNT", "4"}}),
      "the environment contradicts itself: relapse says shard 2/4, GoogleTest says 2/5; give --shard k/n or "
      "--shard none");
  EXPECT_EQ(choice("auto", {}),
            "--shard auto: no scheduler says which part this is; RELAPSE_SHARD_INDEX (from 0) and "
            "RELAPSE_SHARD_COUNT "
            "do, a Slurm array, Bazel's TEST_SHARD_INDEX and TEST_TOTAL_SHARDS, or GoogleTest's "
            "GTEST_SHARD_INDEX and "
            "GTEST_TOTAL_SHARDS");
}

TEST(Divide, PutsEveryCaseIntoOneShardAndMovesNoneForAnother) {
  const std::vector<int> few = divide(ids(500), 7), more = divide(ids(501), 7);
  for (std::size_t i = 0; i < few.size(); ++i) {
    EXPECT_EQ(few[i], more[i]);
    EXPECT_TRUE(few[i] >= 1 && few[i] <= 7);
  }
  for (int shard = 1; shard <= 7; ++shard) {
    const auto count = std::count(few.begin(), few.end(), shard);
    EXPECT_TRUE(count > 40 && count < 110) << "shard " << shard << " has " << count << " of 500";
  }
  EXPECT_THAT(divide(ids(3), 1), ElementsAre(1, 1, 1));
}

TEST(Divide, FillsShardsEvenlyByTimes) {
  // One case as long as all the others together.
  std::map<std::string, double> seconds;
  const std::vector<std::string> all = ids(11);
  for (const std::string& id : all) seconds[id] = 1;
  seconds[all[4]] = 10;
  const std::vector<int> shards = divide(all, 2, seconds);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(shards[i] == shards[4], i == 4) << all[i];
}

TEST(Divide, TakesTheMedianForAnUnknownCaseAndSpreadsZeros) {
  const std::vector<std::string> all = ids(6);
  const std::vector<int> shards = divide(all, 3, {{all[0], 2.0}, {all[1], 2.0}, {all[2], 2.0}});
  for (int shard = 1; shard <= 3; ++shard) EXPECT_EQ(std::count(shards.begin(), shards.end(), shard), 2);
  std::map<std::string, double> zeros;
  for (const std::string& id : all) zeros[id] = 0;
  const std::vector<int> spread = divide(all, 3, zeros);
  for (int shard = 1; shard <= 3; ++shard) EXPECT_EQ(std::count(spread.begin(), spread.end(), shard), 2);
}

TEST(Divide, DoesNotDependOnTheOrderOfTheCases) {
  std::vector<std::string> all = ids(40);
  std::map<std::string, double> seconds;
  for (std::size_t i = 0; i < all.size(); ++i) seconds[all[i]] = double(i % 5);
  const std::vector<int> there = divide(all, 4, seconds);
  std::reverse(all.begin(), all.end());
  std::vector<int> back = divide(all, 4, seconds);
  std::reverse(back.begin(), back.end());
  EXPECT_EQ(there, back);
}

}  // namespace
}  // namespace relapse
