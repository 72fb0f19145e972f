#include <gmock/gmock.h>

#include <harness/history/times.hpp>

#include "../journal/folder.hpp"
#include "runs.hpp"

namespace relapse {
namespace {

using namespace test;
using testing::ElementsAre;
using testing::Pair;
constexpr VerdictKind kHeld = VerdictKind::held;

std::string error_of(const std::string& path) {
  const Result<CaseTimes> times = read_times(path);
  return times ? "no error" : times.error().message;
}

TEST(Times, AreThoseOfCasesThatRanToTheirEnd) {
  RunWriter run("1");
  run.kase("a", {{"failing", kHeld}}).kase("b", {{"failing", kHeld}, {"batch-1", VerdictKind::not_run}});
  run.kase("a", {{"failing", kHeld}}, "cuda").kase("c", {{"failing", VerdictKind::skipped}});
  EXPECT_THAT(times_of(run.finish().run()), ElementsAre(Pair("a@cpu", 0.5), Pair("a@cuda", 0.5)));
}

TEST(Times, AreReadFromAFileAJournalAndAFolder) {
  const Folder folder;
  RunWriter run("1");
  run.kase("a", {{"failing", kHeld}}).finish();
  const std::string journal = folder.file("runs/20261201-101502-9/journal.jsonl", run.text());
  EXPECT_THAT(*read_times(journal), ElementsAre(Pair("a@cpu", 0.5)));
  EXPECT_THAT(*read_times(folder.path() + "/runs"), ElementsAre(Pair("a@cpu", 0.5)));
  const std::string file = folder.file("times.json", times_json({{"a@cpu", 0.25}, {"b@cuda", 3}}));
  EXPECT_THAT(*read_times(file), ElementsAre(Pair("a@cpu", 0.25), Pair("b@cuda", 3)));
}

TEST(Times, SayWhatIsWrong) {
  const Folder folder;
  const std::string other = folder.file("a", "{\"times\": {}}"), text = folder.file("b", "12");
  const std::string negative = folder.file("c", R"({"schema": 1, "times": {"a@cpu": -1}})");
  EXPECT_EQ(error_of(other),
            other +
                ": expected a times file, a journal or a folder of journals, got JSON without "
                "\"schema\": 1 and \"times\"");
  EXPECT_EQ(error_of(text),
            text + ": expected a times file, a journal or a folder of journals, got something else");
  EXPECT_EQ(error_of(negative), negative + ": times.a@cpu: expected seconds, got -1");
}

TEST(Times, AreAddedUpOverTheKindsOfARun) {
  const CaseTimes times{{"a@cpu", 1}, {"a@cuda", 2}, {"b@sim", 4}};
  EXPECT_THAT(by_case(times, {"cpu", "cuda"}), ElementsAre(Pair("a", 3)));
  EXPECT_THAT(by_case(times, {"sim"}), ElementsAre(Pair("b", 4)));
}

}  // namespace
}  // namespace relapse
