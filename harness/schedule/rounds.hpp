#pragma once

// The verdicts of one check over the rounds of --repeat.

#include <harness/verdict/judge.hpp>
#include <map>
#include <string>

namespace relapse {

class Rounds {
 public:
  explicit Rounds(int count) : count_(count) {}

  /// Takes the verdict of one round (a later one of the same round replaces it) and gives that of all so far:
  /// equal ones stay, different ones make the check unstable. A round that was not run takes no red away, and
  /// no green is left without all rounds.
  Verdict join(const std::string& key, int round, const Check& check, Verdict verdict);

 private:
  int count_;
  std::map<std::string, std::map<int, Verdict>> verdicts_;
};

}  // namespace relapse
