#pragma once

// Which part of the selected cases a run is: its shard, what an earlier run left, what was red in it; and in
// which order it goes. What is left out is always said: in the journal, and by a line at the head or the
// tail.

#include <harness/history/times.hpp>
#include <harness/plan/shard.hpp>
#include <harness/schedule/scheduler.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <runners/relapse/load.hpp>
#include <runners/relapse/run_again.hpp>
#include <runners/relapse/run_devices.hpp>
#include <runners/relapse/run_quarantine.hpp>
#include <string>
#include <vector>

namespace relapse {

void add_part_options(CLI::App& app, PartArguments& part);

class RunPart {
 public:
  /// Divides `loaded`: what belongs to other shards, or was not red in the run that `--failed` means, is
  /// taken out.
  static Result<RunPart> choose(const RunArguments& arguments, const std::shared_ptr<EarlierRun>& earlier,
                                Loaded& loaded);

  /// More members of `run_started`.
  void describe(nlohmann::json& started) const;
  /// LibTorch's version that the earlier run had, where it matters; empty: any will do.
  std::string torch_version() const;

  /// Emits `elsewhere` for the cases of other shards. `jobs_of` plans cases as the run plans its own.
  using Planner = std::function<std::vector<Job>(const Loaded&, const EventSink&)>;
  void tell_the_rest(const Planner& jobs_of, const EventSink& emit) const;

  /// Takes the checks out of the jobs that an earlier run has answered and repeats what its journal says of
  /// them, then puts the jobs in order. To be called when all of them are planned.
  void prepare(std::vector<Job>& jobs, ScheduleOptions& options, const EventSink& emit) const;

  /// Keeps the times of this run beside the journals, for the order of the next.
  void keep_times(const RunRecord& run) const;

  /// Nothing of the cases was red in the earlier run, so there is nothing to do again.
  bool nothing_was_red() const { return nothing_was_red_; }

 private:
  void take_out_other_shards(const RunArguments& arguments, Loaded& loaded);
  void take_out_what_was_green(Loaded& loaded);
  void keep_what_lasts(std::vector<Job>& jobs, ScheduleOptions& options, const EventSink& emit) const;
  std::vector<int> shards_of(const Loaded& loaded, const std::vector<std::string>& kinds) const;
  void note_changes(const Loaded& loaded);

  Shard shard_;
  std::string set_, status_file_, journals_;
  Quarantine quarantine_;
  CaseTimes times_;
  bool has_times_file_ = false;
  nlohmann::json given_;
  int repeat_ = 1;
  std::shared_ptr<EarlierRun> resumed_, failed_;
  std::map<std::string, std::string> hashes_;  ///< of the case files that are here now, by id
  Loaded others_;
  std::map<std::string, int> other_shards_;
  std::vector<std::string> notes_;
  std::vector<std::unique_ptr<Selector>> red_;  ///< what `--failed` selects
  bool nothing_was_red_ = false;
};

}  // namespace relapse
