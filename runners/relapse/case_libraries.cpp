#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <harness/support/text.hpp>
#include <map>
#include <runners/relapse/case_libraries.hpp>

namespace relapse {
namespace {

namespace fs = std::filesystem;

/// What is given later wins: an option is nearer than the environment.
Result<std::map<std::string, std::string>> given_paths(const std::vector<std::string>& options) {
  std::vector<std::string> entries;
  if (const char* environment = std::getenv("RELAPSE_LIBRARIES")) entries = split(environment, ';');
  entries.insert(entries.end(), options.begin(), options.end());
  std::map<std::string, std::string> paths;
  for (const std::string& entry : entries) {
    if (trim(entry).empty()) continue;
    const std::size_t equals = entry.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == entry.size())
      return fail(ErrorKind::usage, fmt::format("--library {}: expected NAME=PATH", relapse::quoted(entry)));
    paths[entry.substr(0, equals)] = entry.substr(equals + 1);
  }
  return paths;
}

/// Where a build or an installation leaves libraries, seen from its programs.
fs::path beside_program(const std::string& name) {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  return program.parent_path().parent_path() / "lib" / fmt::format("lib{}.so", name);
}

}  // namespace

Result<std::vector<std::string>> library_paths(const std::vector<std::string>& named,
                                               const std::string& case_file,
                                               const std::vector<std::string>& given) {
  if (named.empty()) return std::vector<std::string>{};
  const Result<std::map<std::string, std::string>> paths = given_paths(given);
  if (!paths) return tl::make_unexpected(paths.error());
  std::vector<std::string> found;
  for (const std::string& name : named) {
    std::error_code error;
    const fs::path beside = fs::path(case_file).parent_path() / name;
    const auto entry = paths->find(name);
    if (entry != paths->end()) {
      found.push_back(fs::absolute(entry->second).lexically_normal().string());
    } else if (fs::is_regular_file(beside, error)) {
      found.push_back(fs::absolute(beside).lexically_normal().string());
    } else if (const fs::path built = beside_program(name); fs::is_regular_file(built, error)) {
      found.push_back(built.string());
    } else {
      std::vector<std::string> known;
      for (const auto& [key, path] : *paths) known.push_back(key);
      return fail(
          ErrorKind::infrastructure,
          fmt::format(
              "the library {} is no file beside the case, and no --library {}=PATH says where it is{}",
              relapse::quoted(name), name, did_you_mean(name, known)));
    }
  }
  return found;
}

}  // namespace relapse
