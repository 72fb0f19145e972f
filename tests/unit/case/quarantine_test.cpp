#include <gmock/gmock.h>

#include <harness/case/quarantine.hpp>

namespace relapse {
namespace {

using testing::ElementsAre;

std::vector<std::string> mistakes(const std::string& text) {
  std::vector<std::string> out;
  for (const Diagnostic& one : read_quarantine(text, "q.yaml").diagnostics) {
    out.push_back(std::to_string(one.pos.line) + ":" + std::to_string(one.pos.column) + ": " + one.message);
  }
  return out;
}

TEST(Quarantine, IsReadWithPositions) {
  const QuarantineResult read = read_quarantine(R"(relapse-quarantine: 1
cases:
  - case: index/labels@cuda
    owner: ana@example.org
    link: https://example.org/issues/7
    until: 2026-12-31
  - {case: "index/*", owner: bo, link: "http://example.org/8", until: 2027-02-28, why: It leaks.}
)",
                                                "q.yaml");
  EXPECT_TRUE(read.diagnostics.empty());
  ASSERT_EQ(read.entries.size(), 2u);
  EXPECT_EQ(read.entries[0].kase, "index/labels@cuda");
  EXPECT_EQ(read.entries[0].owner, "ana@example.org");
  EXPECT_EQ(read.entries[0].link, "https://example.org/issues/7");
  EXPECT_EQ(read.entries[0].until, "2026-12-31");
  EXPECT_EQ(read.entries[0].pos.line, 3);
  EXPECT_EQ(read.entries[1].why, "It leaks.");
}

TEST(Quarantine, SaysEveryMistakeInOneGo) {
  EXPECT_THAT(
      mistakes(R"(relapse-quarantine: 2
cases:
  - case: index/labels
    ovner: ana
    link: example.org/7
    until: 2026-02-30
  - {case: "", owner: [a], link: "https://x", until: soon}
)"),
      ElementsAre("1:21: relapse-quarantine: expected version 1, got \"2\"",
                  "3:5: the key \"owner\" is missing in cases-1",
                  "4:5: unknown key \"ovner\" in cases-1; did you mean \"owner\"?",
                  "5:11: cases-1.link: expected a link that starts with https://, got \"example.org/7\"",
                  "6:12: cases-1.until: expected a date such as 2026-12-31, the last day of the quarantine, "
                  "got \"2026-02-30\"",
                  "7:12: cases-2.case: expected text, got \"\"",
                  "7:23: cases-2.owner: expected text, got a list",
                  "7:54: cases-2.until: expected a date such as 2026-12-31, the last day of the quarantine, "
                  "got \"soon\""));
}

TEST(Quarantine, RefusesOtherFiles) {
  EXPECT_THAT(mistakes("- a\n"),
              ElementsAre("1:1: expected a map that starts with `relapse-quarantine: 1`, got a list"));
  EXPECT_THAT(mistakes("relapse-quarantine: 1\n"), ElementsAre("1:1: the key \"cases\" is missing"));
  EXPECT_THAT(mistakes("relapse-quarantine: 1\ncases: {a: b}\n"),
              ElementsAre("2:8: cases: expected a list, got a map"));
  EXPECT_EQ(mistakes("").size(), 1u);
  EXPECT_EQ(mistakes("relapse-quarantine: 1\ncases: [\n").size(), 1u);
}

TEST(IsDate, KnowsTheCalendar) {
  for (const char* good : {"2026-12-31", "2028-02-29", "0001-01-01"}) EXPECT_TRUE(is_date(good)) << good;
  for (const char* bad :
       {"2026-02-29", "2026-13-01", "2026-00-01", "2026-1-1", "26-01-01", "2026-12-3x", "2026/12/31", ""})
    EXPECT_FALSE(is_date(bad)) << bad;
}

}  // namespace
}  // namespace relapse
