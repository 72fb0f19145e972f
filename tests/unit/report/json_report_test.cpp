#include <harness/isolate/wire.hpp>
#include <harness/report/json_report.hpp>
#include <limits>

#include "a_run.hpp"

namespace relapse {
namespace {

using Json = nlohmann::json;
using namespace test;

std::vector<std::string> keys(const Json& object) {
  std::vector<std::string> all;
  for (const auto& [key, value] : object.items()) all.push_back(key);
  return all;
}

TEST(JsonReport, HasTheDocumentedMembers) {
  RunRecord run = red_run();
  run.broken_files.push_back({"x", "x.yaml", {"wrong"}});
  const Json json = Json::parse(json_report(run));
  EXPECT_EQ(keys(json),
            (Lines{"attempts", "broken_files", "cases",    "checks",   "clauses",     "command", "devices",
                   "ended",    "exit",         "findings", "finished", "interrupted", "journal", "notes",
                   "relapse",  "root",         "schema",   "seconds",  "started",     "torch",   "totals"}));
  EXPECT_EQ(json["schema"], 1);
  EXPECT_EQ(json["exit"], 2);
  EXPECT_EQ(json["clauses"], 1127);
  EXPECT_EQ(keys(json["totals"]),
            (Lines{"broken", "case_error", "faulted", "held", "infrastructure", "left_out", "no_verdict",
                   "not_run", "quarantined", "relapsed", "skipped", "timed_out", "unstable"}));
  EXPECT_EQ(json["totals"]["broken"], 1);
  EXPECT_EQ(json["cases"][0]["labels"], Json({"loss"}));
  const Json& check = json["checks"][0];
  EXPECT_EQ(check["id"], "index/labels@cpu/batch-2");
  EXPECT_EQ(check["file"], "cases/index/labels.yaml");
  EXPECT_EQ(check["line"], 20);
  EXPECT_EQ(check["attempt"], 4);
  EXPECT_EQ(check["verdict"]["kind"], "broken");
  EXPECT_EQ(check["verdict"]["line"], 13);
  EXPECT_EQ(check["observation"]["check"], "batch-2");
  EXPECT_EQ(json["attempts"][0]["environment"]["OMP_NUM_THREADS"], "1");
  EXPECT_EQ(json["attempts"][0]["ending"]["leaks"][0]["pid"], 17);
  EXPECT_EQ(json["broken_files"][0]["messages"], Json({"wrong"}));
}

TEST(JsonReport, HasListsAlsoWhereNothingIsInThem) {
  RunRecord run;
  const Json json = Json::parse(json_report(run));
  for (const char* list : {"devices", "cases", "checks", "attempts", "broken_files", "notes", "command"})
    EXPECT_TRUE(json[list].is_array()) << list;
  EXPECT_EQ(json["exit"], 5) << "a run without an end was killed";
}

TEST(JsonReport, StaysValidWhateverChildrenSay) {
  RunRecord run = red_run();
  run.attempts[4].ending.err.text = "bad \xff\xfe and \x01";
  run.checks[0].verdict.seen = {"\xc3"};
  EXPECT_FALSE(Json::parse(json_report(run), nullptr, false).is_discarded());
}

}  // namespace
}  // namespace relapse
