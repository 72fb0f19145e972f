#pragma once

// For GitHub Actions: workflow commands that become annotations, and the job summary in its Markdown. Text
// only: who prints it and where the summary goes is the caller's.

#include <harness/journal/record.hpp>
#include <harness/report/places.hpp>
#include <string>

namespace relapse {

/// GitHub shows ten annotations of a kind for one step and drops the rest without a word.
inline constexpr std::size_t kAnnotations = 10;
/// GitHub refuses a step's summary of more than 1,024 KiB.
inline constexpr std::size_t kSummaryBytes = 1000u << 10;

/// At most ten `::error file=...,line=...,title=...::message` lines, the most important first; when there is
/// more to say, the last says how much and where it stands.
std::string github_annotations(const RunRecord& run, const PathContext& paths);

/// Failures first, then what was skipped and why, then the environment. Never more than `limit` bytes: what
/// does not fit is counted and pointed to. Empty when the limit leaves no room for anything.
std::string github_summary(const RunRecord& run, std::size_t limit = kSummaryBytes);

/// `%`, line ends (and, in properties, `:` and `,`) as workflow commands want them.
std::string escaped_message(std::string_view text);
std::string escaped_property(std::string_view text);

}  // namespace relapse
