#pragma once

// Where along an ordered list of versions a symptom changes. Asks about as few of them as it can, and guesses
// nothing: a version that gives no verdict, or another symptom, stands for neither side.

#include <cstddef>
#include <functional>
#include <harness/journal/record.hpp>
#include <map>
#include <string>

namespace relapse {

/// What a version shows of a check: the signature of its verdict, or why nothing can be told.
struct Shown {
  std::string signature;  ///< `held`, `broken loss.same_as`; empty: cannot tell
  std::string why;
};

/// Of the check's verdict in a run: red and held are symptoms; what is about the machine or the case, and
/// what differs from repeat to repeat, is none.
Shown shown_by(const RunRecord& run, const std::string& check_id);

struct Bisected {
  enum class Kind { changes, same, cannot_tell } kind = Kind::cannot_tell;
  std::size_t before = 0, after = 0;  ///< the nearest versions around the change
  std::string first, last;            ///< their symptoms
  /// What lies between them and why it tells nothing; of `cannot_tell` also the ends.
  std::map<std::size_t, std::string> untold;
};

/// `ask` gives what a version, from 0 on, shows; it is asked at most once for each.
Bisected bisect(std::size_t versions, const std::function<Shown(std::size_t)>& ask);

}  // namespace relapse
