#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <harness/history/journals.hpp>
#include <harness/journal/journal.hpp>
#include <tuple>

namespace relapse {
namespace {

namespace fs = std::filesystem;

constexpr const char* kName = "journal.jsonl";

Result<void> add_below(std::string folder, std::vector<std::string>& found) {
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  std::error_code error;
  const std::string own = folder + "/" + kName;
  if (fs::exists(own, error)) {
    found.push_back(own);
    return {};
  }
  const std::size_t before = found.size();
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;
    if (entry->path().filename() == kName && entry->is_regular_file(ignored))
      found.push_back(entry->path().string());
  }
  if (error) {
    return fail(ErrorKind::usage, fmt::format("cannot look for journals in {}: {}", folder, error.message()));
  }
  if (found.size() == before)
    return fail(ErrorKind::usage, fmt::format("{}: there is no {} in it or below it", folder, kName));
  return {};
}

}  // namespace

Result<std::vector<std::string>> journals_of(const std::vector<std::string>& words) {
  std::vector<std::string> found;
  for (const std::string& word : words) {
    std::error_code error;
    const fs::file_status status = fs::status(word, error);
    if (!fs::exists(status)) {
      return fail(ErrorKind::usage,
                  fmt::format("{}: there is no such journal, and no folder with journals", word));
    }
    if (!fs::is_directory(status)) {
      found.push_back(word);
    } else if (const Result<void> added = add_below(word, found); !added) {
      return tl::make_unexpected(added.error());
    }
  }
  // The folder of a run begins with its time.
  const auto order = [](const std::string& path) {
    const fs::path whole(path);
    return std::tuple(whole.parent_path().filename().string(), path);
  };
  std::stable_sort(found.begin(), found.end(),
                   [&](const std::string& a, const std::string& b) { return order(a) < order(b); });
  std::vector<std::string> unique, seen;
  for (std::string& path : found) {
    std::error_code error;
    std::string real = fs::weakly_canonical(path, error).string();
    if (std::find(seen.begin(), seen.end(), real) != seen.end()) continue;
    seen.push_back(std::move(real));
    unique.push_back(std::move(path));
  }
  return unique;
}

Result<std::vector<RunRecord>> read_runs(const std::vector<std::string>& paths) {
  std::vector<RunRecord> runs;
  for (const std::string& path : paths) {
    Result<RunRecord> run = read_run(path);
    if (!run) return tl::make_unexpected(run.error());
    runs.push_back(std::move(*run));
  }
  return runs;
}

}  // namespace relapse
