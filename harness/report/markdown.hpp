#pragma once

// Text into GitHub's Markdown so that nothing in it is markup.

#include <string>
#include <string_view>

namespace relapse {

/// One line of plain text: every character that could start markup is escaped, line ends become blanks.
std::string markdown_text(std::string_view text);

/// A code span of one line; also one with backticks in it, also in a table.
std::string markdown_code(std::string_view text);

/// A code block with a fence that is longer than any run of backticks in the text.
std::string markdown_block(std::string_view text);

/// `[label](<url>)` for http and https, else the label and the text.
std::string markdown_link(std::string_view label, std::string_view url);

}  // namespace relapse
