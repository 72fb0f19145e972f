// What nobody writes and anyone may hand over: a message or a case, and neither a crash nor minutes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <harness/case/lint.hpp>

#include "read_helpers.hpp"

namespace relapse {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing_case::mistakes_in;
using testing_case::small_case;

/// Generous, since sanitizers and busy machines are slow; what is quadratic in a file of megabytes takes
/// minutes.
class Hostile : public testing::Test {
 protected:
  void TearDown() override {
    const auto took = std::chrono::steady_clock::now() - start_;
    EXPECT_LT(took, std::chrono::seconds(60));
  }
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

std::string repeated(int count, const std::string& piece) {
  std::string text;
  for (int i = 0; i < count; ++i) text += piece;
  return text;
}
/// `piece` with each `#` replaced by 0, 1, ...
std::string numbered(int count, const std::string& piece) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    for (const char c : piece) text += c == '#' ? std::to_string(i) : std::string(1, c);
  }
  return text;
}

// ---- nesting ----

TEST_F(Hostile, NestingOfAllKindsIsRefused) {
  const std::string deep = "nested deeper than 32";
  EXPECT_THAT(mistakes_in("relapse: " + repeated(50'000, "[a, ")), Contains(HasSubstr(deep)));
  EXPECT_THAT(mistakes_in("relapse: " + repeated(50'000, "{a: ")), Contains(HasSubstr(deep)));
  EXPECT_THAT(mistakes_in("relapse: " + repeated(50'000, "[{a: ")), Contains(HasSubstr(deep)));
  EXPECT_THAT(mistakes_in("relapse: " + repeated(50'000, "[\n") + repeated(50'000, "]\n")),
              Contains(HasSubstr(deep)));
  EXPECT_THAT(mistakes_in(repeated(50'000, "- ")), Contains(HasSubstr(deep)));
  EXPECT_THAT(mistakes_in(repeated(50'000, "? ")), Contains(HasSubstr(deep)));
  std::string blocks;
  for (int i = 0; i < 1'000; ++i) blocks += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  EXPECT_THAT(mistakes_in(blocks), Contains(HasSubstr(deep)));
}

TEST_F(Hostile, NestingOfExpressionsIsRefused) {
  for (const char* open : {"(", "[", "-", "~", "f(", "x[", "f(a="}) {
    EXPECT_THAT(mistakes_in(small_case("y = x.sum()", "\"y = " + repeated(60'000, open) + "\"")), SizeIs(1))
        << open;
  }
  EXPECT_THAT(mistakes_in(small_case("y = x.sum()", "y = x" + repeated(60'000, ".t()"))), SizeIs(1));
  EXPECT_THAT(mistakes_in(small_case("y = x.sum()", "y = x" + repeated(60'000, " + x"))), SizeIs(1));
  EXPECT_THAT(mistakes_in(small_case("y = x.sum()", "y = x" + repeated(400, " + x"))), IsEmpty());
  EXPECT_THAT(mistakes_in(small_case("y = x.sum()", "y = x" + repeated(400, ".t()"))), IsEmpty());
}

// ---- size ----

TEST_F(Hostile, HugeScalarsGiveShortMessages) {
  const std::string huge(3'000'000, 'a');
  const std::vector<std::string> places = {small_case("N: 4", "N: " + huge),
                                           small_case("y = x.sum()", huge),
                                           small_case("y = x.sum()", "y = " + huge),
                                           small_case("expect: returns", "expect: " + huge),
                                           small_case("dtype: float32", "dtype: " + huge),
                                           small_case("x: zeros", "x: '" + huge + "'"),
                                           small_case("x: zeros", "x: \"\\x41" + huge + "\""),
                                           small_case("N: 4", "N: " + std::string(3'000'000, '9'))};
  for (const std::string& text : places) {
    const ReadResult result = read_case(text, "case.yaml", "case");
    EXPECT_FALSE(result.diagnostics.empty());
    std::size_t bytes = 0;
    for (const Diagnostic& d : result.diagnostics) bytes += format(d).size();
    EXPECT_LT(bytes, 10'000u) << result.diagnostics.front().message.substr(0, 200);
  }
}

TEST_F(Hostile, HugeKeysGiveShortMessages) {
  const std::string huge(1'000'000, 'k');
  for (const std::string& key : {huge, "? " + huge + "\n  ", "'" + huge + "'"}) {
    for (const std::string& text :
         {small_case() + key + ": 1\n", small_case("dims: {N: 4}", "dims:\n  " + key + ": 1\n  N: 4"),
          small_case("dims: {N: 4}", "dims: {" + key + ": 1, N: 4}"),
          small_case("ensures: {y:",
                     "ensures:\n    " + key + ": {wrong: 1}\n    y: {finite: true}\n  agrees: {a:")}) {
      const ReadResult result = read_case(text, "case.yaml", "case");
      EXPECT_FALSE(result.diagnostics.empty());
      for (const Diagnostic& d : result.diagnostics) EXPECT_LT(format(d).size(), 2'500u);
    }
  }
}

TEST_F(Hostile, ManyMistakesEndInALineThatCountsThem) {
  const std::vector<std::string> some = mistakes_in(small_case() + numbered(130, "key#: 1\n"));
  ASSERT_THAT(some, SizeIs(101));
  EXPECT_EQ(some[0], "14:1 unknown key \"key0\"");
  EXPECT_EQ(some[99], "113:1 unknown key \"key99\"");
  EXPECT_EQ(some[100], "0:0 30 more mistakes are not shown");
  const std::vector<std::string> many = mistakes_in(small_case() + numbered(9'000, "key#: 1\n"));
  ASSERT_THAT(many, SizeIs(101));
  EXPECT_EQ(many[100], "0:0 at least 401 more mistakes are not shown");
  EXPECT_THAT(mistakes_in(small_case() + numbered(100, "key#: 1\n")), SizeIs(100));
}

TEST_F(Hostile, MistakesOnOneLineOfMegabytesStaySmall) {
  const std::string text =
      small_case("{N: 4}", "{N: 4" + numbered(4'000, ", K#: 'x" + std::string(900, ' ') + "'") + "}");
  const ReadResult result = read_case(text, "case.yaml", "case");
  std::size_t bytes = 0;
  for (const Diagnostic& d : result.diagnostics)
    bytes += d.message.size() + d.hint.size() + d.source_line.size();
  EXPECT_LT(bytes, 100'000u);
  EXPECT_THAT(result.diagnostics, SizeIs(101));
}

TEST_F(Hostile, ManyKeysAreRefused) {
  EXPECT_THAT(mistakes_in(small_case("N: 4}", "N: 4" + numbered(20'000, ", A#: 1") + "}")),
              ElementsAre(HasSubstr("the file has more than 10,000 keys")));
  EXPECT_THAT(mistakes_in(small_case("N: 4}", "N: 4" + repeated(20'000, ", A: 1") + "}")),
              ElementsAre(HasSubstr("the file has more than 10,000 keys")));
}

TEST_F(Hostile, ManyStepsAreRefused) {
  EXPECT_THAT(mistakes_in(small_case("  - y", repeated(60'000, "  - z = x + 1\n") + "  - y")),
              ElementsAre("6:3 subject: more than 1,000 steps"));
  EXPECT_THAT(mistakes_in(small_case("same_as: x.sum()", "same_as: [" + repeated(60'000, "z = x, ") + "z]")),
              ElementsAre("9:37 contract.ensures.y.same_as: more than 1,000 steps"));
}

TEST_F(Hostile, ManyValuesAreReadOrRefused) {
  EXPECT_THAT(mistakes_in(small_case("x: zeros", "x: [" + repeated(150'000, "1, ") + "1]")),
              ElementsAre(HasSubstr("expected values of shape [N] = [4], got [150001]")));
  EXPECT_THAT(mistakes_in(small_case("x: zeros", "x: [" + repeated(250'000, "1, ") + "1]")),
              ElementsAre(HasSubstr("more than 200,000 values")));
  EXPECT_THAT(mistakes_in(small_case("x: zeros", "x: [" + repeated(150'000, "a( , ") + "1]")), SizeIs(101));
  EXPECT_THAT(mistakes_in(small_case("x: zeros", "x: [" + repeated(150'000, "\"\\x31\", ") + "1]")),
              SizeIs(1));
}

TEST_F(Hostile, AllScenariosTimesAllNamesEnds) {
  std::string text =
      small_case("requires: {", "requires: {" + numbered(900, "x#: {dtype: int64, shape: [N], min: 0}, "));
  text += numbered(2'000, "  - {N: 4, inputs: {x#: [1, 2, 3, 4]}}\n");
  mistakes_in(text);
}

TEST_F(Hostile, ManyMutantsOfManyInputsEnd) {
  std::string text =
      small_case("requires: {", "requires: {" + numbered(2'000, "x#: {dtype: int64, shape: [N]}, "));
  text += "mutants:\n" + numbered(1'500, "  - {x#: x# + q, breaks: y.nothing}\n");
  EXPECT_THAT(mistakes_in(text), SizeIs(101));
}

TEST_F(Hostile, ALongChainOfComputedInputsEnds) {
  const int count = 4'000;
  std::string chain = "inputs: {x: =a0, a" + std::to_string(count) + ": zeros";
  for (int i = 0; i < count; ++i) chain += ", a" + std::to_string(i) + ": =a" + std::to_string(i + 1);
  EXPECT_THAT(mistakes_in(small_case("dims: {N: 4}", "dims: {N: 4}\n" + chain + "}")), IsEmpty());
  chain.replace(chain.find("zeros"), 5, "=a0");
  EXPECT_THAT(
      mistakes_in(small_case("dims: {N: 4}", "dims: {N: 4}\n" + chain + "}")),
      ElementsAre("5:34 the input \"a0\" is computed from itself: a0 from a1 from a2 from a3 from a4 from a5 "
                  "from a6 from a7 from ... from a0"));
}

// ---- bytes ----

TEST_F(Hostile, LineEndsOfWindowsAreLineEnds) {
  std::string text = small_case();
  for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 2))
    text.insert(at, "\r");
  ReadResult result = read_case(text, "case.yaml", "case");
  ASSERT_TRUE(result.value) << format(result.diagnostics.front());
  EXPECT_EQ(result.value->title, "A sum");
  EXPECT_EQ(result.value->subject.steps[0].text, "y = x.sum()");
  const std::string now = canonical_text(text, *result.value);
  EXPECT_EQ(now, canonical_text(small_case(), *result.value));
  text.replace(text.find("finite: true"), 12, "finite: yes ");
  EXPECT_THAT(mistakes_in(text),
              ElementsAre(testing::StartsWith("8:54 contract.requires.x.finite: expected true")));
}

TEST_F(Hostile, AByteOrderMarkIsNoPartOfTheFirstKey) {
  const std::string text = "\xEF\xBB\xBF" + small_case();
  ReadResult result = read_case(text, "case.yaml", "case");
  ASSERT_TRUE(result.value) << format(result.diagnostics.front());
  EXPECT_EQ(canonical_text(text, *result.value), canonical_text(small_case(), *result.value));
  EXPECT_THAT(mistakes_in("\xEF\xBB\xBF" + small_case("title: A sum", "title: ")),
              ElementsAre("2:1 title: expected text, got nothing"));
  EXPECT_THAT(mistakes_in("\xEF\xBB\xBF"), SizeIs(1));
  EXPECT_THAT(mistakes_in("\xFF\xFE"), SizeIs(1));
}

TEST_F(Hostile, TabsAreRefusedWhereTheyWouldIndent) {
  EXPECT_THAT(mistakes_in(small_case("  - y = x.sum()", "\t- y = x.sum()")), SizeIs(1));
  EXPECT_THAT(mistakes_in(small_case("  requires:", "\trequires:")), SizeIs(1));
  EXPECT_THAT(mistakes_in(small_case("y = x.sum()", "y =\tx.sum()\t")), IsEmpty());
  EXPECT_THAT(mistakes_in(small_case("{N: 8}", "{N:\t8\t}")), testing::SizeIs(testing::Le(3u)));
}

TEST_F(Hostile, BytesThatAreNoTextAreNamed) {
  for (int byte = 0; byte < 256; ++byte) {
    std::string text = small_case();
    text[text.find("A sum")] = static_cast<char>(byte);
    const std::vector<std::string> mistakes = mistakes_in(text);
    const bool control = (byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') || byte == 0x7F;
    if (!control && byte < 0x80) continue;
    EXPECT_THAT(mistakes, ElementsAre(testing::StartsWith("2:8 the "))) << byte;
  }
  for (const char* bad :
       {"\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xF8\x88\x80\x80\x80", "\xC3"}) {
    EXPECT_THAT(mistakes_in(small_case("A sum", bad)), ElementsAre(HasSubstr("is not UTF-8"))) << bad;
  }
}

// ---- YAML of all kinds ----

TEST_F(Hostile, RarePartsOfYamlGiveAMessageOrACase) {
  EXPECT_THAT(mistakes_in(small_case("title: A sum", "? title\n: A sum")), IsEmpty());
  EXPECT_THAT(mistakes_in(small_case("title: A sum", "? [a, b]\n: A sum\ntitle: A sum")),
              ElementsAre("2:3 expected a name as key, got a list"));
  EXPECT_THAT(mistakes_in(small_case("title: A sum", "? {a: b}\n: A sum\ntitle: A sum")),
              ElementsAre("2:3 expected a name as key, got a map"));
  EXPECT_THAT(mistakes_in(small_case("title: A sum", "? - a\n  - b\n: A sum\ntitle: A sum")), SizeIs(1));
  EXPECT_THAT(mistakes_in(small_case("title: A sum", "title: A sum\n? \n")),
              Contains(HasSubstr("2:")).Times(testing::Le(1)));
  EXPECT_THAT(mistakes_in(small_case("dims: {N: 4}", "dims: {N: 4, <<: {M: 2}}")),
              Contains(HasSubstr("\"<<\"")));
  EXPECT_THAT(mistakes_in(small_case("dims: {N: 4}", "dims: {N: 4}\n<<: {M: 2}")),
              ElementsAre("5:1 unknown key \"<<\""));
  EXPECT_THAT(mistakes_in("%YAML 1.2\n---\n" + small_case()), testing::SizeIs(testing::Le(1u)));
  EXPECT_THAT(mistakes_in("%TAG ! tag:x,2000:\n---\n" + small_case("A sum", "!a A sum")), SizeIs(1));
  EXPECT_THAT(mistakes_in(small_case() + "...\n"), IsEmpty());
  EXPECT_THAT(mistakes_in("---\n" + small_case()), IsEmpty());
}

TEST_F(Hostile, BlockTextsOfAnyIndentationGiveAMessageOrACase) {
  for (const char* block :
       {"|\n  A sum\n", "|9\n  A sum\n", ">-\n  A sum\n\n\n", "|+\n\n\n  A\n   sum\n", "|1\n A sum\n",
        "|-\nA sum\n", ">\n\tA sum\n", "|\n      A\n  sum\n", "|0\n  A\n", "|\n"}) {
    const std::string text = small_case("title: A sum\n", std::string("title: ") + block);
    const ReadResult result = read_case(text, "case.yaml", "case");
    EXPECT_NE(result.value.has_value(), !result.diagnostics.empty()) << block;
    if (result.value) {
      EXPECT_FALSE(canonical_text(text, *result.value).empty());
    }
  }
  EXPECT_THAT(
      mistakes_in(small_case("  - y = x.sum()", "  - |\n    y = x.sum()\n  - >-\n   z =\n     x.sum()")),
      IsEmpty());
}

TEST_F(Hostile, ACutOffFileGivesAMessageOrACase) {
  const std::string text = small_case("title: A sum", "title: \"A \\u00e9 sum\"  # 'note");
  for (std::size_t length = 0; length < text.size(); ++length) {
    const std::string part = text.substr(0, length);
    const ReadResult result = read_case(part, "case.yaml", "case");
    EXPECT_NE(result.value.has_value(), !result.diagnostics.empty());
  }
}

TEST_F(Hostile, OneChangedCharacterGivesAMessageOrACase) {
  const std::string text = small_case("title: A sum", "title: \"A \\u00e9 sum\"  # 'note");
  for (std::size_t at = 0; at < text.size(); ++at) {
    for (const char c : std::string("{}[],:&*!|>'\"%@`#-?\\\t\n\r (=~0")) {
      std::string changed = text;
      changed[at] = c;
      const ReadResult result = read_case(changed, "case.yaml", "case");
      EXPECT_NE(result.value.has_value(), !result.diagnostics.empty());
      if (result.value) canonical_text(changed, *result.value);
    }
  }
}

}  // namespace
}  // namespace relapse
