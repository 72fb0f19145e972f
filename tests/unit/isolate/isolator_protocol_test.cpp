// Children that break the protocol: what is said, and that the token is not believed.

#include <csignal>

#include "isolation.hpp"

namespace relapse {
namespace {

struct Breach {
  const char* misbehaviour;
  const char* error;
  std::size_t lines;  ///< delivered before it
};

std::string name_of(const testing::TestParamInfo<std::tuple<SpawnMode, Breach>>& info) {
  std::string name = std::get<Breach>(info.param).misbehaviour;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name + (std::get<SpawnMode>(info.param) == SpawnMode::fork ? "_fork" : "_exec");
}

class Breaches : public testing::TestWithParam<std::tuple<SpawnMode, Breach>> {};

INSTANTIATE_TEST_SUITE_P(
    Isolator, Breaches,
    testing::Combine(
        testing::Values(SpawnMode::fork, SpawnMode::exec),
        testing::Values(
            Breach{"done-twice", "`done` came twice", 4}, Breach{"line-after-done", "a line after `done`", 4},
            Breach{"half-after-done", "half a line at the end: \"{\\\"event\\\":\"", 4},
            Breach{"wrong-hello", "`hello` with a wrong nonce", 0},
            Breach{"wrong-done", "`done` with a wrong nonce", 3},
            Breach{"wrong-count", "`done` counts 7 checks, 1 were answered", 3},
            Breach{"no-hello", "the first line is not `hello`", 0},
            Breach{"half-line", "half a line at the end: \"{\\\"event\\\": \\\"check_st\"", 1},
            Breach{"not-json", "a line that is no message: not JSON (byte 1): \"Segmentation fault\"", 1},
            Breach{"not-asked", "`check_started` of \"surprise\", which was not asked", 1},
            Breach{"not-started", "`observation` of \"failing\", which was not started", 1},
            Breach{"observe-twice", "`observation` of \"failing\" came twice", 3},
            Breach{"endless-line", "a line that is no message: line of 8388609 bytes, longer than 8388608",
                   1},
            Breach{"flood-protocol 200000",
                   "a line that is no message: step_started: member \"check\" is missing", 1})),
    name_of);

TEST_P(Breaches, AreToldAndTheTokenIsNotBelieved) {
  auto [mode, breach] = GetParam();
  Isolator isolator = make_isolator(mode);
  Seen seen = run(isolator, request_for(breach.misbehaviour));
  ASSERT_TRUE(seen.ended) << seen.why_not_started;
  EXPECT_EQ(seen.ending.protocol_error, breach.error);
  EXPECT_FALSE(seen.ending.done);
  EXPECT_EQ(seen.lines.size(), breach.lines);
  EXPECT_EQ(seen.ending.exit_status, 0);
}

TEST(Isolator, DeliversTheRawLineBesideTheMessage) {
  Isolator isolator = make_isolator(SpawnMode::fork);
  Seen seen = run(isolator, request_for(""));
  ASSERT_EQ(seen.lines.size(), 4u);
  EXPECT_EQ(seen.lines[1].raw, R"({"check":"failing","event":"check_started"})");
  EXPECT_EQ(std::get<CheckStarted>(seen.lines[1].message).check, "failing");
}

TEST(Isolator, DeliversTheAnswerOfAQuestion) {
  Isolator isolator = make_isolator(SpawnMode::fork);
  Request request = request_for("answer", {});
  request.kind = RequestKind::schemas;
  Seen seen = run(isolator, request);
  EXPECT_TRUE(seen.ending.done);
  ASSERT_EQ(seen.lines.size(), 3u);
  EXPECT_EQ(std::get<Answer>(seen.lines[1].message).body["text"], "42");
}

TEST(Isolator, TakesARequestWithThousandsOfChecks) {
  for (SpawnMode mode : {SpawnMode::fork, SpawnMode::exec}) {
    Isolator isolator = make_isolator(mode);
    std::vector<std::string> checks;
    for (int i = 0; i < 2'000; ++i) checks.push_back("batch-" + std::to_string(i) + ":N=64,F=bfloat16");
    Seen seen = run(isolator, request_for("", checks));
    EXPECT_TRUE(seen.ending.done) << seen.why_not_started << seen.ending.protocol_error;
    EXPECT_EQ(seen.lines.size(), 4'002u);
  }
}

}  // namespace
}  // namespace relapse
