#pragma once

// What `relapse run` was asked for.

#include <harness/schedule/scheduler.hpp>
#include <nlohmann/json.hpp>
#include <runners/relapse/outputs.hpp>
#include <string>
#include <vector>

namespace relapse {

/// Which part of the cases, and in which relation to earlier runs.
struct PartArguments {
  static constexpr const char* kNewest = "newest";
  std::string shard;           ///< `k/n`, auto, none; empty: what the environment says
  std::string times;           ///< a times file or journals
  std::string resume, failed;  ///< a journal, or `kNewest`; empty: not asked for
  std::string quarantine;      ///< a quarantine file; empty: the usual one, where there is one
  bool bisect = false;         ///< exit codes for `git bisect run`
};

struct RunArguments {
  std::vector<std::string> words, devices, required, modes;
  std::vector<std::string> plugins;    ///< libraries that bring devices
  std::vector<std::string> libraries;  ///< NAME=PATH of operator libraries that cases name
  std::string root, journal = ".relapse/runs", server = "auto", spawn = "fork";
  ScheduleOptions schedule;
  Outputs outputs;
  PartArguments part;
  nlohmann::json given;    ///< the options that were given, for the journal
  bool data_only = false;  ///< case files are strangers'
  bool unfixed = false, quiet = false;
};

}  // namespace relapse
