#pragma once

// Which part of the selected cases a process runs, so that several share a run: `2/5`, or what an existing
// scheduler says in the environment. A case is in exactly one shard, with all its devices and modes.

#include <functional>
#include <harness/support/result.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace relapse {

struct Shard {
  int index = 0, count = 0;  ///< from 1; count 0: not divided
  std::string from;          ///< `--shard`, or whose variables said it
};

/// `2/5`.
Result<Shard> parse_shard(const std::string& text);

/// The value of an environment variable; nothing when it is not set.
using Lookup = std::function<std::optional<std::string>(const std::string& name)>;

struct ShardChoice {
  Shard shard;
  std::string status_file;  ///< to be touched: the scheduler wants to see that its protocol is obeyed
  std::string hint;         ///< one line: variables are here that `--shard auto` would obey
};

/// `option` is that of `--shard`: `k/n` wins over the environment; `none` heeds nothing; empty obeys the
/// protocols that mean nothing else (RELAPSE_SHARD_*, Bazel, GoogleTest); `auto` also Slurm's array, and
/// needs one of them. Half-set or contradictory variables are errors.
Result<ShardChoice> choose_shard(const std::string& option, const Lookup& environment);

/// The shard, from 1, of every id. By a hash of the id: adding a case moves no other. With the seconds that
/// cases took: by longest first to the emptiest shard; an id without seconds counts as the median.
std::vector<int> divide(const std::vector<std::string>& ids, int count,
                        const std::map<std::string, double>& seconds = {});

}  // namespace relapse
