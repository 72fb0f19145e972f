#pragma once

// A run as its journal tells it: what every report reads. Built from events, live or afterwards.

#include <harness/isolate/ending.hpp>
#include <harness/plan/observation.hpp>
#include <harness/verdict/summary.hpp>
#include <harness/verdict/verdict.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace relapse {

/// One round of `--repeat`: what a check answered in one fresh process.
struct RoundRecord {
  int round = 0, attempt = 0;
  Verdict verdict;
  double seconds = 0;
};

/// Why a red check is reported apart, and until when.
struct QuarantineRecord {
  std::string owner, link, until, why;
  bool expired = false;  ///< the date had passed when the run began: red counts again
};

struct CheckRecord {
  std::string kase, device, mode, name, kind;  ///< kind: failing, corrected, batch, boundary, violation
  std::size_t owner = 0;                       ///< position of its case in RunRecord::cases
  SourcePos pos;                               ///< where the check stands in the file
  std::vector<std::string> after = {};         ///< batches that run first in the same process
  bool started = false, judged = false;
  Verdict verdict;   ///< not_run until it is judged
  std::string open;  ///< what may still change the verdict: `look`, `canary`; empty: nothing
  double seconds = 0;
  int attempt = 0;  ///< which one answered it, or was running when it ended; 0: none
  std::optional<Observation> observation;
  std::optional<StepRecord> step;   ///< the last one that had started
  std::vector<RoundRecord> rounds;  ///< of --repeat, in order; empty without it
  std::optional<QuarantineRecord> quarantine;
};

/// A line of a contract or a step of a subject, as the file has it.
struct FileLine {
  std::string side;  ///< requires, ensures, agrees; empty: a step
  std::string name;  ///< `target.max`, `where.enough`, `agrees.float64`; empty: a step
  std::string text;
  int line = 0;
};

/// One case on one device.
struct CaseRecord {
  std::string id, file, title, source, date, device, mode;
  std::vector<std::string> labels;
  std::string covers;               ///< model, library, code
  std::string hash;                 ///< SHA-256 of the file
  std::vector<std::size_t> checks;  ///< positions in RunRecord::checks
  std::string cause, fix;           ///< of the incident
  std::vector<FileLine> subject, contract;
};

struct BrokenFile {
  std::string id, file;
  std::vector<std::string> messages;  ///< formatted diagnostics
};
struct DeviceRecord {
  std::string device;
  bool present = false, required = false;
  std::string reason;                   ///< why it is not there
  std::vector<std::string> names = {};  ///< of the devices, as their driver calls them
  std::string sick = {};                ///< what its canary said
};
/// Something about a check that is no verdict of its own.
struct Finding {
  std::string kind;  ///< `order_dependent`
  std::string kase, device, check, text;
};
struct AttemptRecord {
  int id = 0;
  std::string look;  ///< not empty: a second look in this mode at a check that has its verdict
  std::string kase, device, mode;
  std::vector<std::string> checks;
  std::vector<std::string> slots;  ///< devices that it had to itself: `cuda:0`
  std::vector<std::pair<std::string, std::string>> environment, settings;
  double at = -1;  ///< seconds from the start of the schedule; -1: the journal does not say
  bool ended = false;
  Ending ending;
};

/// Which part of the selected cases this run was: `index` of `count`, from 1. Count 0: all of them.
struct ShardRecord {
  int index = 0, count = 0;
  std::string from;  ///< `--shard`, or whose variables said it
};
/// A case that belongs to another shard of the same run, with the checks that are planned there.
struct ElsewhereRecord {
  std::string kase, file, device, mode;
  int shard = 0;
  std::vector<std::string> checks;  ///< names; empty: its file is broken
};

struct RunRecord {
  std::string id;  ///< random; names the run whatever its folder is called
  std::string version, started, ended, root, journal;
  std::vector<std::string> command;
  std::vector<std::string> plugins;  ///< libraries that brought devices
  int jobs = 0, cores = 0;
  bool unfixed = false;  ///< the code before the fix was run
  int repeat = 1;
  nlohmann::json options;            ///< of the command line that were given, each with its values
  std::vector<std::string> resumes;  ///< ids of the runs that this one finished
  ShardRecord shard;
  std::string set;  ///< digest of all cases of all shards: equal for the shards of one run
  std::vector<ElsewhereRecord> elsewhere;
  std::string torch_version;
  std::vector<DeviceRecord> devices;
  std::vector<CaseRecord> cases;
  std::vector<CheckRecord> checks;
  std::vector<BrokenFile> broken_files;
  std::map<int, AttemptRecord> attempts;
  std::vector<std::string> notes;
  std::vector<Finding> findings;
  bool finished = false, interrupted = false;
  double seconds = 0;
  int clauses = 0;

  /// None of the selected cases fell to this shard: it is no error, since the others run them.
  bool is_empty_shard() const;
  Tally tally() const;
  ExitCode exit_code() const;
};

/// Builds a record event by event. An event that it does not know is passed over: newer journals stay
/// readable.
class RecordBuilder {
 public:
  void apply(const nlohmann::json& event);
  const RunRecord& record() const { return record_; }
  RunRecord& record() { return record_; }
  /// The check an event is about, or null.
  CheckRecord* find(const std::string& kase, const std::string& device, const std::string& mode,
                    const std::string& check);

 private:
  void apply_line(AttemptRecord& attempt, const nlohmann::json& line);
  RunRecord record_;
  std::map<std::string, std::size_t> index_;
};

RunRecord record_of(const std::vector<nlohmann::json>& events);

}  // namespace relapse
