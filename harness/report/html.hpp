#pragma once

// One self-contained HTML page: data, style and script in one file, nothing loaded from anywhere. The parts
// that a browser reads are files of their own in page/, embedded when relapse is built.

#include <harness/journal/record.hpp>
#include <string>
#include <string_view>

namespace relapse {

std::string html_report(const RunRecord& run);

/// The JSON of the page for a script tag: `<`, `>` and `&` are escaped, so nothing in any text can end the
/// tag.
std::string page_data(const RunRecord& run);

/// The parts as they lie in page/; made by page/embed.cmake.
extern const std::string_view kPageHtml, kPageCss, kPageJs;

}  // namespace relapse
