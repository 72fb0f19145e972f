#include <gtest/gtest.h>

#include <harness/isolate/protocol_check.hpp>

namespace relapse {
namespace {

Request a_request(std::vector<std::string> checks = {"failing", "corrected"}) {
  Request request;
  request.nonce = "n";
  request.checks = std::move(checks);
  return request;
}

Hello hello() {
  Hello out;
  out.nonce = "n";
  return out;
}

Observed observed(const std::string& check) {
  Observed out;
  out.observation.check = check;
  return out;
}

std::string error_of(const std::vector<Message>& messages, const Request& request = a_request()) {
  ProtocolCheck check(request);
  for (const Message& message : messages) check.accept(message);
  EXPECT_FALSE(check.done() && !check.error().empty());
  return check.error();
}

TEST(ProtocolCheck, BelievesACompleteAnswer) {
  ProtocolCheck check(a_request());
  for (const Message& message :
       std::vector<Message>{hello(), CheckStarted{"failing"}, StepStarted{"failing", {}}, observed("failing"),
                            CheckStarted{"corrected"}, observed("corrected"), Done{"n", 2, 9, 1}})
    EXPECT_TRUE(check.accept(message)) << check.error();
  check.end("");
  EXPECT_TRUE(check.done());
}

TEST(ProtocolCheck, BelievesADoneAfterFewerChecksThanWereAsked) {
  // Which ones are missing is for those who judge; each of them has no observation.
  EXPECT_EQ(error_of({hello(), CheckStarted{"failing"}, observed("failing"), Done{"n", 1, 0, 0}}), "");
}

TEST(ProtocolCheck, FindsWhatCannotBe) {
  EXPECT_EQ(error_of({CheckStarted{"failing"}}), "the first line is not `hello`");
  EXPECT_EQ(error_of({hello(), hello()}), "`hello` came twice");
  EXPECT_EQ(error_of({hello(), CheckStarted{"failing"}, CheckStarted{"failing"}}),
            "`check_started` of \"failing\" came twice");
  EXPECT_EQ(error_of({hello(), StepStarted{"failing", {}}}),
            "`step_started` of \"failing\", which is not running");
  EXPECT_EQ(error_of({hello(), CheckStarted{"failing"}, observed("failing"), StepStarted{"failing", {}}}),
            "`step_started` of \"failing\", which is not running");
  EXPECT_EQ(error_of({hello(), observed("other")}), "`observation` of \"other\", which was not asked");
  EXPECT_EQ(error_of({hello(), Loading{"/ops.so"}, CheckStarted{"failing"}, observed("failing")}), "");
  EXPECT_EQ(error_of({hello(), CheckStarted{"failing"}, Loading{"/ops.so"}}),
            "`loading` after a check has started");
  EXPECT_EQ(error_of({hello(), Answer{}}), "`answer`, which was not asked");
  EXPECT_EQ(error_of({hello(), Done{"n", 1, 0, 0}}), "`done` counts 1 checks, 0 were answered");
  Hello newer = hello();
  newer.protocol = kProtocolVersion + 1;
  EXPECT_EQ(error_of({newer}),
            "protocol 3, expected 2: relapse and relapse-worker are of different versions");
}

TEST(ProtocolCheck, TheFirstErrorStaysAndNothingIsAcceptedAfterIt) {
  ProtocolCheck check(a_request());
  check.refuse("not JSON");
  EXPECT_FALSE(check.accept(hello()));
  check.end("rest");
  EXPECT_EQ(check.error(), "a line that is no message: not JSON");
}

TEST(ProtocolCheck, AnythingAfterDoneTakesTheTokenBack) {
  for (bool whole_line : {true, false}) {
    ProtocolCheck check(a_request({}));
    EXPECT_TRUE(check.accept(hello()));
    EXPECT_TRUE(check.accept(Done{"n", 0, 0, 0}));
    EXPECT_TRUE(check.done());
    if (whole_line) check.refuse("not JSON");
    check.end(whole_line ? "" : "{");
    EXPECT_FALSE(check.done());
    EXPECT_EQ(check.error(), whole_line ? "a line after `done`: not JSON" : "half a line at the end: \"{\"");
  }
}

}  // namespace
}  // namespace relapse
