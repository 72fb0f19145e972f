#include <harness/report/places.hpp>
#include <harness/report/sarif.hpp>
#include <nlohmann/json.hpp>

#include "a_run.hpp"

namespace relapse {
namespace {

using Json = nlohmann::json;
using namespace test;

TEST(Sarif, HasAResultForEachRedCheckAtItsClause) {
  RunRecord run = red_run();
  add_check(run, "batch-3", VerdictKind::held);
  const Json log = Json::parse(sarif_report(run));
  EXPECT_EQ(log["version"], "2.1.0");
  ASSERT_EQ(log["runs"].size(), 1u);
  const Json& results = log["runs"][0]["results"];
  ASSERT_EQ(results.size(), 1u);
  const Json& result = results[0];
  EXPECT_EQ(result["ruleId"], "broken");
  EXPECT_EQ(log["runs"][0]["tool"]["driver"]["rules"][result["ruleIndex"].get<int>()]["id"], "broken");
  EXPECT_EQ(result["level"], "error");
  const Json& place = result["locations"][0]["physicalLocation"];
  EXPECT_EQ(place["artifactLocation"],
            Json({{"uri", "cases/index/labels.yaml"}, {"uriBaseId", "%SRCROOT%"}}));
  EXPECT_EQ(place["region"], Json({{"startLine", 13}, {"startColumn", 7}}));
  EXPECT_EQ(result["locations"][0]["logicalLocations"][0]["fullyQualifiedName"], "index/labels@cpu/batch-2");
  const std::string text = result["message"]["text"];
  EXPECT_EQ(text.substr(0, text.find('\n')), "BROKEN index/labels@cpu/batch-2: 2.5 where 1.5 was due");
  EXPECT_EQ(result["properties"]["incident"], "https://example.org/273");
}

TEST(Sarif, KeepsBracesFromBeingPlaceholders) {
  RunRecord run = red_run();
  run.checks[0].verdict.seen = {"{0} in {x}"};
  const Json log = Json::parse(sarif_report(run));
  const std::string text = log["runs"][0]["results"][0]["message"]["text"];
  EXPECT_NE(text.find(": {{0}} in {{x}}\n"), std::string::npos);
}

TEST(Sarif, FingerprintsAreOfCaseCheckAndSignatureOnly) {
  const auto print = [](const RunRecord& run) {
    return Json::parse(sarif_report(run))["runs"][0]["results"][0]["partialFingerprints"].dump();
  };
  const std::string first = print(red_run());
  RunRecord run = red_run();
  run.checks[0].verdict.pos = {99, 1};
  run.checks[0].verdict.seen = {"other numbers"};
  EXPECT_EQ(print(run), first);
  run.checks[0].verdict.signature = "broken loss.finite";
  EXPECT_NE(print(run), first);
}

TEST(Sarif, TellsSkipsAndTroubleOfTheRunInNotifications) {
  RunRecord run = empty_run();
  add_check(run, "a", VerdictKind::skipped).verdict.reason = "no {driver}";
  add_check(run, "b", VerdictKind::skipped).verdict.reason = "no {driver}";
  add_check(run, "c", VerdictKind::not_run).verdict.reason = "it was not reached";
  run.devices.push_back({"cuda", false, true, "no driver"});
  run.finished = false;
  run.notes = {"fell back"};
  const Json one = Json::parse(sarif_report(run))["runs"][0];
  EXPECT_EQ(one["results"], Json::array());
  const Json& invocation = one["invocations"][0];
  EXPECT_EQ(invocation["executionSuccessful"], false);
  EXPECT_EQ(invocation["exitCode"], 5);
  Lines told;
  for (const Json& note : invocation["toolExecutionNotifications"])
    told.push_back(note["level"].get<std::string>() + " " + note["message"]["text"].get<std::string>());
  EXPECT_EQ(told,
            (Lines{"error cuda is required: no driver",
                   "error the run did not end: its runner was stopped; what had not been judged is not run",
                   "warning 1 check: it was not reached", "note 2 checks: no {{driver}}", "note fell back"}));
}

TEST(Sarif, PointsIntoBrokenFiles) {
  RunRecord run = empty_run();
  run.broken_files.push_back({"x", "cases/x y.yaml", {"cases/x y.yaml:14:24: error: expected C\nline"}});
  const Json result = Json::parse(sarif_report(run))["runs"][0]["results"][0];
  EXPECT_EQ(result["ruleId"], "broken_file");
  EXPECT_EQ(result["message"]["text"], "error: expected C\nline");
  EXPECT_EQ(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "cases/x%20y.yaml");
  EXPECT_EQ(result["locations"][0]["physicalLocation"]["region"]["startLine"], 14);
}

TEST(Sarif, StaysValidWhateverChildrenSay) {
  RunRecord run = red_run();
  run.attempts[4].ending.err.text = "bad \xff\xfe and \x01";
  run.checks[0].verdict.signature = "\xc3";
  EXPECT_FALSE(Json::parse(sarif_report(run), nullptr, false).is_discarded());
}

TEST(Places, AreTakenFromMessages) {
  const auto places = places_of({"x", "a:3.yaml", {"a:3.yaml:4:5: error: no", "a:3.yaml:0:1: x", "other"}});
  ASSERT_EQ(places.size(), 3u);
  EXPECT_EQ(places[0].pos, (SourcePos{4, 5}));
  EXPECT_EQ(places[0].text, "error: no");
  EXPECT_EQ(places[1].pos, (SourcePos{0, 0}));
  EXPECT_EQ(places[1].text, "a:3.yaml:0:1: x");
  EXPECT_EQ(places[2].text, "other");
}

TEST(Places, ArePathsAndUrisAsToolsOutsideWantThem) {
  EXPECT_EQ(uri_of("/a b/ä#?.yaml"), "file:///a%20b/%C3%A4%23%3F.yaml");
  EXPECT_EQ(uri_of("a:b.yaml"), "a%3Ab.yaml") << "a colon in the first part would be a scheme";
  EXPECT_EQ(path_in_workspace("../cases/x.yaml", {"/w/p/sub", "/w/p"}), "cases/x.yaml");
  EXPECT_EQ(path_in_workspace("/w/p/./cases/x.yaml", {"/w/p", ""}), "cases/x.yaml");
  EXPECT_EQ(path_in_workspace("/elsewhere/x.yaml", {"/w/p", ""}), "/elsewhere/x.yaml");
  EXPECT_EQ(path_in_workspace("", {"/w/p", ""}), "");
}

}  // namespace
}  // namespace relapse
