#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <harness/case/reader.hpp>
#include <harness/case/substance/lint_rule.hpp>
#include <harness/case/substance/substance.hpp>
#include <harness/support/file.hpp>

#include "findings.hpp"
#include "read_helpers.hpp"

namespace relapse {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing_case::findings_in;
using testing_case::mistakes_in;
using testing_case::small_case;

std::string docs_file() {
  return std::string(RELAPSE_DOCS) + "/lint.md";
}

// The file is written anew with RELAPSE_APPROVE=1 in the environment.
TEST(LintReference, IsMadeOfTheRules) {
  if (std::getenv("RELAPSE_APPROVE") != nullptr) {
    ASSERT_TRUE(write_file_atomically(docs_file(), lint_reference()));
  }
  const Result<std::string> file = read_file(docs_file());
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(*file, lint_reference());
}

TEST(LintRules, HaveIdsThatCanBeWrittenAndExplanations) {
  std::set<std::string_view> ids;
  for (const LintRule* rule : lint_rules()) {
    EXPECT_TRUE(ids.insert(rule->id).second) << rule->id;
    EXPECT_THAT(std::string(rule->id), testing::MatchesRegex("[a-z]+(-[a-z]+)*"));
    EXPECT_TRUE(rule->summary.ends_with(".")) << rule->id;
    EXPECT_THAT(std::string(rule->explanation), testing::EndsWith("\n")) << rule->id;
    EXPECT_GT(rule->explanation.size(), 150u) << rule->id;
  }
}

TEST(Substance, FindsNothingInASmallCase) {
  EXPECT_THAT(findings_in(small_case()), IsEmpty());
}

// ---- silences ----

std::string with_unused_input(const std::string& more = "") {
  return small_case("requires: {x", "requires: {m: {dtype: bool, shape: [N]}, x") + more;
}

TEST(Silences, LeaveOutWhatTheyName) {
  const std::string finding = "8:14 [unused-input] the input \"m\" is made and checked, but nothing uses it";
  EXPECT_THAT(findings_in(with_unused_input()), ElementsAre(finding));
  EXPECT_THAT(findings_in(with_unused_input("lint: {unused-input: it is handed over}\n")), IsEmpty());
  EXPECT_THAT(findings_in(with_unused_input("lint: {unused-input m: it is handed over}\n")), IsEmpty());
  EXPECT_THAT(findings_in(with_unused_input("lint: {unused-input x: it is handed over}\n")),
              ElementsAre(finding,
                          "14:8 [idle-silence] lint: \"unused-input x\" silences nothing: the rule finds "
                          "nothing here"));
}

TEST(Silences, KeepTheReason) {
  const std::string text = with_unused_input("lint: {unused-input m: it is handed over}\n");
  const ReadResult read = read_case(text, "case.yaml", "case");
  const Substance substance = substance_of(*read.value, text);
  ASSERT_EQ(substance.silenced.size(), 1u);
  EXPECT_EQ(substance.silenced[0].reason, "it is handed over");
  EXPECT_EQ(substance.silenced[0].diagnostic.id, "unused-input");
}

TEST(Silences, ThatSilenceNothingAreFound) {
  EXPECT_THAT(
      findings_in(small_case() + "lint: {unused-input: none}\n"),
      ElementsAre(
          "14:8 [idle-silence] lint: \"unused-input\" silences nothing: the rule finds nothing here"));
}

TEST(Silences, OfMutantsAreForProve) {
  const std::string text = small_case() + "lint: {mutant y.off: rounding, mutant y.one off: more of it}\n";
  EXPECT_THAT(findings_in(text), IsEmpty());
  const Case read = *read_case(text, "case.yaml", "case").value;
  ASSERT_EQ(read.silences.size(), 2u);
  EXPECT_EQ(read.silences[1].about, "y.one off");
  ASSERT_NE(find_silence(read, "mutant", "y.off"), nullptr);
  EXPECT_EQ(find_silence(read, "mutant", "y.off")->reason, "rounding");
  EXPECT_EQ(find_silence(read, "mutant", "y.zero"), nullptr);
}

TEST(Silences, AreReadStrictly) {
  EXPECT_THAT(mistakes_in(small_case() + "lint: {unused-inputs: none}\n"),
              ElementsAre("14:8 lint: no rule is called \"unused-inputs\"; did you mean \"unused-input\"? | "
                          "relapse lint --explain lists the rules"));
  EXPECT_THAT(mistakes_in(small_case() + "lint: {unused-input: \"\"}\n"),
              ElementsAre("14:22 lint.unused-input: expected text, got \"\""));
  EXPECT_THAT(mistakes_in(small_case() + "lint: {mutant: none}\n"),
              ElementsAre("14:8 lint: expected \"mutant NAME\", got \"mutant\""));
  EXPECT_THAT(mistakes_in(small_case() + "lint: {}\n"),
              ElementsAre("14:7 lint: expected a rule and the reason to silence it, got a map"));
  EXPECT_THAT(mistakes_in(small_case() + "lint: [unused-input]\n"),
              ElementsAre("14:7 lint: expected a map, got a list"));
}

TEST(Silences, StandBehindThePolicyInCanonicalForm) {
  const std::string text = small_case() + "needs: {gpus: 0}\nlint: {mutant  y: \"why\"}\npolicy: none\n";
  EXPECT_THAT(canonical_text(text, *read_case(text, "case.yaml", "case").value),
              testing::EndsWith("\npolicy: none\n\nlint: {mutant  y: why}\n\nneeds: {gpus: 0}\n"));
}

}  // namespace
}  // namespace relapse
