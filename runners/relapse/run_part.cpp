#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <harness/history/resume.hpp>
#include <harness/journal/journal.hpp>
#include <harness/plan/plan.hpp>
#include <harness/schedule/order.hpp>
#include <harness/support/file.hpp>
#include <harness/support/text.hpp>
#include <runners/relapse/run_part.hpp>
#include <set>

namespace relapse {
namespace {

using Json = nlohmann::json;

constexpr const char* kTimesFile = "/times.json";

std::optional<std::string> environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value ? std::optional<std::string>(value) : std::nullopt;
}

std::vector<std::string> kinds_of(const RunArguments& arguments) {
  std::vector<std::string> kinds;
  for (const std::string& device : arguments.devices) kinds.push_back(device.substr(0, device.find(':')));
  if (kinds.empty()) kinds = {"cpu", "cuda"};
  return kinds;
}

}  // namespace

void add_part_options(CLI::App& app, PartArguments& part) {
  app.add_option(
      "--shard", part.shard,
      "run only this part of the cases: k/n, auto (what a scheduler says), none (heed no scheduler)");
  app.add_option("--times", part.times,
                 "fill the shards by these times: a times file, a journal, or a folder of them");
  app.add_option(
      "--quarantine", part.quarantine,
      "file of cases that are known to be red for a while (default: quarantine.yaml beside the cases folder; "
      "none: heed none)");
  app.add_flag("--bisect", part.bisect, "exit codes for `git bisect run`: 0 held, 1 red, 125 cannot tell");
  CLI::Option* resume = app.add_flag("--resume{newest}", part.resume,
                                     "finish an interrupted run, by default the newest: [JOURNAL]");
  app.add_flag("--failed{newest}", part.failed, "run what was red in the last run again: [JOURNAL]")
      ->excludes(resume);
}

Result<RunPart> RunPart::choose(const RunArguments& arguments, const std::shared_ptr<EarlierRun>& earlier,
                                Loaded& loaded) {
  RunPart part;
  part.given_ = arguments.given;
  part.repeat_ = arguments.schedule.repeat;
  part.journals_ = arguments.journal;
  for (const LoadedCase& one : loaded.cases) part.hashes_[one.id] = one.hash;
  if (earlier && !arguments.part.resume.empty()) part.resumed_ = earlier;
  if (earlier && !arguments.part.failed.empty()) part.failed_ = earlier;
  if (part.resumed_ && part.resumed_->run.shard.count > 0) {
    const ShardRecord& shard = part.resumed_->run.shard;
    part.shard_ = {shard.index, shard.count, shard.from};
  } else if (!part.resumed_) {
    Result<ShardChoice> choice = choose_shard(arguments.part.shard, environment);
    if (!choice) return tl::make_unexpected(choice.error());
    part.shard_ = choice->shard;
    part.status_file_ = choice->status_file;
    if (!choice->hint.empty()) part.notes_.push_back(choice->hint);
  }
  if (!arguments.part.times.empty()) {
    Result<CaseTimes> times = read_times(arguments.part.times);
    if (!times) return tl::make_unexpected(times.error());
    part.times_ = std::move(*times);
    part.has_times_file_ = true;
  }
  Result<Quarantine> quarantine = load_quarantine(arguments.part.quarantine, loaded.root);
  if (!quarantine) return tl::make_unexpected(quarantine.error());
  part.quarantine_ = std::move(*quarantine);
  for (const QuarantineEntry& entry : part.quarantine_.entries) {
    const bool meant = std::any_of(loaded.cases.begin(), loaded.cases.end(),
                                   [&](const LoadedCase& one) { return means(entry, one.id, "", ""); });
    if (!meant && arguments.words.empty()) {
      part.notes_.push_back(
          fmt::format("{}:{}: {} names no case", part.quarantine_.file, entry.pos.line, entry.kase));
    }
  }
  if (!part.status_file_.empty()) {
    // An empty file is all that is asked for.
    if (!std::ofstream(part.status_file_, std::ios::app)) {
      return fail(ErrorKind::infrastructure,
                  fmt::format("cannot write {}, by which the scheduler wants to see that shards are obeyed",
                              part.status_file_));
    }
  }
  if (part.shard_.count > 0) part.take_out_other_shards(arguments, loaded);
  if (part.resumed_) part.note_changes(loaded);
  if (part.failed_) part.take_out_what_was_green(loaded);
  if (!part.has_times_file_) {
    const std::string path = part.journals_ + kTimesFile;
    std::error_code error;
    if (std::filesystem::exists(path, error)) {
      Result<CaseTimes> times = read_times(path);
      if (times) {
        part.times_ = std::move(*times);
      } else {
        part.notes_.push_back("the order of the cases is not by their times: " + times.error().message);
      }
    }
  }
  return part;
}

/// In a resumed run every case stays where it was; what is new since then goes by its hash.
std::vector<int> RunPart::shards_of(const Loaded& loaded, const std::vector<std::string>& kinds) const {
  std::vector<std::string> ids;
  for (const LoadedCase& one : loaded.cases) ids.push_back(one.id);
  std::vector<int> shards =
      divide(ids, shard_.count, has_times_file_ ? by_case(times_, kinds) : std::map<std::string, double>{});
  if (!resumed_) return shards;
  std::map<std::string, int> known;
  for (const CaseRecord& kase : resumed_->run.cases) known[kase.id] = shard_.index;
  for (const BrokenFile& file : resumed_->run.broken_files) known[file.id] = shard_.index;
  for (const ElsewhereRecord& one : resumed_->run.elsewhere) known[one.kase] = one.shard;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto found = known.find(ids[i]);
    if (found != known.end()) shards[i] = found->second;
  }
  return shards;
}

void RunPart::take_out_other_shards(const RunArguments& arguments, Loaded& loaded) {
  const std::vector<int> shards = shards_of(loaded, kinds_of(arguments));
  std::string set = fmt::format("{}\n{}\n{}\n{}\n", shard_.count, join(arguments.words, " "),
                                arguments.unfixed, arguments.schedule.repeat);
  std::vector<LoadedCase> mine;
  others_.root = loaded.root;
  for (std::size_t i = 0; i < loaded.cases.size(); ++i) {
    LoadedCase& one = loaded.cases[i];
    set += fmt::format("{} {} {}\n", one.id, one.hash, shards[i]);
    if (shards[i] != shard_.index) other_shards_[one.id] = shards[i];
    (shards[i] == shard_.index ? mine : others_.cases).push_back(std::move(one));
  }
  set_ = sha256_hex(set);
  loaded.cases = std::move(mine);
}

void RunPart::note_changes(const Loaded& loaded) {
  std::set<std::string> here, before;
  std::map<std::string, std::string> old;
  for (const CaseRecord& kase : resumed_->run.cases) {
    before.insert(kase.id);
    old[kase.id] = kase.hash;
  }
  for (const BrokenFile& file : resumed_->run.broken_files) before.insert(file.id);
  for (const LoadedCase& one : loaded.cases) {
    here.insert(one.id);
    if (before.count(one.id) == 0) {
      notes_.push_back(fmt::format("{} is new since the run that is resumed", one.path));
    } else if (old.count(one.id) > 0 && old[one.id] != one.hash) {
      notes_.push_back(fmt::format("{} changed since the run that is resumed: it is run anew", one.path));
    }
  }
  for (const std::string& id : before) {
    if (here.count(id) == 0) notes_.push_back(fmt::format("{} is gone since the run that is resumed", id));
  }
}

void RunPart::take_out_what_was_green(Loaded& loaded) {
  std::map<std::string, std::vector<const Selector*>> wanted;
  std::set<std::string> broken;
  int left = 0;
  for (const CheckRecord& check : failed_->run.checks) {
    if (check.verdict.kind == VerdictKind::not_run) ++left;
    if (!is_red(check.verdict.kind) && check.verdict.kind != VerdictKind::quarantined) continue;
    auto selector = std::make_unique<Selector>();
    selector->kase = check.kase;
    selector->device = check.device;
    selector->check = check.name;
    selector->word = check_id(check.kase, check.device, check.name);
    wanted[check.kase].push_back(selector.get());
    red_.push_back(std::move(selector));
  }
  for (const BrokenFile& file : failed_->run.broken_files) broken.insert(file.id);
  std::vector<LoadedCase> kept;
  for (LoadedCase& one : loaded.cases) {
    const auto found = wanted.find(one.id);
    if (found == wanted.end() && broken.count(one.id) == 0) continue;
    if (found != wanted.end()) one.selectors = found->second;
    kept.push_back(std::move(one));
  }
  loaded.cases = std::move(kept);
  nothing_was_red_ = red_.empty() && broken.empty();
  notes_.push_back(fmt::format("only what was red in {}: {} checks, {} broken files", failed_->run.journal,
                               red_.size(), broken.size()));
  if (left > 0) {
    notes_.push_back(fmt::format("{} checks of that run were not run in it: --resume {} would finish it",
                                 left, failed_->run.journal));
  }
}

void RunPart::describe(Json& started) const {
  started["id"] = new_run_id();
  started["options"] = given_;
  started["repeat"] = repeat_;
  if (shard_.count > 0) {
    started["shard"] = {{"index", shard_.index}, {"count", shard_.count}, {"from", shard_.from}};
    started["set"] = set_;
  }
  if (!resumed_) return;
  started["resumes"] = resumed_->run.resumes;
  started["resumes"].push_back(resumed_->run.id);
}

std::string RunPart::torch_version() const {
  return resumed_ ? resumed_->run.torch_version : "";
}

void RunPart::tell_the_rest(const Planner& jobs_of, const EventSink& emit) const {
  for (const std::string& note : notes_) emit({{"event", "note"}, {"text", note}});
  if (shard_.count == 0) return;
  const auto tell = [&](const Json& event) {
    const std::string name = event.value("event", "");
    if (name != "planned" && name != "case_broken") return;
    Json names = Json::array();
    for (const Json& check : event.value("checks", Json::array())) names.push_back(check["name"]);
    emit({{"event", "elsewhere"},
          {"case", event["case"]},
          {"file", event["file"]},
          {"device", event.value("device", "")},
          {"mode", event.value("mode", "")},
          {"shard", other_shards_.at(event["case"].get<std::string>())},
          {"checks", std::move(names)}});
  };
  jobs_of(others_, tell);
}

void RunPart::keep_what_lasts(std::vector<Job>& jobs, ScheduleOptions& options, const EventSink& emit) const {
  std::map<std::string, std::string> old;
  for (const CaseRecord& kase : resumed_->run.cases) old[kase.id] = kase.hash;
  const Lasting lasting = what_lasts(resumed_->events, [&](const std::string& id) {
    const auto was = old.find(id);
    const auto is = hashes_.find(id);
    return was != old.end() && is != hashes_.end() && !was->second.empty() && was->second == is->second;
  });
  std::size_t kept = 0, left = 0;
  std::vector<Job> rest;
  for (Job& job : jobs) {
    const JobKey key{job.kase->id, job.device, job.mode};
    const std::size_t before = job.checks.size();
    job.checks.erase(
        std::remove_if(job.checks.begin(), job.checks.end(),
                       [&](const Check& check) {
                         return lasting.checks.count(std::tuple_cat(key, std::tuple(check.name))) > 0;
                       }),
        job.checks.end());
    kept += before - job.checks.size();
    left += job.checks.size();
    const auto time_outs = lasting.time_outs.find(key);
    if (time_outs != lasting.time_outs.end()) job.time_outs = time_outs->second;
    if (!job.checks.empty()) rest.push_back(std::move(job));
  }
  jobs = std::move(rest);
  options.first_attempt = lasting.attempts + 1;
  emit({{"event", "note"},
        {"text", fmt::format("resumes {}: {} checks keep their verdicts, {} are left", resumed_->run.journal,
                             kept, left)}});
  for (const Json& event : lasting.events) emit(event);
}

void RunPart::prepare(std::vector<Job>& jobs, ScheduleOptions& options, const EventSink& emit) const {
  put_in_quarantine(jobs, quarantine_, utc_now().substr(0, 10), emit);
  if (resumed_) keep_what_lasts(jobs, options, emit);
  const JobOrder order = order_for(jobs, times_, options);
  put_in_order(jobs, times_, order);
  if (order == JobOrder::quickest_first) {
    emit({{"event", "note"},
          {"text",
           "by the times of earlier runs the deadline is too short for all: the quickest cases came first"}});
  }
}

void RunPart::keep_times(const RunRecord& run) const {
  // One case has no order, and ctest runs thousands of such in parallel.
  if (run.cases.size() < 2) return;
  CaseTimes times = times_;
  for (const auto& [key, seconds] : times_of(run)) times[key] = seconds;
  // What cannot be kept costs an order, no verdict.
  (void)write_file_atomically(journals_ + kTimesFile, times_json(times));
}

}  // namespace relapse
