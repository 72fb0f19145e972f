#include <harness/report/failure_text.hpp>
#include <harness/report/junit.hpp>
#include <pugixml.hpp>

#include "a_run.hpp"

namespace relapse {
namespace {

using namespace test;

/// What became of one check in JUnit's terms.
std::string element(VerdictKind kind, std::optional<FaultKind> fault = {}) {
  RunRecord run = empty_run();
  CheckRecord& check = add_check(run, "batch-1", kind);
  check.verdict.fault = fault;
  check.verdict.reason = "why";
  pugi::xml_document document;
  EXPECT_TRUE(document.load_string(junit_report(run).c_str()));
  const pugi::xml_node test = document.child("testsuites").child("testsuite").child("testcase");
  return test.first_child() ? test.first_child().name() : "pass";
}

TEST(JUnit, TellsFailuresFromErrors) {
  EXPECT_EQ(element(VerdictKind::held), "pass");
  for (const VerdictKind kind :
       {VerdictKind::broken, VerdictKind::relapsed, VerdictKind::unstable, VerdictKind::faulted})
    EXPECT_EQ(element(kind), "failure") << to_string(kind);
  EXPECT_EQ(element(VerdictKind::faulted, FaultKind::crash), "error");
  for (const VerdictKind kind : {VerdictKind::timed_out, VerdictKind::no_verdict, VerdictKind::case_error,
                                 VerdictKind::infrastructure})
    EXPECT_EQ(element(kind), "error") << to_string(kind);
  for (const VerdictKind kind : {VerdictKind::skipped, VerdictKind::not_run, VerdictKind::left_out})
    EXPECT_EQ(element(kind), "skipped") << to_string(kind);
}

TEST(JUnit, HasASuiteForEachCaseAndDevice) {
  RunRecord run = red_run();
  add_check(run, "batch-3", VerdictKind::held);
  CheckRecord& skipped = add_check(run, "batch-4", VerdictKind::skipped);
  skipped.verdict.reason = "needs cuda";
  add_check(run, "batch-5", VerdictKind::timed_out).verdict.seen = {"no answer after 60.0 s"};
  run.broken_files.push_back({"index/x", "x.yaml", {"x.yaml:1:1: error: one", "x.yaml:2:1: error: two"}});
  pugi::xml_document document;
  ASSERT_TRUE(document.load_string(junit_report(run).c_str()));
  const pugi::xml_node all = document.child("testsuites");
  EXPECT_STREQ(all.attribute("name").value(), "relapse");
  EXPECT_EQ(all.attribute("tests").as_int(), 5);
  EXPECT_EQ(all.attribute("failures").as_int(), 1);
  EXPECT_EQ(all.attribute("errors").as_int(), 2);
  EXPECT_EQ(all.attribute("skipped").as_int(), 1);
  EXPECT_STREQ(all.attribute("time").value(), "1.000");
  const pugi::xml_node suite = all.child("testsuite");
  EXPECT_STREQ(suite.attribute("name").value(), "index/labels@cpu");
  EXPECT_EQ(suite.attribute("tests").as_int(), 4);
  EXPECT_STREQ(suite.attribute("timestamp").value(), "2026-12-01T10:15:02Z");
  EXPECT_STREQ(suite.child("properties").child("property").next_sibling().attribute("value").value(),
               "https://example.org/273");
  const pugi::xml_node red = suite.child("testcase");
  EXPECT_STREQ(red.attribute("classname").value(), "index/labels@cpu");
  EXPECT_STREQ(red.attribute("name").value(), "batch-2");
  EXPECT_STREQ(red.attribute("line").value(), "13");
  EXPECT_STREQ(red.child("failure").attribute("type").value(), "broken loss.same_as");
  EXPECT_STREQ(red.child("failure").attribute("message").value(),
               "BROKEN: 2.5 where 1.5 was due\nsecond line");
  const std::string body = red.child("failure").child_value();
  EXPECT_EQ(body.substr(0, body.find('\n')), "cases/index/labels.yaml:13");
  EXPECT_NE(body.find("  rerun      relapse run index/labels@cpu/batch-2\n"), std::string::npos);
  EXPECT_STREQ(suite.find_child_by_attribute("testcase", "name", "batch-4")
                   .child("skipped")
                   .attribute("message")
                   .value(),
               "skipped: needs cuda");
  const pugi::xml_node broken = suite.next_sibling();
  EXPECT_STREQ(broken.attribute("name").value(), "index/x");
  EXPECT_STREQ(broken.child("testcase").child("error").child_value(),
               "x.yaml:1:1: error: one\nx.yaml:2:1: error: two");
}

RoundRecord round_of(int round, VerdictKind kind, const std::string& seen) {
  RoundRecord record;
  record.round = round;
  record.attempt = 4;
  record.seconds = 0.5;
  record.verdict.kind = kind;
  record.verdict.seen = {seen};
  record.verdict.signature = std::string(to_string(kind));
  return record;
}

TEST(JUnit, TellsAttemptsThatDifferAsFlakyAndThoseThatDoNotAsRerun) {
  RunRecord run = red_run();
  run.checks[0].verdict.kind = VerdictKind::unstable;
  run.checks[0].rounds = {round_of(0, VerdictKind::held, ""), round_of(1, VerdictKind::timed_out, "late"),
                          round_of(2, VerdictKind::broken, "2.5 where 1.5 was due")};
  pugi::xml_document document;
  ASSERT_TRUE(document.load_string(junit_report(run).c_str()));
  pugi::xml_node test = document.child("testsuites").child("testsuite").child("testcase");
  Lines names;
  for (const pugi::xml_node& node : test) names.emplace_back(node.name());
  EXPECT_EQ(names, (Lines{"failure", "flakyFailure", "flakyError"}));
  EXPECT_STREQ(test.child("flakyFailure").attribute("message").value(), "BROKEN: 2.5 where 1.5 was due");
  EXPECT_STREQ(test.child("flakyFailure").attribute("type").value(), "broken");
  EXPECT_STREQ(test.child("flakyFailure").child("stackTrace").child_value(),
               "round 3, 0.500 s\n2.5 where 1.5 was due");
  EXPECT_STREQ(test.child("flakyError").child("system-out").child_value(), "one\ntwo\n\n");

  run.checks[0].verdict.kind = VerdictKind::timed_out;
  run.checks[0].rounds = {round_of(0, VerdictKind::timed_out, "late"),
                          round_of(1, VerdictKind::timed_out, "late")};
  ASSERT_TRUE(document.load_string(junit_report(run).c_str()));
  test = document.child("testsuites").child("testsuite").child("testcase");
  names.clear();
  for (const pugi::xml_node& node : test) names.emplace_back(node.name());
  EXPECT_EQ(names, (Lines{"error", "rerunError", "system-out", "system-err"}));
}

TEST(JUnit, TellsModesApart) {
  RunRecord run = red_run();
  run.cases[0].device = run.checks[0].device = "cuda";
  run.cases[0].mode = run.checks[0].mode = "async";
  pugi::xml_document document;
  ASSERT_TRUE(document.load_string(junit_report(run).c_str()));
  const pugi::xml_node suite = document.child("testsuites").child("testsuite");
  EXPECT_STREQ(suite.attribute("name").value(), "index/labels@cuda (async)");
  EXPECT_STREQ(suite.child("testcase").attribute("classname").value(), "index/labels@cuda (async)");
  EXPECT_EQ(shown_id(run.checks[0]), "index/labels@cuda/batch-2 (async)");
}

TEST(JUnit, IsWellFormedWhateverChildrenPrint) {
  RunRecord run = red_run();
  std::string all;
  for (int byte = 1; byte < 256; ++byte) all += static_cast<char>(byte);
  run.attempts[4].ending.err.text = all + "\xef\xbf\xbe\xef\xbf\xbf\xed\xa0\x80 ]]> <b> & \"";
  run.checks[0].verdict.seen = {"a \x01\x1b[31m<b>&\"'\n"};
  run.checks[0].verdict.signature = "\x02";
  run.cases[0].title = "<title> & \x03";
  const std::string report = junit_report(run);
  pugi::xml_document document;
  ASSERT_TRUE(document.load_string(report.c_str(), pugi::parse_full));
  for (const char c : report) {
    const auto byte = static_cast<unsigned char>(c);
    EXPECT_TRUE(byte >= 0x20 || byte == '\n' || byte == '\t' || byte == '\r') << int(byte);
  }
  EXPECT_EQ(report.find("\xef\xbf\xbe"), std::string::npos);
  // A control character stays out even when it is escaped: `&#1;` is no XML 1.0 either.
  EXPECT_EQ(report.find("&#1;"), std::string::npos);
  EXPECT_EQ(report.find("&#27;"), std::string::npos);
  const pugi::xml_node red =
      document.child("testsuites").child("testsuite").child("testcase").child("failure");
  EXPECT_STREQ(red.attribute("message").value(), "BROKEN: a [31m<b>&\"'\n");
}

TEST(JUnit, KeepsWhatXmlAllows) {
  EXPECT_EQ(legal_in_xml("a\tb\nc\rd é 😀"), "a\tb\nc\rd é 😀");
  EXPECT_EQ(legal_in_xml(std::string("a\0b", 3)), "ab");
  EXPECT_EQ(legal_in_xml("\x7f"), "\x7f");
  EXPECT_EQ(legal_in_xml("\xef\xbf\xbd"), "\xef\xbf\xbd");
  EXPECT_EQ(legal_in_xml("x\xef\xbf\xbe\xef\xbf\xbfy"), "xy");
}

}  // namespace
}  // namespace relapse
