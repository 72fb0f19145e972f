#include <harness/report/html.hpp>
#include <nlohmann/json.hpp>

#include "a_run.hpp"

namespace relapse {
namespace {

using Json = nlohmann::json;
using namespace test;

TEST(PageData, HoldsAllOfARedCheckAndLittleOfAGreenOne) {
  RunRecord run = red_run();
  add_check(run, "batch-3", VerdictKind::held);
  Breach breach;
  breach.clause = "loss.same_as";
  breach.picture = MismatchPicture{{4, 3}, 2, 3, {1, 0, 2, 0, 0, 5}, -3, {4, 0, 1}, 3};
  run.checks[0].observation->broken = {breach};
  run.cases[0].contract = {{"ensures", "loss.same_as", "g(x)", 13}};
  const Json data = Json::parse(page_data(run));
  const Json& kase = data["cases"][0];
  EXPECT_EQ(kase["state"], "red");
  EXPECT_EQ(kase["contract"][0],
            Json({{"side", "ensures"}, {"name", "loss.same_as"}, {"text", "g(x)"}, {"line", 13}}));
  const Json& red = kase["checks"][0];
  EXPECT_EQ(red["where"], "cases/index/labels.yaml:13");
  EXPECT_EQ(red["seen"],
            Json({"2.5 where 1.5 was due", "second line", "it would have passed at rtol 0.667"}));
  EXPECT_EQ(red["rerun"], "relapse run index/labels@cpu/batch-2");
  EXPECT_EQ(red["inputs"][0]["name"], "logits");
  EXPECT_EQ(red["broken"][0]["picture"]["grid"], Json({2, 3}));
  EXPECT_EQ(
      kase["checks"][1],
      Json({{"name", "batch-3"}, {"kind", "batch"}, {"verdict", "held"}, {"seconds", 0.25}, {"line", 20}}));
  EXPECT_EQ(data["attempts"][0]["out"]["text"], "one\ntwo\n\n");
  EXPECT_EQ(data["attempts"][0]["err"]["cut"], true);
}

TEST(PageData, HasNothingThatCouldEndItsTag) {
  RunRecord run = red_run();
  run.cases[0].title = "</script><!-- & \xff";
  run.attempts[4].ending.out.text = "</script>";
  const std::string data = page_data(run);
  EXPECT_EQ(data.find_first_of("<>&"), std::string::npos);
  EXPECT_EQ(Json::parse(data)["cases"][0]["title"], "</script><!-- & \xef\xbf\xbd");
}

TEST(PageData, PutsRedCasesFirst) {
  RunRecord run = empty_run();
  add_check(run, "a", VerdictKind::held);
  for (const auto& [id, kind] :
       {std::pair{"b", VerdictKind::broken}, std::pair{"c", VerdictKind::relapsed}}) {
    CaseRecord kase = run.cases[0];
    kase.id = id;
    kase.checks = {run.checks.size()};
    CheckRecord check = run.checks[0];
    check.kase = id;
    check.owner = run.cases.size();
    check.verdict.kind = kind;
    run.checks.push_back(check);
    run.cases.push_back(kase);
  }
  Lines ids;
  const Json data = Json::parse(page_data(run));
  for (const Json& kase : data["cases"]) ids.push_back(kase["id"]);
  EXPECT_EQ(ids, (Lines{"c", "b", "index/labels"}));
}

TEST(PageData, LaysAttemptsIntoTheFirstLaneThatIsFree) {
  RunRecord run = empty_run();
  const auto attempt = [&](int id, const char* device, double at, double seconds) {
    AttemptRecord& one = run.attempts[id];
    one.id = id;
    one.device = device;
    one.at = at;
    one.ended = true;
    one.ending.seconds = seconds;
  };
  attempt(1, "cpu", 0, 2);
  attempt(2, "cpu", 0.5, 1);
  attempt(3, "cpu", 1.6, 1);
  attempt(4, "cuda", 1, 1);
  attempt(5, "cpu", 2, 1);
  run.attempts[4].slots = {"cuda:1"};
  run.attempts[6].id = 6;  // of an older journal: no time
  std::vector<int> lanes;
  const Json data = Json::parse(page_data(run));
  for (const Json& one : data["attempts"]) lanes.push_back(one.value("lane", -1));
  EXPECT_EQ(lanes, (std::vector<int>{-1, 0, 1, 0, 1, 0}));
  EXPECT_EQ(data["attempts"][3]["device"], "cuda:1");
}

TEST(Html, IsOnePageWithItsPartsInPlace) {
  RunRecord run = red_run();
  run.journal = "a<b>&\"c";
  run.cases[0].title = "@{data}@ @{style}@";
  const std::string page = html_report(run);
  EXPECT_EQ(page.rfind("<!doctype html>", 0), 0u);
  EXPECT_NE(page.find(std::string("<script>") + std::string(kPageJs) + "</script>"), std::string::npos);
  EXPECT_NE(page.find("<code>relapse report a&lt;b&gt;&amp;&quot;c</code>"), std::string::npos);
  EXPECT_NE(page.find("\"title\":\"@{data}@ @{style}@\""), std::string::npos)
      << "what is put in is not looked at again";
  EXPECT_EQ(page.find("{script_hash}"), std::string::npos);
  EXPECT_EQ(page.find(" src="), std::string::npos);
}

}  // namespace
}  // namespace relapse
