#include <fmt/format.h>

#include <algorithm>
#include <harness/history/merge.hpp>
#include <harness/support/text.hpp>
#include <map>
#include <set>
#include <tuple>

namespace relapse {
namespace {

using Key = std::tuple<std::string, std::string, std::string>;  // case, device, mode

Key key_of(const CaseRecord& kase) {
  return {kase.id, kase.device, kase.mode};
}

std::string shard_text(const ShardRecord& shard) {
  return fmt::format("{}/{}", shard.index, shard.count);
}

/// How a part is called in notes: its shard, else its journal.
std::string name_of(const RunRecord& run) {
  return run.shard.count > 0 ? "shard " + shard_text(run.shard) : run.journal;
}

/// A run that was resumed is contained in the run that finished it.
std::vector<RunRecord> without_resumed(std::vector<RunRecord> runs, std::vector<std::string>& notes) {
  std::set<std::string> finished_later;
  for (const RunRecord& run : runs) finished_later.insert(run.resumes.begin(), run.resumes.end());
  std::vector<RunRecord> kept;
  std::set<std::string> ids;
  for (RunRecord& run : runs) {
    if (!run.id.empty() && finished_later.count(run.id) > 0) {
      notes.push_back(fmt::format("{} was resumed: the run that finished it counts", run.journal));
    } else if (!run.id.empty() && !ids.insert(run.id).second) {
      notes.push_back(fmt::format("{} is the same run as one before it", run.journal));
    } else {
      kept.push_back(std::move(run));
    }
  }
  return kept;
}

Result<void> check_that_they_belong_together(const std::vector<RunRecord>& runs) {
  const RunRecord& first = runs.front();
  for (const RunRecord& run : runs) {
    if ((run.shard.count > 0) != (first.shard.count > 0)) {
      const RunRecord& shard = run.shard.count > 0 ? run : first;
      const RunRecord& whole = run.shard.count > 0 ? first : run;
      return fail(ErrorKind::usage, fmt::format("{} is shard {} of a run, but {} is no shard: merge the "
                                                "shards of one run, or runs that are none",
                                                shard.journal, shard_text(shard.shard), whole.journal));
    }
    if (run.shard.count != first.shard.count) {
      return fail(ErrorKind::usage,
                  fmt::format("{} is shard {} and {} is shard {}: they are of different runs", first.journal,
                              shard_text(first.shard), run.journal, shard_text(run.shard)));
    }
    if (run.set != first.set) {
      return fail(ErrorKind::usage,
                  fmt::format("{} and {} are shards of different sets: the cases, their files, the times "
                              "that balanced them or the options of the run differ",
                              first.journal, run.journal));
    }
    if (run.unfixed != first.unfixed) {
      return fail(ErrorKind::usage, fmt::format("one of {} and {} ran the unfixed code, the other did not",
                                                first.journal, run.journal));
    }
  }
  return {};
}

/// Of two verdicts on one check: one that ran before one that did not, red before green.
bool counts_before(const Verdict& a, const Verdict& b) {
  const auto rank = [](VerdictKind kind) {
    if (is_red(kind)) return 0;
    if (kind == VerdictKind::held) return 1;
    if (kind == VerdictKind::left_out) return 2;
    return kind == VerdictKind::not_run ? 3 : 4;
  };
  return rank(a.kind) < rank(b.kind);
}

class Merge {
 public:
  explicit Merge(std::vector<std::string> notes) { out_.notes = std::move(notes); }

  void take(RunRecord&& run) {
    take_head(run);
    const int offset = out_.attempts.empty() ? 0 : out_.attempts.rbegin()->first;
    for (auto& [number, attempt] : run.attempts) {
      attempt.id = number + offset;
      out_.attempts.emplace(attempt.id, std::move(attempt));
    }
    for (CaseRecord& kase : run.cases) {
      const Key key = key_of(kase);
      const auto [place, fresh] = places_.emplace(key, out_.cases.size());
      if (fresh) {
        CaseRecord added = kase;
        added.checks.clear();
        out_.cases.push_back(std::move(added));
      }
      owners_[key].push_back(name_of(run));
      for (const std::size_t index : kase.checks)
        add_check(place->second, std::move(run.checks[index]), offset);
    }
    for (BrokenFile& file : run.broken_files) {
      const bool known = std::any_of(out_.broken_files.begin(), out_.broken_files.end(),
                                     [&](const BrokenFile& one) { return one.file == file.file; });
      if (!known) out_.broken_files.push_back(std::move(file));
    }
    for (ElsewhereRecord& one : run.elsewhere) {
      elsewhere_[{one.kase, one.device, one.mode}] = std::move(one);
    }
    for (const std::string& note : run.notes) out_.notes.push_back(name_of(run) + ": " + note);
  }

  RunRecord finish() && {
    for (const auto& [key, names] : owners_) {
      if (names.size() < 2) continue;
      out_.notes.push_back(fmt::format("{} @{} is in {}: where they differ the red verdict counts",
                                       std::get<0>(key), std::get<1>(key), join(names, " and ")));
    }
    add_missing();
    order();
    note_versions("LibTorch", torch_);
    note_versions("relapse", relapse_);
    out_.shard = {};
    out_.elsewhere.clear();
    return std::move(out_);
  }

 private:
  void take_head(const RunRecord& run) {
    if (first_) {
      out_.version = run.version;
      out_.started = run.started;
      out_.root = run.root;
      out_.command = run.command;
      out_.unfixed = run.unfixed;
      out_.repeat = run.repeat;
      out_.options = run.options;
      out_.set = run.set;
      out_.finished = true;
      out_.journal = run.journal;
    } else {
      out_.started = std::min(out_.started, run.started);
      out_.journal += " " + run.journal;
    }
    first_ = false;
    out_.ended = std::max(out_.ended, run.ended);
    out_.seconds = std::max(out_.seconds, run.seconds);
    out_.jobs += run.jobs;
    out_.cores = std::max(out_.cores, run.cores);
    out_.clauses += run.clauses;
    if (!run.finished) {
      out_.notes.push_back(fmt::format("{} did not end: its runner was stopped", name_of(run)));
      out_.finished = false;
    }
    out_.interrupted = out_.interrupted || run.interrupted;
    if (!run.torch_version.empty()) {
      out_.torch_version = run.torch_version;
      torch_[run.torch_version].push_back(name_of(run));
    }
    relapse_[run.version].push_back(name_of(run));
    if (run.shard.count > 0) {
      shards_ = run.shard.count;
      here_.insert(run.shard.index);
    }
    for (const DeviceRecord& device : run.devices) take_device(run, device);
  }

  void take_device(const RunRecord& run, const DeviceRecord& device) {
    const auto known = std::find_if(out_.devices.begin(), out_.devices.end(),
                                    [&](const DeviceRecord& one) { return one.device == device.device; });
    if (known == out_.devices.end()) {
      out_.devices.push_back(device);
      return;
    }
    known->required = known->required || device.required;
    if (known->present != device.present) {
      const std::string reason = known->present ? device.reason : known->reason;
      if (known->present) known->reason = fmt::format("in {}: {}", name_of(run), reason);
      known->present = false;
    }
  }

  void add_check(std::size_t place, CheckRecord&& check, int offset) {
    if (check.attempt > 0) check.attempt += offset;
    for (RoundRecord& round : check.rounds) round.attempt += offset;
    CaseRecord& kase = out_.cases[place];
    const auto same = std::find_if(kase.checks.begin(), kase.checks.end(),
                                   [&](std::size_t index) { return out_.checks[index].name == check.name; });
    if (same == kase.checks.end()) {
      kase.checks.push_back(out_.checks.size());
      out_.checks.push_back(std::move(check));
    } else if (counts_before(check.verdict, out_.checks[*same].verdict)) {
      out_.checks[*same] = std::move(check);
    }
  }

  /// What every shard that is here left to one that is not.
  void add_missing() {
    std::map<int, std::set<std::string>> missing;
    for (auto& [key, one] : elsewhere_) {
      if (places_.count(key) > 0) continue;
      const std::string reason =
          fmt::format("its shard {}/{} {}", one.shard, shards_,
                      here_.count(one.shard) > 0 ? "did not plan it" : "is not among these journals");
      if (one.checks.empty()) {
        const bool known =
            std::any_of(out_.broken_files.begin(), out_.broken_files.end(),
                        [&, path = one.file](const BrokenFile& file) { return file.file == path; });
        if (known) continue;
        missing[one.shard].insert(one.kase);
        out_.broken_files.push_back({one.kase, one.file, {one.file + ": a broken case file; " + reason}});
        continue;
      }
      missing[one.shard].insert(one.kase);
      CaseRecord kase;
      kase.id = one.kase;
      kase.file = one.file;
      kase.device = one.device;
      kase.mode = one.mode;
      for (const std::string& name : one.checks) {
        CheckRecord check;
        check.kase = one.kase;
        check.device = one.device;
        check.mode = one.mode;
        check.name = name;
        check.verdict.kind = VerdictKind::not_run;
        check.verdict.reason = reason;
        kase.checks.push_back(out_.checks.size());
        out_.checks.push_back(std::move(check));
      }
      out_.cases.push_back(std::move(kase));
    }
    for (int shard = 1; shard <= shards_; ++shard) {
      if (here_.count(shard) > 0 && missing.count(shard) == 0) continue;
      const std::size_t cases = missing.count(shard) > 0 ? missing[shard].size() : 0;
      out_.notes.push_back(cases == 0
                               ? fmt::format("shard {}/{} is not here; it holds no case", shard, shards_)
                               : fmt::format("shard {}/{} is {}: {} of its cases {} no verdict", shard,
                                             shards_, here_.count(shard) > 0 ? "incomplete" : "missing",
                                             cases, cases == 1 ? "has" : "have"));
    }
  }

  /// Cases by id, as an undivided run has them; the devices of a case stay in their order.
  void order() {
    std::stable_sort(out_.cases.begin(), out_.cases.end(), [](const CaseRecord& a, const CaseRecord& b) {
      return std::tie(a.id, a.file) < std::tie(b.id, b.file);
    });
    std::stable_sort(out_.broken_files.begin(), out_.broken_files.end(),
                     [](const BrokenFile& a, const BrokenFile& b) { return a.id < b.id; });
    std::vector<CheckRecord> checks;
    checks.reserve(out_.checks.size());
    for (CaseRecord& kase : out_.cases) {
      for (std::size_t& index : kase.checks) {
        checks.push_back(std::move(out_.checks[index]));
        checks.back().owner = static_cast<std::size_t>(&kase - out_.cases.data());
        index = checks.size() - 1;
      }
    }
    out_.checks = std::move(checks);
  }

  void note_versions(const char* what, const std::map<std::string, std::vector<std::string>>& versions) {
    if (versions.size() < 2) return;
    std::vector<std::string> parts;
    for (const auto& [version, names] : versions)
      parts.push_back(fmt::format("{} in {}", version, join(names, ", ")));
    out_.notes.push_back(fmt::format("different {}: {}", what, join(parts, "; ")));
  }

  RunRecord out_;
  bool first_ = true;
  int shards_ = 0;
  std::set<int> here_;
  std::map<Key, std::size_t> places_;
  std::map<Key, std::vector<std::string>> owners_;
  std::map<Key, ElsewhereRecord> elsewhere_;
  std::map<std::string, std::vector<std::string>> torch_, relapse_;
};

}  // namespace

Result<RunRecord> merge_runs(std::vector<RunRecord> runs) {
  if (runs.empty()) return fail(ErrorKind::usage, "no journal to merge");
  std::vector<std::string> notes;
  runs = without_resumed(std::move(runs), notes);
  if (const Result<void> belong = check_that_they_belong_together(runs); !belong)
    return tl::make_unexpected(belong.error());
  std::stable_sort(runs.begin(), runs.end(),
                   [](const RunRecord& a, const RunRecord& b) { return a.shard.index < b.shard.index; });
  Merge merge(std::move(notes));
  for (RunRecord& run : runs) merge.take(std::move(run));
  return std::move(merge).finish();
}

}  // namespace relapse
