#pragma once

// Messages about a place in a file, and how they are printed. Does not read files.

#include <string>
#include <vector>

namespace relapse {

/// A place in a text file. Both count from 1; columns count code points. {0, 0} means "nowhere in
/// particular".
struct SourcePos {
  int line = 0;
  int column = 0;
  friend bool operator==(const SourcePos&, const SourcePos&) = default;
  friend auto operator<=>(const SourcePos&, const SourcePos&) = default;
};

enum class Severity { error, warning };

struct Diagnostic {
  Severity severity = Severity::error;
  std::string file;
  SourcePos pos;
  int length = 1;           ///< code points to underline, from `pos`
  std::string message;      ///< what was expected, what was seen; one line
  std::string hint;         ///< printed after the underline; may be empty
  std::string source_line;  ///< the whole line, without its end; empty: nothing is underlined
  std::string id;  ///< stable name of a warning ("weak-batch"), printed in brackets; empty for errors
};

/// `file:line:column: error: message`, the source line, and a caret with tildes under `length` code points.
std::string format(const Diagnostic& diagnostic);

/// True when at least one is an error.
bool has_errors(const std::vector<Diagnostic>& diagnostics);

}  // namespace relapse
