#include <gtest/gtest.h>

#include <harness/isolate/request.hpp>

namespace relapse {
namespace {

std::string refusal(const std::string& line) {
  Request request;
  std::string why;
  return from_line(line, request, why) ? "accepted" : why;
}

TEST(Request, ComesBackFromItsLineUnchanged) {
  Request sent;
  sent.kind = RequestKind::facts;
  sent.nonce = "5f1d";
  sent.case_file = "/a b/case \"x\".yaml";
  sent.case_id = "index/labels";
  sent.case_hash = "00ff";
  sent.device = "cuda";
  sent.mode = "async";
  sent.role = "unfixed";
  sent.checks = {"failing", "batch-2:N=64,F=bfloat16"};
  sent.text = "aten::add";
  sent.threads = 4;
  sent.memory_limit = 18446744073709551615u;
  std::string line = to_line(sent);
  EXPECT_EQ(line.find('\n'), std::string::npos);

  Request read;
  std::string why;
  ASSERT_TRUE(from_line(line, read, why)) << why;
  EXPECT_EQ(read.kind, sent.kind);
  EXPECT_EQ(read.nonce, sent.nonce);
  EXPECT_EQ(read.case_file, sent.case_file);
  EXPECT_EQ(read.case_id, sent.case_id);
  EXPECT_EQ(read.case_hash, sent.case_hash);
  EXPECT_EQ(read.device, sent.device);
  EXPECT_EQ(read.mode, sent.mode);
  EXPECT_EQ(read.role, sent.role);
  EXPECT_EQ(read.checks, sent.checks);
  EXPECT_EQ(read.text, sent.text);
  EXPECT_EQ(read.threads, sent.threads);
  EXPECT_EQ(read.memory_limit, sent.memory_limit);
}

TEST(Request, OfAnUnknownKindIsRefusedByName) {
  EXPECT_EQ(refusal(R"({"request": "reboot", "nonce": "1"})"), "unknown request \"reboot\"");
}

TEST(Request, WithAMemberOfTheWrongTypeIsRefusedByMember) {
  EXPECT_EQ(refusal(R"({"request": "probe", "nonce": 7})"), "nonce: expected a string, got \"7\"");
  EXPECT_EQ(refusal(R"({"request": "probe", "nonce": "1", "checks": ["a", 2]})"),
            "checks: expected a list of strings, got \"[\\\"a\\\",2]\"");
  EXPECT_EQ(refusal(R"({"request": "probe", "nonce": "1", "memory_limit": -1})"),
            "memory_limit: expected a whole number from 0, got \"-1\"");
  EXPECT_EQ(refusal(R"({"request": "probe", "nonce": "1", "threads": 4294967296})"),
            "threads: expected a whole number of 32 bits, got \"4294967296\"");
}

TEST(Request, WithoutANonceIsRefused) {
  EXPECT_EQ(refusal(R"({"request": "probe"})"), "member \"nonce\" is missing");
}

TEST(Request, ThatIsNoJsonIsRefusedAndLeavesTheOldValue) {
  Request request;
  request.nonce = "before";
  std::string why;
  EXPECT_FALSE(from_line("{half", request, why));
  EXPECT_EQ(why, "not JSON (byte 2): \"{half\"");
  EXPECT_EQ(request.nonce, "before");
}

}  // namespace
}  // namespace relapse
