#include <algorithm>
#include <cmath>
#include <harness/support/text.hpp>

namespace relapse {

namespace {

/// Edit distance with transpositions of neighbours ("optimal string alignment"), over bytes.
int edit_distance(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::vector<int> two_above(width), above(width), row(width);
  for (std::size_t j = 0; j < width; ++j) row[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    two_above.swap(above);
    above.swap(row);
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j < width; ++j) {
      const int change = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, change});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], two_above[j - 2] + 1);
    }
  }
  return row.back();
}

/// Reads the set that starts at `pattern[at] == '['`; leaves `at` behind it. An unclosed set matches a lone
/// `[`.
bool matches_set(std::string_view pattern, std::size_t& at, char c) {
  const std::size_t close = pattern.find(']', at + 2);
  if (close == std::string_view::npos) {
    ++at;
    return c == '[';
  }
  std::size_t i = at + 1;
  const bool negated = pattern[i] == '!' || pattern[i] == '^';
  if (negated) ++i;
  bool found = false;
  for (; i < close; ++i) {
    if (i + 2 < close && pattern[i + 1] == '-') {
      found = found || (pattern[i] <= c && c <= pattern[i + 2]);
      i += 2;
    } else {
      found = found || pattern[i] == c;
    }
  }
  at = close + 1;
  return found != negated;
}

}  // namespace

std::optional<std::string> nearest_name(std::string_view word, const std::vector<std::string>& candidates) {
  // Longer words than these are data, not a mistyped name, and the distance is quadratic.
  constexpr std::size_t kLongestName = 100;
  if (word.empty() || word.size() > kLongestName) return std::nullopt;
  const int bound = std::max(1, static_cast<int>(word.size() / 3));
  const std::string* best = nullptr;
  int best_distance = bound + 1;
  for (const std::string& candidate : candidates) {
    const auto difference = static_cast<int>(candidate.size()) - static_cast<int>(word.size());
    if (difference >= best_distance || -difference >= best_distance) continue;
    const int distance = edit_distance(word, candidate);
    // A replacement of every character is no resemblance: `N` is not near to `C`.
    if (distance >= static_cast<int>(std::max(word.size(), candidate.size()))) continue;
    if (distance < best_distance) {
      best_distance = distance;
      best = &candidate;
    }
  }
  if (best == nullptr) return std::nullopt;
  return *best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  const std::optional<std::string> near = nearest_name(word, candidates);
  return near ? "; did you mean \"" + *near + "\"?" : "";
}

std::string join_or(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

std::string join(const std::vector<std::string>& words, std::string_view separator) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += separator;
    text += words[i];
  }
  return text;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::size_t from = 0;
  for (std::size_t to = text.find(separator); to != std::string_view::npos; to = text.find(separator, from)) {
    parts.emplace_back(text.substr(from, to - from));
    from = to + 1;
  }
  parts.emplace_back(text.substr(from));
  return parts;
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::string_view last_line(std::string_view text) {
  text = trim(text);
  const std::size_t start = text.rfind('\n');
  return trim(start == std::string_view::npos ? text : text.substr(start + 1));
}

std::string with_thousands(std::int64_t value) {
  std::string digits = std::to_string(value);
  const std::size_t first = digits[0] == '-' ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

std::string bytes_text(std::uint64_t bytes) {
  static constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t unit = 0;
  std::uint64_t scale = 1;
  while (unit + 1 < std::size(kUnits) && bytes / scale >= 1024) {
    scale *= 1024;
    ++unit;
  }
  // One decimal, rounded; a whole number stays whole.
  const double exact = static_cast<double>(bytes) / static_cast<double>(scale);
  const auto rounded = static_cast<std::uint64_t>(std::llround(exact * 10));
  const std::uint64_t whole = scale == 1 ? bytes : rounded / 10;
  const std::uint64_t tenths = scale == 1 ? 0 : rounded % 10;
  std::string text = std::to_string(whole);
  if (tenths != 0) text += "." + std::to_string(tenths);
  return text + " " + kUnits[unit];
}

bool glob_match(std::string_view pattern, std::string_view text) {
  // Greedy with one point of return: linear in practice, quadratic at worst, never exponential.
  std::size_t p = 0, t = 0, star = std::string_view::npos, star_text = 0;
  while (t < text.size()) {
    std::size_t next = p;
    bool matched = false;
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_text = t;
      continue;
    }
    if (p < pattern.size()) {
      if (pattern[p] == '[') {
        matched = matches_set(pattern, next, text[t]);
      } else {
        matched = pattern[p] == '?' || pattern[p] == text[t];
        ++next;
      }
    }
    if (matched) {
      p = next;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++star_text;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace relapse
