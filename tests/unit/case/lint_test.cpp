#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <harness/case/discover.hpp>
#include <harness/case/lint.hpp>
#include <harness/case/reader.hpp>
#include <harness/support/file.hpp>
#include <random>

#include "case_dump.hpp"
#include "read_helpers.hpp"

namespace relapse {
namespace {

using testing_case::dump;
using testing_case::small_case;

Case read(const std::string& text) {
  ReadResult result = read_case(text, "case.yaml", "case");
  for (const Diagnostic& diagnostic : result.diagnostics) ADD_FAILURE() << format(diagnostic) << "\n" << text;
  return result.value.value_or(Case{});
}

std::string canonical(const std::string& text) {
  return canonical_text(text, read(text));
}

std::vector<std::string> samples() {
  std::vector<std::string> texts;
  const auto files = discover_cases(std::string(RELAPSE_TEST_DATA) + "/format");
  for (const CaseFile& file : files.value()) texts.push_back(read_file(file.path).value());
  return texts;
}

/// The top-level entries in another order, blank lines between them, and more blanks within flow collections.
std::string scrambled(const std::string& text, unsigned seed) {
  std::vector<std::string> entries;
  for (const std::string& line : split(text, '\n')) {
    const bool starts = !line.empty() && line[0] != ' ' && line[0] != '#';
    if (starts || entries.empty()) entries.emplace_back();
    entries.back() += line + (seed % 2 == 0 ? "  " : "") + "\n";
  }
  std::mt19937 random(seed);
  for (std::size_t i = entries.size() - 1; i > 0; --i) std::swap(entries[i], entries[random() % (i + 1)]);
  std::string all;
  for (const std::string& entry : entries) all += entry + "\n\n";
  for (std::size_t at = all.find(", "); at != std::string::npos; at = all.find(", ", at + 4)) {
    // Within quotes the blanks would be text.
    const std::size_t line = all.rfind('\n', at) + 1;
    const bool plain = all.substr(line, at - line).find_first_of("\"'") == std::string::npos;
    if (plain && all[line] == ' ' && all.substr(line, at - line).find('{') != std::string::npos)
      all.insert(at, "  ");
  }
  return all;
}

TEST(CanonicalText, MeansTheSame) {
  for (const std::string& text : samples()) EXPECT_EQ(dump(read(canonical(text))), dump(read(text)));
}

TEST(CanonicalText, IsIdempotent) {
  for (const std::string& text : samples()) EXPECT_EQ(canonical(canonical(text)), canonical(text));
}

TEST(CanonicalText, IsTheSameForAScrambledFile) {
  for (const std::string& text : samples()) {
    for (unsigned seed = 1; seed <= 4; ++seed) {
      const std::string other = scrambled(text, seed);
      EXPECT_EQ(canonical(other), canonical(text));
      EXPECT_EQ(dump(read(canonical(other))), dump(read(text)));
    }
  }
}

TEST(CanonicalText, OrdersTheKeysAndSeparatesTheGroups) {
  const std::string text =
      "batches:\n"
      "- {N: 8}\n"
      "- {seed: 2,   N: 16}\n"
      "failing: {inputs: {x: zeros}, expect: 'returns'}\n"
      "contract:\n"
      "    requires: {x: {dtype: float32, shape: [ N ], finite: true}}\n"
      "    ensures: {y: {shape: [], same_as: \"sum( x )\"}}\n"
      "subject: [y = x.sum( )]\n"
      "dims: {N: 4}\n"
      "run: {threads: 1}\n"
      "needs: {memory: 1GiB}\n"
      "incident: {cause: \"none known\", fix: none known}\n"
      "title: \"A sum\"\n"
      "relapse: 1\n";
  EXPECT_EQ(canonical(text),
            "relapse: 1\n"
            "title: A sum\n"
            "incident: {cause: none known, fix: none known}\n"
            "dims: {N: 4}\n"
            "\n"
            "subject: [y = x.sum()]\n"
            "\n"
            "contract:\n"
            "  requires: {x: {dtype: float32, shape: [N], finite: true}}\n"
            "  ensures: {y: {shape: [], same_as: sum(x)}}\n"
            "\n"
            "failing: {inputs: {x: zeros}, expect: returns}\n"
            "\n"
            "batches:\n"
            "  - {N: 8}\n"
            "  - {seed: 2, N: 16}\n"
            "\n"
            "needs: {memory: 1GiB}\n"
            "run: {threads: 1}\n");
}

TEST(CanonicalText, KeepsCommentsBesideWhatTheyAreAbout) {
  std::string text = "# The head of the file.\n\n" + small_case();
  text.replace(text.find("dims:"), 5, "# about the dims\ndims:");
  text.replace(text.find("{N: 8}"), 6, "{N: 8}   # small");
  text.replace(text.find("  - y = x.sum()"), 15,
               "  # before the step\n  - y = x.sum( )  # the step\n  # after it");
  const std::string now = canonical(text);
  EXPECT_THAT(now, testing::StartsWith("# The head of the file.\n\nrelapse: 1\n"));
  EXPECT_THAT(now, testing::HasSubstr("\n# about the dims\ndims: {N: 4}\n"));
  EXPECT_THAT(
      now, testing::HasSubstr("subject:\n  # before the step\n  - y = x.sum()   # the step\n  # after it\n"));
  EXPECT_THAT(now, testing::HasSubstr("  - {N: 8}   # small\n"));
  EXPECT_EQ(canonical(now), now);
}

TEST(CanonicalText, LeavesAPartWhoseCommentsWouldBeLost) {
  const std::string subject = "subject: [  # one step\n    y = x.sum( )\n  ]\n";
  const std::string text = small_case("subject:\n  - y = x.sum()\n", subject);
  EXPECT_THAT(canonical(text), testing::HasSubstr(subject));
}

TEST(CanonicalText, LeavesTextsThatSpanLines) {
  const std::string title = "title: >-\n  A sum\n  of things\n";
  EXPECT_THAT(canonical(small_case("title: A sum\n", title)), testing::HasSubstr(title));
}

TEST(CanonicalText, BreaksWhatIsTooLong) {
  std::string values = "[0";
  for (int i = 1; i < 60; ++i) values += ", " + std::to_string(i);
  values += "]";
  std::string text = small_case("x: zeros", "x: " + values);
  text.replace(text.find("{N: 4}"), 6, "{N: 60}");
  const std::string now = canonical(text);
  for (const std::string& line : split(now, '\n')) EXPECT_LE(line.size(), 110u);
  EXPECT_EQ(dump(read(now)), dump(read(text)));
  EXPECT_EQ(canonical(now), now);
}

std::string with_batch(const std::string& batch) {
  std::string text = small_case("  - {N: 8}\n", batch);
  text.replace(text.find("requires: {x"), 12, "requires: {a: {dtype: int64}, b: {dtype: int64}, x");
  text.replace(text.find("inputs: {x"), 10, "inputs: {a: ones, b: ones, x");
  text.replace(text.find("seed: 2"), 7, "seed: 2, inputs: {a: ones, b: ones}");
  return text;
}

TEST(CanonicalText, KeepsTheDimsOfALongBatchTogether) {
  const std::string batch =
      "  - {N: 8, seed: 7,\n"
      "     inputs: {a: {random: integers, low: -2147483648, high: 2147483647},\n"
      "              b: {random: integers, low: -2147483648, high: 2147483647}},\n"
      "     name: the whole range}\n";
  const std::string long_line =
      "  - {N: 8, seed: 7, inputs: {a: {random: integers, low: -2147483648, high: 2147483647}, b: {random: "
      "integers, "
      "low: -2147483648, high: 2147483647}}, name: the whole range}\n";
  const std::string block =
      "  - N: 8\n"
      "    seed: 7\n"
      "    inputs:\n"
      "      a: {random: integers, low: -2147483648, high: 2147483647}\n"
      "      b: {random: integers, low: -2147483648, high: 2147483647}\n"
      "    name: the whole range\n";
  for (const std::string& written : {batch, long_line, block}) {
    const std::string text = with_batch(written);
    EXPECT_THAT(canonical(text), testing::HasSubstr("batches:\n" + batch + "  - {N: 16"));
    EXPECT_EQ(canonical(canonical(text)), canonical(text));
    EXPECT_EQ(dump(read(canonical(text))), dump(read(text)));
  }
}

TEST(CanonicalText, WritesABatchOnOneLineWhereItFits) {
  const std::string text = with_batch("  - N: 8   # small\n    inputs: {a: ones, b: ones}   # both\n");
  EXPECT_THAT(canonical(text),
              testing::HasSubstr("  - N: 8   # small\n    inputs: {a: ones, b: ones}   # both\n"));
  EXPECT_THAT(canonical(with_batch("  - N: 8\n    inputs: {a: ones, b: ones}   # both\n")),
              testing::HasSubstr("  - {N: 8, inputs: {a: ones, b: ones}}  # both\n"));
}

TEST(CanonicalText, WritesABatchWithALongTextAsABlock) {
  std::string same = "x.sum()";
  for (int i = 0; i < 12; ++i) same += " + x.sum()";
  const std::string text =
      with_batch("  - {N: 8, inputs: {a: ones, b: ones}, ensures: {y: {same_as: " + same + "}}}\n");
  EXPECT_THAT(canonical(text),
              testing::HasSubstr("  - N: 8\n    inputs: {a: ones, b: ones}\n    ensures:\n"));
  EXPECT_EQ(canonical(canonical(text)), canonical(text));
}

TEST(CanonicalText, KeepsQuotesThatMeanSomethingToOtherReaders) {
  const std::string text =
      small_case("fix: none known}", "fix: none known, versions: {cuda: \"11.7\", torch: '2.0.1 nightly'}}");
  EXPECT_THAT(canonical(text), testing::HasSubstr("versions: {cuda: \"11.7\", torch: 2.0.1 nightly}"));
}

}  // namespace
}  // namespace relapse
