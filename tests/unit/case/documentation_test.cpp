#include <gtest/gtest.h>

#include <harness/case/lint.hpp>
#include <harness/case/reader.hpp>
#include <harness/support/file.hpp>
#include <harness/support/text.hpp>

namespace relapse {
namespace {

/// The YAML of the reference's code blocks that are whole cases.
std::vector<std::string> whole_cases() {
  const std::string text = read_file(std::string(RELAPSE_DOCS) + "/case-format.md").value();
  std::vector<std::string> cases;
  const std::string open = "```yaml\n";
  for (std::size_t at = text.find(open); at != std::string::npos; at = text.find(open, at + 1)) {
    const std::size_t from = at + open.size();
    const std::string block = text.substr(from, text.find("```", from) - from);
    if (block.starts_with("relapse: 1")) cases.push_back(block);
  }
  return cases;
}

TEST(Documentation, ShowsCasesThatAreRight) {
  ASSERT_FALSE(whole_cases().empty());
  for (const std::string& text : whole_cases()) {
    for (const Diagnostic& diagnostic : read_case(text, "docs/case-format.md", "x").diagnostics) {
      ADD_FAILURE() << format(diagnostic);
    }
  }
}

TEST(Documentation, ShowsCasesInCanonicalForm) {
  for (const std::string& text : whole_cases())
    EXPECT_EQ(canonical_text(text, *read_case(text, "x", "x").value), text);
}

TEST(Documentation, NamesEveryClauseFaultAndError) {
  const std::string text = read_file(std::string(RELAPSE_DOCS) + "/case-format.md").value();
  std::vector<std::string> words = clause_names();
  for (int i = 0; i <= static_cast<int>(FaultKind::hang); ++i)
    words.emplace_back(to_string(static_cast<FaultKind>(i)));
  for (int i = 0; i <= static_cast<int>(ErrorClass::any); ++i)
    words.emplace_back(to_string(static_cast<ErrorClass>(i)));
  for (const std::string& word : words) EXPECT_NE(text.find("`" + word), std::string::npos) << word;
}

}  // namespace
}  // namespace relapse
