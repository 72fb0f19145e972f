#include <fmt/format.h>

#include <algorithm>
#include <harness/support/diagnostic.hpp>
#include <harness/support/text.hpp>

namespace relapse {

std::string format(const Diagnostic& diagnostic) {
  std::string text = diagnostic.file;
  if (diagnostic.pos.line > 0) text += fmt::format(":{}:{}", diagnostic.pos.line, diagnostic.pos.column);
  if (!text.empty()) text += ": ";
  text += diagnostic.severity == Severity::error ? "error: " : "warning: ";
  text += diagnostic.message;
  if (!diagnostic.id.empty()) text += "   [" + diagnostic.id + "]";
  if (diagnostic.source_line.empty() || diagnostic.pos.column < 1) {
    if (!diagnostic.hint.empty()) text += "\n  " + diagnostic.hint;
    return text;
  }

  // Tabs become one blank each, so that the caret stands under its character in every terminal.
  constexpr int kLongestLine = 240;
  std::string line = to_valid_utf8(diagnostic.source_line);
  std::replace(line.begin(), line.end(), '\t', ' ');
  const int width = count_code_points(line);
  const int column = std::min(diagnostic.pos.column, width + 1);
  if (width > kLongestLine) {
    // A table of numbers on one line: the message and the column say enough.
    if (!diagnostic.hint.empty()) text += "\n  " + diagnostic.hint;
    return text;
  }
  const int length = std::max(1, std::min(diagnostic.length, width - column + 1));
  text += "\n" + line + "\n" + std::string(static_cast<std::size_t>(column - 1), ' ') + "^" +
          std::string(static_cast<std::size_t>(length - 1), '~');
  if (!diagnostic.hint.empty()) text += " " + diagnostic.hint;
  return text;
}

bool has_errors(const std::vector<Diagnostic>& diagnostics) {
  return std::any_of(diagnostics.begin(), diagnostics.end(),
                     [](const Diagnostic& d) { return d.severity == Severity::error; });
}

}  // namespace relapse
