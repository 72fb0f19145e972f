#include <gtest/gtest.h>

#include <harness/support/diagnostic.hpp>

namespace relapse {
namespace {

Diagnostic at(std::string line, int column, int length) {
  Diagnostic diagnostic;
  diagnostic.file = "cases/a.yaml";
  diagnostic.pos = {14, column};
  diagnostic.length = length;
  diagnostic.message = "no";
  diagnostic.source_line = std::move(line);
  return diagnostic;
}

TEST(FormatDiagnostic, UnderlinesAndHints) {
  Diagnostic diagnostic = at("  target: {max: C -}", 17, 3);
  diagnostic.hint = "something must follow the minus";
  EXPECT_EQ(format(diagnostic),
            "cases/a.yaml:14:17: error: no\n"
            "  target: {max: C -}\n"
            "                ^~~ something must follow the minus");
}

TEST(FormatDiagnostic, CountsCodePoints) {
  EXPECT_EQ(format(at("\xC3\xA9\xC3\xA9 x", 4, 1)), "cases/a.yaml:14:4: error: no\n\xC3\xA9\xC3\xA9 x\n   ^");
}

TEST(FormatDiagnostic, KeepsTheCaretUnderItsCharacterBehindATab) {
  EXPECT_EQ(format(at("\tx", 2, 1)), "cases/a.yaml:14:2: error: no\n x\n ^");
}

TEST(FormatDiagnostic, PointsBehindTheLineWhereSomethingIsMissing) {
  EXPECT_EQ(format(at("ab", 9, 5)), "cases/a.yaml:14:9: error: no\nab\n  ^");
}

TEST(FormatDiagnostic, LeavesOutALineThatIsTooLongToRead) {
  Diagnostic diagnostic = at(std::string(1000, 'x'), 900, 1);
  diagnostic.hint = "why";
  EXPECT_EQ(format(diagnostic), "cases/a.yaml:14:900: error: no\n  why");
}

TEST(FormatDiagnostic, NamesAWarning) {
  Diagnostic diagnostic = at("", 1, 1);
  diagnostic.severity = Severity::warning;
  diagnostic.id = "weak-batch";
  EXPECT_EQ(format(diagnostic), "cases/a.yaml:14:1: warning: no   [weak-batch]");
  EXPECT_FALSE(has_errors({diagnostic}));
}

TEST(FormatDiagnostic, NeedsNoPosition) {
  Diagnostic diagnostic = at("", 1, 1);
  diagnostic.pos = {};
  EXPECT_EQ(format(diagnostic), "cases/a.yaml: error: no");
  EXPECT_TRUE(has_errors({diagnostic}));
}

}  // namespace
}  // namespace relapse
