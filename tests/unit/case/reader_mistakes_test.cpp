#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "read_helpers.hpp"

namespace relapse {
namespace {

using testing::ElementsAre;
using testing_case::mistakes_in;
using testing_case::small_case;

TEST(ReaderMistakes, GivesElevenMessagesForElevenMistakes) {
  const std::string text =
      "relapse: 1\n"
      "title: Labels reach the loss, see issue #273\n"
      "incident: {cause: The background was counted}\n"
      "dims: {N: 4, C: 3}\n"
      "subject:\n"
      "  - loss = cross_entropy_loss(lgoits, target)\n"
      "contract:\n"
      "  requires:\n"
      "    logits: {dtype: flaot32, shape: [N, C], finite: true}\n"
      "    target: {dtype: int64, shape: [N], min: 0, max: C -}\n"
      "  ensures:\n"
      "    loss: {shape: [], finite: yes, min: 0}\n"
      "failing:\n"
      "  inputs: {logits: zeros, tagret: [0, 1, 2, 3]}\n"
      "  symptoms:\n"
      "    cpu: {raises: index_error}\n"
      "  expect: returns\n"
      "devices: 1\n"
      "batches:\n"
      "  - {N: 64, C: 4, seed: -1}\n"
      "  - {N: 64, C: 4, K: 3}\n";
  EXPECT_THAT(
      mistakes_in(text),
      ElementsAre("2:41 title: the text ends here, because ` #` starts a comment | put the text in quotes",
                  "3:11 the key \"fix\" is missing in incident",
                  "6:31 subject.step-1: unknown name \"lgoits\"; did you mean \"logits\"?",
                  "9:21 contract.requires.logits.dtype: unknown dtype \"flaot32\"; did you mean \"float32\"?",
                  "10:55 contract.requires.target.max: expected an expression, got \"C -\" | something must "
                  "follow the minus",
                  "12:31 contract.ensures.loss.finite: expected true or false, got \"yes\"",
                  "14:27 failing.inputs: nothing reads an input called \"tagret\"; did you mean \"target\"?",
                  "15:3 unknown key \"symptoms\" in failing; did you mean \"symptom\"?",
                  "18:1 unknown key \"devices\"",
                  "20:25 batch-1.seed: expected a seed from 0 to 18446744073709551615, got \"-1\"",
                  "21:19 batch-2: unknown dim \"K\" | list it in the case's own, or use it in a clause"));
}

TEST(ReaderMistakes, ShowsTheLineWithACaret) {
  const ReadResult wrong = read_case(small_case("finite: true", "max: N -"), "cases/a.yaml", "a");
  ASSERT_EQ(wrong.diagnostics.size(), 1u);
  EXPECT_FALSE(wrong.value);
  EXPECT_EQ(format(wrong.diagnostics[0]),
            "cases/a.yaml:8:53: error: contract.requires.x.max: expected an expression, got \"N -\"\n"
            "  requires: {x: {dtype: float32, shape: [N], max: N -}}\n"
            "                                                    ^ something must follow the minus");
}

TEST(ReaderMistakes, EndsAtASyntaxErrorWithOneMessage) {
  EXPECT_THAT(
      mistakes_in("relapse: 1\ntitle: {a: b[0, 1]}\nnonsense: 1\n"),
      ElementsAre(
          "2:13 YAML syntax: expected a comma or } here | an expression with a comma, `: ` or a bracket in "
          "a flow map needs quotes"));
  EXPECT_THAT(mistakes_in("relapse: 1\ntitle: 'never closed\n"),
              ElementsAre("2:8 nothing closes this quote"));
  EXPECT_THAT(mistakes_in(""), ElementsAre("1:1 the file is empty: a case starts with `relapse: 1`"));
  EXPECT_THAT(mistakes_in("- a\n"),
              ElementsAre("1:1 expected a map that starts with `relapse: 1`, got a list"));
}

TEST(ReaderMistakes, RefusesWhatTheFormatDoesNotHave) {
  EXPECT_THAT(mistakes_in(small_case("title: A sum", "title: &a A sum")),
              ElementsAre("2:8 anchors (&name) are not part of the format"));
  EXPECT_THAT(mistakes_in(small_case("title: A sum", "title: !!str A sum")),
              ElementsAre("2:8 tags (!name) are not part of the format"));
  EXPECT_THAT(mistakes_in(small_case("N: 16, seed: 2", "N: 16, N: 2")),
              ElementsAre("13:13 the key \"N\" is written twice | the first is in line 13"));
  EXPECT_THAT(mistakes_in(small_case() + "---\nrelapse: 1\n"),
              ElementsAre("14:1 a second document starts here: a case is one document"));
}

TEST(ReaderMistakes, RefusesAnAliasWhereItStands) {
  const std::string text = small_case("title: A sum", "title: &a A sum\npolicy: *a");
  EXPECT_THAT(mistakes_in(text),
              ElementsAre("2:8 anchors (&name) are not part of the format",
                          "3:9 aliases (*name) are not part of the format: write the value again"));
}

TEST(ReaderMistakes, TellsAnExpressionThatACommaCutFromItsPieces) {
  EXPECT_THAT(
      mistakes_in(small_case("same_as: x.sum()", "same_as: x.sum(0, true), max: 3")),
      ElementsAre(
          "9:37 the comma ends this text as \"x.sum(0\" | its ( is closed in a later piece: a text with a "
          "comma in a flow map or list needs quotes"));
}

TEST(ReaderMistakes, ReadsNothingElseOfAnotherVersion) {
  EXPECT_THAT(mistakes_in("relapse: 2\nnew_key: 1\n"),
              ElementsAre("1:10 relapse: expected format version 1, got \"2\" | this is the only version "
                          "that this relapse reads"));
}

TEST(ReaderMistakes, RefusesReservedNames) {
  EXPECT_THAT(mistakes_in(small_case("dims: {N: 4}", "dims: {N: 4, seed: 1}")),
              ElementsAre("4:14 \"seed\" is reserved and cannot be the name of a dim"));
  EXPECT_THAT(mistakes_in(small_case("dims: {N: 4}", "dims: {N: 4, needs: 1}")),
              ElementsAre("4:14 \"needs\" is reserved and cannot be the name of a dim"));
  EXPECT_THAT(mistakes_in(small_case("y = x.sum()", "y, float16 = x.max(0)")),
              ElementsAre("6:8 subject.step-1: \"float16\" is reserved and cannot be the name of a result"));
  EXPECT_THAT(mistakes_in(small_case("y = x.sum()", "y, python = x.max(0)")),
              ElementsAre("6:8 subject.step-1: \"python\" is reserved and cannot be the name of a result"));
}

TEST(ReaderMistakes, WantsAllPartsOfACase) {
  EXPECT_THAT(mistakes_in("relapse: 1\n"),
              ElementsAre("1:1 the key \"title\" is missing", "1:1 the key \"incident\" is missing",
                          "1:1 the key \"subject\" is missing", "1:1 the key \"contract\" is missing",
                          "1:1 the key \"failing\" is missing", "1:1 the key \"batches\" is missing"));
  EXPECT_THAT(
      mistakes_in(small_case("  - {N: 16, seed: 2}\n", "")),
      ElementsAre("12:3 batches: expected at least two, got 1 | one input alone is easily right by chance"));
  EXPECT_THAT(
      mistakes_in(small_case("expect: returns", "expect: {rejected: x.finite}")),
      ElementsAre(
          "10:39 a case whose failing input is rejected needs the key \"corrected\" | an input that is right "
          "shows that not everything is refused",
          testing::HasSubstr("10:39 failing: a rejection is expected")));
  EXPECT_THAT(mistakes_in(small_case("failing: {inputs: {x: zeros}, expect: returns}",
                                     "failing:\n  - {name: a, expect: returns}\n  - {expect: returns}")),
              ElementsAre("12:5 the key \"name\" is missing in failing-2"));
}

TEST(ReaderMistakes, RefusesWrongKindsOfValues) {
  EXPECT_THAT(mistakes_in(small_case("title: A sum", "title: [a]")),
              ElementsAre("2:8 title: expected text, got a list"));
  EXPECT_THAT(mistakes_in(small_case("dims: {N: 4}", "dims: 4")),
              testing::Contains("4:7 dims: expected a map, got \"4\""));
  EXPECT_THAT(mistakes_in(small_case("x: zeros", "x: [[1, 2], [3]]")),
              ElementsAre("10:32 failing.inputs.x: this row has 1 entries, the first has 2"));
  EXPECT_THAT(mistakes_in(small_case("x: zeros", "x: {full: 1, fill: ones}")),
              ElementsAre("10:33 failing.inputs.x: full and fill both say what the elements are"));
  EXPECT_THAT(
      mistakes_in(small_case("x: zeros", "x: {full: 1, low: 2}")),
      ElementsAre(
          "10:33 failing.inputs.x.low: only has a meaning beside random: uniform or random: integers"));
  EXPECT_THAT(mistakes_in(small_case("seed: 2}", "seed: 2}\nneeds: {memory: 6GB}")),
              ElementsAre("14:17 needs.memory: expected a size such as 6GiB, got \"6GB\" | units are B, KiB, "
                          "MiB, GiB and TiB"));
  EXPECT_THAT(mistakes_in(small_case("seed: 2}", "seed: 2}\nneeds: {torch: new}")),
              ElementsAre("14:16 needs.torch: expected versions such as \">=2.6,<3\", got \"new\""));
}

TEST(ReaderMistakes, CountsColumnsInCodePoints) {
  EXPECT_THAT(mistakes_in(small_case("incident: {cause: none known",
                                     "incident: {cause: \xC3\xA9t\xC3\xA9 \xE2\x82\xAC, casue: x")),
              ElementsAre("3:26 unknown key \"casue\" in incident; did you mean \"cause\"?"));
}

TEST(ReaderMistakes, RefusesBytesThatAreNoText) {
  EXPECT_THAT(mistakes_in("relapse: 1\ntitle: \xFF\n"),
              ElementsAre("2:8 the byte 0xff is not UTF-8, the encoding of case files"));
  EXPECT_THAT(mistakes_in(std::string("relapse: 1\ntitle: a\0b\n", 22)),
              ElementsAre("2:9 the control character 0x00 cannot stand in a case"));
}

TEST(ReaderMistakes, WantsToKnowWhatAMutantBreaks) {
  EXPECT_THAT(mistakes_in(small_case("batches:", "mutants: [{y: y * 2}]\nbatches:")),
              ElementsAre("11:11 the key \"breaks\" is missing in mutant-1"));
}

TEST(ReaderMistakes, RefusesSignalsThatEndNoProcess) {
  const auto with = [](const std::string& signal) {
    return mistakes_in(small_case("expect: returns",
                                  "symptom: {cpu: {fault: crash, signal: " + signal + "}}, expect: returns"));
  };
  EXPECT_THAT(with("[SIGSEGV, SIGABRT]"), testing::IsEmpty());
  EXPECT_THAT(with("SIGKILL"), testing::IsEmpty());
  EXPECT_THAT(with("[SIGSEGV, SIGFOO]"),
              ElementsAre("10:79 failing.symptom.cpu.signal: no signal that ends a process is called "
                          "\"SIGFOO\"; did you mean \"SIGFPE\"?"));
  EXPECT_THAT(with("SEGV"), ElementsAre("10:69 failing.symptom.cpu.signal: no signal that ends a process is "
                                        "called \"SEGV\"; did you mean \"SIGSEGV\"?"));
  EXPECT_THAT(with("SIGCHLD"), ElementsAre(testing::HasSubstr("no signal that ends a process")));
}

TEST(ReaderMistakes, WantsAReasonWhereThereIsNothingBeforeTheFix) {
  EXPECT_THAT(
      mistakes_in(small_case("contract:", "unfixed: {none: }\ncontract:")),
      ElementsAre("7:11 unfixed.none: the reason is missing | say why there is no code before the fix"));
  EXPECT_THAT(
      mistakes_in(small_case("contract:", "unfixed:\n  none:\ncontract:")),
      ElementsAre("8:3 unfixed.none: the reason is missing | say why there is no code before the fix"));
}

TEST(ReaderMistakes, CallsAnEmptyTextNothing) {
  EXPECT_THAT(mistakes_in(small_case("cause: none known", "cause: ")),
              ElementsAre("3:12 incident.cause: expected text, got nothing"));
}

TEST(ReaderMistakes, TellsAStepThatComparesToNameAResult) {
  EXPECT_THAT(mistakes_in(small_case("y = x.sum()", "y == x.sum()")),
              ElementsAre("6:7 subject.step-1: this step compares and drops what comes out | a step is "
                          "written with one `=`: y = ..."));
  EXPECT_THAT(mistakes_in(small_case("y = x.sum()", "y, z == x.max(0)")),
              ElementsAre("6:10 subject.step-1: expected an expression, got \"y, z == x.max(0)\" | a step is "
                          "written with one `=`: y, z = ..."));
}

TEST(ReaderMistakes, WantsAGuardWhereARejectionIsExpected) {
  const std::string corrected = "}\ncorrected: {inputs: {x: ones}}";
  EXPECT_THAT(
      mistakes_in(small_case("expect: returns}", "expect: {rejected: x.finite}" + corrected)),
      ElementsAre("10:39 failing: a rejection is expected, but nothing in the subject can refuse | add "
                  "the step guard() where the fix checks its input"));
  EXPECT_THAT(
      mistakes_in(small_case("expect: returns}", "expect: {cpu: returns, cuda: rejected}" + corrected)),
      ElementsAre(testing::HasSubstr("10:60 failing: a rejection is expected")));
  std::string broken = small_case("expect: returns}", "expect: rejected" + corrected);
  broken.replace(broken.find("  - y"), 3, "  - guard(\n  -");
  EXPECT_THAT(mistakes_in(broken), ElementsAre(testing::HasSubstr("6:10 subject.step-1: ")));
}

// ---- one mistake, one message ----

TEST(FollowOnMistakes, AreNotToldOfWhatABrokenStepBinds) {
  EXPECT_THAT(mistakes_in(small_case("y = x.sum()", "y = x.sum(reducton=\"none\")")),
              ElementsAre(testing::HasSubstr("6:24 subject.step-1: ")));
  EXPECT_THAT(mistakes_in(small_case("y = x.sum()", "y = x.sum(\n  - z = y + 1")),
              ElementsAre(testing::HasSubstr("6:14 subject.step-1: ")));
  EXPECT_THAT(
      mistakes_in(small_case("  - y = x.sum()", "  - y, z = sum x\n  - w = y + zz")),
      ElementsAre(testing::HasSubstr("6:16 subject.step-1: "), "7:13 subject.step-2: unknown name \"zz\""));
}

TEST(FollowOnMistakes, AreNotToldWhereAnythingMayHaveBeenBound) {
  EXPECT_THAT(mistakes_in(small_case("y = x.sum()", "(y) = x.sum()")),
              ElementsAre(testing::HasSubstr("6:5 subject.step-1: ")));
  EXPECT_THAT(mistakes_in(small_case("  - y = x.sum()", "  - {y: x.sum()}")),
              ElementsAre(testing::HasSubstr("6:5 subject.step-1: expected a step, got a map")));
  EXPECT_THAT(mistakes_in(small_case("subject:\n  - y = x.sum()", "subject: y = x.sum()")),
              ElementsAre(testing::HasSubstr("5:10 subject: expected a list of steps")));
  EXPECT_THAT(mistakes_in(small_case("subject:\n  - y = x.sum()\n", "")),
              ElementsAre("1:1 the key \"subject\" is missing"));
}

TEST(FollowOnMistakes, AreNotToldOfInputsThatABrokenStepReads) {
  const std::string text = small_case("inputs: {x: zeros}", "inputs: {x: zeros, bias: ones}");
  std::string broken = text;
  broken.replace(broken.find("y = x.sum()"), 11, "y = add(x, bias");
  EXPECT_THAT(mistakes_in(broken), ElementsAre(testing::HasSubstr("6:12 subject.step-1: ")));
  EXPECT_THAT(mistakes_in(text), ElementsAre("10:30 failing.inputs: nothing reads an input called \"bias\""));
}

TEST(FollowOnMistakes, AreNotToldOfStepsThatACommaCut) {
  EXPECT_THAT(mistakes_in(small_case("subject:\n  - y = x.sum()", "subject: [y = sum(x, 0), z = y + 1]")),
              ElementsAre(testing::HasSubstr("5:11 the comma ends this text as \"y = sum(x\"")));
}

TEST(FollowOnMistakes, AreNotToldOfGradientsWhenTheBackwardStepIsBroken) {
  std::string text = small_case("ensures: {y: {shape: []", "ensures: {x.grad: {finite: true}, y: {shape: []");
  text.replace(text.find("finite: true"), 12, "requires_grad: true");
  text.replace(text.find("y = x.sum()"), 11, "y = x.sum()\n  - backward(y");
  EXPECT_THAT(mistakes_in(text), ElementsAre(testing::HasSubstr("7:13 subject.step-2: ")));
}

}  // namespace
}  // namespace relapse
