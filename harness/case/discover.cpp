#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <harness/case/discover.hpp>
#include <system_error>

namespace relapse {

namespace {

namespace fs = std::filesystem;

tl::unexpected<Error> cannot_list(const fs::path& folder, const std::error_code& error) {
  return fail(ErrorKind::usage,
              fmt::format("cannot look for cases in {}: {}", folder.string(), error.message()));
}

bool is_hidden(const fs::path& path) {
  return path.filename().string().starts_with(".");
}

/// Collects below `folder`; `id` is its path below the root, with a `/` behind it unless it is empty.
Result<void> collect(const fs::path& folder, const std::string& id, std::vector<CaseFile>& found) {
  std::error_code error;
  if (fs::exists(folder / ".relapse-ignore", error)) return {};
  fs::directory_iterator entries(folder, error);
  if (error) return cannot_list(folder, error);
  for (const fs::directory_iterator end; entries != end; entries.increment(error)) {
    if (error) return cannot_list(folder, error);
    const fs::path& path = entries->path();
    if (is_hidden(path)) continue;
    const std::string name = path.filename().string();
    std::error_code ignored;  // a dangling link is neither a folder nor a file
    if (entries->is_directory(ignored) && !entries->is_symlink(ignored)) {
      if (Result<void> below = collect(path, id + name + "/", found); !below) return below;
      continue;
    }
    if (!entries->is_regular_file(ignored)) continue;
    if (path.extension() == ".yml") {
      return fail(ErrorKind::case_file,
                  fmt::format("{} would not be run: case files end in .yaml; rename it to {}", path.string(),
                              path.stem().string() + ".yaml"));
    }
    if (path.extension() == ".yaml") found.push_back({path.string(), id + path.stem().string()});
  }
  return {};
}

}  // namespace

Result<std::vector<CaseFile>> discover_cases(const std::string& root) {
  std::error_code error;
  if (!fs::is_directory(root, error)) {
    return fail(ErrorKind::usage, fmt::format("cannot look for cases in {}: there is no such folder", root));
  }
  std::vector<CaseFile> found;
  if (Result<void> all = collect(root, "", found); !all) return tl::make_unexpected(all.error());
  std::sort(found.begin(), found.end(), [](const CaseFile& a, const CaseFile& b) { return a.id < b.id; });
  return found;
}

}  // namespace relapse
