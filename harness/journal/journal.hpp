#pragma once

// The append-only record of a run: one JSON object a line, written before it takes effect, so that every
// report can be made again after the runner itself was killed. docs/journal.md says every event and member.

#include <harness/journal/record.hpp>
#include <harness/support/result.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace relapse {

inline constexpr int kJournalVersion = 1;

class Journal {
 public:
  /// Makes `<folder>/<time>-<pid>/journal.jsonl`; the folder is created with its parents.
  static Result<Journal> create(const std::string& folder);
  Journal(Journal&& other) noexcept;
  Journal& operator=(Journal&& other) noexcept;
  ~Journal();

  /// Appends one event in a single write. The first failure (a full disk) is kept and told by `trouble`.
  void append(const nlohmann::json& event);
  /// Makes everything so far survive a crash of the machine; called before an attempt on a device other than
  /// the CPU.
  void sync();

  const std::string& path() const { return path_; }
  const std::string& trouble() const { return trouble_; }

 private:
  Journal(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}
  int fd_ = -1;
  std::string path_, trouble_;
  bool torn_ = false;  ///< a line was written in part
};

/// The events of a journal. A half-written last line is dropped (the runner died while writing it); any other
/// line that is no event, or one that a record cannot be made of, is an error with its number.
Result<std::vector<nlohmann::json>> read_journal(const std::string& path);

/// The run of a journal as a value, without keeping its events: `RunRecord::journal` is the path.
Result<RunRecord> read_run(const std::string& path);

/// The newest `*/journal.jsonl` below the folder, by name; an error says that there is none.
Result<std::string> newest_journal(const std::string& folder);

/// A random name for a run: `run_started.id`.
std::string new_run_id();

/// `2026-12-01T10:15:02Z`.
std::string utc_now();

}  // namespace relapse
