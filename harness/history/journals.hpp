#pragma once

// Journals on disk: which ones a word of the command line means, and their runs as values.

#include <harness/journal/record.hpp>
#include <harness/support/result.hpp>
#include <string>
#include <vector>

namespace relapse {

/// A file is itself, the folder of one run its `journal.jsonl`, any other folder every `journal.jsonl` below
/// it. Oldest first, by the names of the runs' folders; each once. A word that means none is an error.
Result<std::vector<std::string>> journals_of(const std::vector<std::string>& words);

/// The runs of these journals, in order.
Result<std::vector<RunRecord>> read_runs(const std::vector<std::string>& paths);

}  // namespace relapse
