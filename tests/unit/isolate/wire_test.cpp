#include <gtest/gtest.h>

#include <fcntl.h>
#include <unistd.h>
#include <cmath>
#include <csignal>
#include <harness/isolate/wire.hpp>
#include <limits>

namespace relapse {
namespace {

using nlohmann::json;

std::string refusal(std::string_view line, std::size_t limit = 8u << 20) {
  ParsedLine parsed = parse_line(line, limit);
  const std::string* why = std::get_if<std::string>(&parsed.value);
  return why ? *why : "accepted";
}

/// What a message is after it went over the wire.
template <class T>
T over_the_wire(const T& sent) {
  ParsedLine parsed = parse_line(to_json(Message(sent)).dump());
  if (const std::string* why = std::get_if<std::string>(&parsed.value)) {
    ADD_FAILURE() << *why;
    return {};
  }
  return std::get<T>(std::get<Message>(parsed.value));
}

Observation an_observation() {
  TensorFacts facts;
  facts.name = "logits";
  facts.dtype = "float32";
  facts.shape = {4, 3};
  facts.strides = {3, 1};
  facts.offset = 2;
  facts.device = "cuda:0";
  facts.requires_grad = true;
  facts.min = "-0.5";
  facts.max = "inf";
  facts.finite = false;
  facts.nans = 7;
  Breach breach{"target.max", {12, 5}, "target.max: C - 1 = 2", "target[3] = 3", {"one", "two"}, {}};
  breach.picture = MismatchPicture{{4, 3}, 2, 3, {1, 0, 2, 0, 0, 5}, -3, {4, 0, 1}, 3};
  Observation sent;
  sent.check = "batch-2:N=64";
  sent.kind = ObservedKind::raised;
  sent.raised = Raised{ErrorClass::index_error, "c10::IndexError", "Target 3 is out of bounds.", 710};
  sent.rejected_by = "target.max";
  sent.rejection = breach;
  sent.step = 1;
  sent.requires_broken = {breach};
  sent.broken = {breach, breach};
  sent.clauses_evaluated = 9;
  sent.guards_reached = 2;
  sent.guards_expected = 3;
  sent.usable_after = false;
  sent.reason = "because";
  sent.reason_pos = {3, 4};
  sent.inputs = {facts};
  sent.results = {{facts, "abc"}};
  sent.seconds = 0.25;
  return sent;
}

TEST(Wire, CarriesEveryMemberOfAnObservation) {
  Observation sent = an_observation();
  json first = to_json(sent);
  Observation read = over_the_wire(Observed{sent}).observation;
  EXPECT_EQ(to_json(read), first);
  EXPECT_EQ(read.raised->code, 710);
  EXPECT_EQ(read.rejection->pos, (SourcePos{12, 5}));
  EXPECT_EQ(read.broken.at(1).details, (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(read.inputs.at(0).finite, false);
  EXPECT_EQ(read.results.at(0).facts.max, "inf");
  EXPECT_FALSE(read.usable_after);
  EXPECT_EQ(read.seconds, 0.25);
}

TEST(Wire, RefusesPicturesThatNobodyCouldDraw) {
  const auto why = [](const std::string& member, const json& value) {
    json line = to_json(Message(Observed{an_observation()}));
    line["observation"]["broken"][0]["picture"][member] = value;
    const ParsedLine parsed = parse_line(line.dump());
    const auto* reason = std::get_if<std::string>(&parsed.value);
    return reason ? *reason : "";
  };
  EXPECT_EQ(why("grid", {2, 33}),
            "observation: observation.broken[0].picture.grid: expected [rows, columns] from 1 to 32, got "
            "\"[2,33]\"");
  EXPECT_EQ(why("grid", {0, 3}),
            "observation: observation.broken[0].picture.grid: expected [rows, columns] from 1 to 32, got "
            "\"[0,3]\"");
  EXPECT_EQ(why("counts", {1, 2}),
            "observation: observation.broken[0].picture.counts: expected a count for each cell of the grid, "
            "got \"[1,2]\"");
  EXPECT_NE(why("errors", std::vector<int>(33, 1)), "");
  EXPECT_NE(why("shape", "x"), "");
}

TEST(Wire, LeavesOutWhatHoldsItsDefault) {
  Observation sent;
  sent.check = "corrected";
  EXPECT_EQ(to_json(sent).dump(),
            R"({"check":"corrected","clauses_evaluated":0,"guards_expected":0,"guards_reached":0,)"
            R"("kind":"returned","seconds":0.0})");
  Observation read = over_the_wire(Observed{sent}).observation;
  EXPECT_FALSE(read.raised);
  EXPECT_FALSE(read.rejection);
  EXPECT_EQ(read.step, -1);
  EXPECT_TRUE(read.usable_after);
}

TEST(Wire, KeepsTheShapeOfATensorWithoutDimensions) {
  TensorFacts facts;
  facts.dtype = "int64";
  EXPECT_EQ(to_json(facts).dump(), R"({"dtype":"int64","shape":[],"strides":[]})");
}

TEST(Wire, CarriesTheOtherMessages) {
  Hello hello =
      over_the_wire(Hello{1, "n", "0.1.0", "2.15.0", "cpu", {{"B", "2"}, {"A", "1"}}, {{"threads", "1"}}});
  EXPECT_EQ(hello.nonce, "n");
  EXPECT_EQ(hello.environment.at(0).first, "B") << "the order stays";
  EXPECT_EQ(hello.settings.at(0).second, "1");
  EXPECT_EQ(over_the_wire(CheckStarted{"failing"}).check, "failing");
  StepStarted step = over_the_wire(StepStarted{"failing", {2, "y = relu(x)", {7, 3}, {}}});
  EXPECT_EQ(step.step.index, 2);
  EXPECT_EQ(step.step.text, "y = relu(x)");
  EXPECT_EQ(over_the_wire(Answer{json{{"schemas", {"a", "b"}}}}).body["schemas"][1], "b");
  Done done = over_the_wire(Done{"n", 3, 20, 4});
  EXPECT_EQ(done.nonce, "n");
  EXPECT_EQ(done.checks, 3);
  EXPECT_EQ(done.clauses_evaluated, 20);
  EXPECT_EQ(done.guards_reached, 4);
}

TEST(Wire, WritesNumbersThatAreNotFiniteAsText) {
  Observation sent;
  sent.check = "c";
  sent.seconds = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(to_json(sent)["seconds"], "nan");
  EXPECT_TRUE(std::isnan(over_the_wire(Observed{sent}).observation.seconds));
  sent.seconds = -std::numeric_limits<double>::infinity();
  EXPECT_EQ(over_the_wire(Observed{sent}).observation.seconds, sent.seconds);
}

TEST(Wire, MakesBytesThatAreNotUtf8Replacements) {
  EXPECT_EQ(over_the_wire(CheckStarted{"a\xff"
                                       "b"})
                .check,
            "a\xef\xbf\xbd"
            "b");
}

TEST(Wire, SaysWhyALineIsNone) {
  EXPECT_EQ(refusal(""), "not JSON (byte 1): \"\"");
  EXPECT_EQ(refusal("hello"), "not JSON (byte 1): \"hello\"");
  EXPECT_EQ(refusal(R"({"event":"done","nonce)"), R"(not JSON (byte 23): "{\"event\":\"done\",\"nonce")");
  EXPECT_EQ(refusal("[1]"), "expected a JSON object, got \"[1]\"");
  EXPECT_EQ(refusal("{}"), "member \"event\" is missing");
  EXPECT_EQ(refusal(R"({"event": 3})"), "event: expected a string, got \"3\"");
  EXPECT_EQ(refusal(R"({"event": "party"})"), "unknown event \"party\"");
  EXPECT_EQ(refusal(R"({"event": "check_started"})"), "check_started: member \"check\" is missing");
  EXPECT_EQ(refusal(R"({"event": "done", "nonce": "n", "checks": 1.5})"),
            "done: checks: expected a whole number of 64 bits, got \"1.5\"");
  EXPECT_EQ(refusal("{\"event\": \"\xff\"}").substr(0, 19), "not JSON (byte 12):");
}

TEST(Wire, NamesTheInnerMemberThatIsWrong) {
  json line = to_json(Message(Observed{an_observation()}));
  line["observation"]["broken"][1]["pos"] = {1, -2};
  EXPECT_EQ(refusal(line.dump()),
            "observation: observation.broken[1].pos: expected [line, column], got \"[1,-2]\"");
  line = to_json(Message(Observed{an_observation()}));
  line["observation"]["results"][0]["facts"]["shape"] = "wide";
  EXPECT_EQ(refusal(line.dump()),
            "observation: observation.results[0].facts.shape: expected a list of whole "
            "numbers, got \"\\\"wide\\\"\"");
  line = to_json(Message(Observed{an_observation()}));
  line["observation"]["kind"] = "meditated";
  EXPECT_EQ(refusal(line.dump()),
            "observation: observation.kind: expected a kind of observation, got \"\\\"meditated\\\"\"");
}

TEST(Wire, BoundsLengthAndNesting) {
  EXPECT_EQ(refusal("{\"event\": \"check_started\"}", 10), "line of 26 bytes, longer than 10");
  EXPECT_EQ(refusal(std::string(100'000, '[')), "nested more than 64 deep");
  EXPECT_EQ(refusal("{\"event\": \"check_started\", \"check\": \"" + std::string(100, '[') + "\"}"),
            "accepted");
}

TEST(Wire, ReadsAnObservationFromAJournal) {
  Observation out;
  std::string why;
  EXPECT_TRUE(observation_from(to_json(an_observation()), out, why)) << why;
  EXPECT_EQ(out.check, "batch-2:N=64");
  EXPECT_FALSE(observation_from(json{{"check", "c"}}, out, why));
  EXPECT_EQ(why, "member \"observation.kind\" is missing");
  EXPECT_FALSE(observation_from(json::array(), out, why));
  EXPECT_EQ(why, "observation: expected an object, got array");
}

TEST(Wire, SendsOneLineAndSaysWhenNobodyReads) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  EXPECT_TRUE(send_line(ends[1], {{"x", std::numeric_limits<double>::infinity()}}));
  char text[64] = {};
  ASSERT_GT(read(ends[0], text, sizeof text - 1), 0);
  EXPECT_STREQ(text, "{\"x\":\"inf\"}\n");
  close(ends[0]);
  EXPECT_FALSE(send_line(ends[1], {{"x", 1}}));
  sigset_t pending;
  sigpending(&pending);
  EXPECT_EQ(sigismember(&pending, SIGPIPE), 0);
  close(ends[1]);
}

}  // namespace
}  // namespace relapse
