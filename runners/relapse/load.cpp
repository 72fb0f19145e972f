#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <harness/case/reader.hpp>
#include <harness/support/file.hpp>
#include <harness/support/text.hpp>
#include <runners/relapse/load.hpp>

namespace relapse {
namespace {

namespace fs = std::filesystem;

bool is_below(const fs::path& path, const fs::path& folder) {
  std::error_code error;
  const std::string inner = fs::weakly_canonical(path, error).string();
  const std::string outer = fs::weakly_canonical(folder, error).string();
  return inner == outer || (inner.size() > outer.size() && inner.compare(0, outer.size(), outer) == 0 &&
                            inner[outer.size()] == '/');
}

LoadedCase load_one(const CaseFile& file) {
  LoadedCase loaded{file.id, file.path, {}, nullptr, {}, {}};
  const Result<std::string> text = read_file(file.path, ReadLimits{}.file_bytes + 1);
  if (!text) {
    loaded.messages.push_back(text.error().message);
    return loaded;
  }
  loaded.hash = sha256_hex(*text);
  ReadResult read = read_case(*text, file.path, file.id);
  for (const Diagnostic& diagnostic : read.diagnostics) loaded.messages.push_back(format(diagnostic));
  if (read.value) loaded.kase = std::make_shared<const Case>(std::move(*read.value));
  return loaded;
}

/// Roots to look in: the given or usual one, and every file or folder that a word names outside it.
struct Roots {
  std::string usual;
  std::vector<CaseFile> files;
};

Result<void> add_folder(const std::string& folder, std::vector<CaseFile>& files) {
  Result<std::vector<CaseFile>> found = discover_cases(folder);
  if (!found) return tl::make_unexpected(found.error());
  files.insert(files.end(), found->begin(), found->end());
  return {};
}

}  // namespace

std::vector<std::string> refusals(const Case& kase, const std::string& text_of_file) {
  std::vector<std::string> messages;
  const std::vector<std::string> lines = split(text_of_file, '\n');
  for (const Unsupported& construct : kase.unsupported) {
    Diagnostic diagnostic;
    diagnostic.file = kase.file;
    diagnostic.pos = construct.pos;
    diagnostic.message = fmt::format("{} is read but not executed by relapse " RELAPSE_VERSION
                                     "; the case is refused rather than half run",
                                     construct.what);
    const auto line = static_cast<std::size_t>(construct.pos.line);
    if (line >= 1 && line <= lines.size()) diagnostic.source_line = lines[line - 1];
    messages.push_back(format(diagnostic));
  }
  return messages;
}

Result<Loaded> load_cases(const std::string& root, const std::vector<std::string>& words) {
  Loaded loaded;
  std::error_code error;
  const std::string usual = root.empty() ? "cases" : root;
  const bool has_usual = fs::is_directory(usual, error);
  if (!root.empty() && !has_usual)
    return fail(ErrorKind::usage, fmt::format("--cases {}: no such folder", root));
  std::vector<CaseFile> files;
  bool needs_usual = words.empty();
  for (const std::string& word : words) {
    auto selector = std::make_unique<Selector>(parse_selector(word));
    const std::string& path = selector->kase;
    const bool foreign = !path.empty() && fs::exists(path, error) && !(has_usual && is_below(path, usual));
    if (foreign && fs::is_directory(path, error)) {
      if (Result<void> added = add_folder(path, files); !added) return tl::make_unexpected(added.error());
      loaded.root = path;
    } else if (foreign) {
      files.push_back({path, fs::path(path).stem().string()});
      loaded.root = fs::path(path).parent_path().string();
    } else {
      needs_usual = true;
    }
    loaded.words.push_back(std::move(selector));
  }
  if (needs_usual) {
    if (!has_usual) {
      return fail(ErrorKind::usage,
                  fmt::format("no cases folder here: name a file or folder, or give --cases DIR{}",
                              words.empty() ? "" : fmt::format(" (\"{}\" is neither)", words.front())));
    }
    if (Result<void> added = add_folder(usual, files); !added) return tl::make_unexpected(added.error());
    loaded.root = usual;
  }
  std::sort(files.begin(), files.end(), [](const CaseFile& a, const CaseFile& b) {
    return std::tie(a.id, a.path) < std::tie(b.id, b.path);
  });
  files.erase(std::unique(files.begin(), files.end(),
                          [](const CaseFile& a, const CaseFile& b) { return a.path == b.path; }),
              files.end());
  std::vector<bool> matched(loaded.words.size(), false);
  for (const CaseFile& file : files) {
    LoadedCase one = load_one(file);
    for (std::size_t i = 0; i < loaded.words.size(); ++i) {
      if (!selects_case(*loaded.words[i], one.id, one.path,
                        one.kase ? one.kase->labels : std::vector<std::string>{}))
        continue;
      one.selectors.push_back(loaded.words[i].get());
      matched[i] = true;
    }
    if (loaded.words.empty() || !one.selectors.empty()) loaded.cases.push_back(std::move(one));
  }
  for (std::size_t i = 0; i < matched.size(); ++i) {
    if (!matched[i]) loaded.unmatched.push_back(loaded.words[i]->word);
  }
  return loaded;
}

}  // namespace relapse
