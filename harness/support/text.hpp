#pragma once

// Small work on text: nearest names, quoting, lists, UTF-8. Knows nothing of the product.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace relapse {

/// The candidate nearest to `word` by edit distance (with transpositions), or nothing when none is near
/// (more than a third of the word's length, at least 1, must stay).
std::optional<std::string> nearest_name(std::string_view word, const std::vector<std::string>& candidates);

/// `; did you mean "symptom"?` or an empty string.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

/// `a, b or c`.
std::string join_or(const std::vector<std::string>& words);
std::string join(const std::vector<std::string>& words, std::string_view separator);
std::vector<std::string> split(std::string_view text, char separator);
std::string_view trim(std::string_view text);
/// The last line that is not blank, trimmed; empty when there is none.
std::string_view last_line(std::string_view text);

/// Number of code points; a byte that is not UTF-8 counts as one.
int count_code_points(std::string_view text);

/// Valid UTF-8 of the same text: bytes that are not UTF-8 become U+FFFD. For protocol lines and reports.
std::string to_valid_utf8(std::string_view bytes);

/// Text in double quotes with \n, \t, \", \\ and control characters escaped, at most `limit` code points.
std::string quoted(std::string_view text, int limit = 200);

/// `1,127`: digits in groups of three.
std::string with_thousands(std::int64_t value);

/// Bytes as `4 GiB`, `6.5 MiB`, `12 B`.
std::string bytes_text(std::uint64_t bytes);

/// Shell-like pattern: `*` any run (also `/`), `?` one character, `[abc]` one of. The whole text must match.
bool glob_match(std::string_view pattern, std::string_view text);

/// FNV-1a, 64 bit: of names in the generator, of results in digests.
std::uint64_t fnv1a64(std::string_view bytes, std::uint64_t start = 14695981039346656037ull);

/// Lower-case hexadecimal SHA-256 of the bytes.
std::string sha256_hex(std::string_view bytes);

}  // namespace relapse
