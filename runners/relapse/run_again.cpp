#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <harness/journal/journal.hpp>
#include <harness/support/text.hpp>
#include <runners/relapse/run_again.hpp>
#include <thread>

namespace relapse {
namespace {

using Json = nlohmann::json;

/// How a run goes about it, rather than what is run and under which conditions: never taken over.
constexpr std::string_view kNotTakenOver[] = {"--resume",   "--failed",    "--bisect", "--times",
                                              "--deadline", "--fail-fast", "--journal"};

/// What may be said anew when a run is finished: nothing that changes which verdicts it has.
constexpr std::string_view kMayChange[] = {"--resume", "--jobs",  "--deadline", "--fail-fast", "--journal",
                                           "--server", "--spawn", "--quiet",    "--times",     "--bisect",
                                           "--junit",  "--json",  "--sarif",    "--html",      "--github"};

template <class List>
bool is_in(const List& list, std::string_view name) {
  return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

/// A lone word that is a journal or the folder of a run: `--resume .relapse/runs/20261201-101502-9`.
std::string take_journal_word(RunArguments& arguments) {
  if (arguments.words.size() != 1) return {};
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path word(arguments.words.front());
  const bool file = word.extension() == ".jsonl" && fs::is_regular_file(word, error);
  const fs::path inner = word / "journal.jsonl";
  if (!file && !fs::is_regular_file(inner, error)) return {};
  arguments.words.clear();
  arguments.given.erase("cases");
  return file ? word.string() : inner.string();
}

/// A run holds its journal locked. One that was just killed is waited for: what it left is being ended.
Result<void> wait_for_its_end(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};  // reading it says why
  bool free = false;
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  while (!free) {
    free = flock(fd, LOCK_SH | LOCK_NB) == 0 || errno != EWOULDBLOCK;
    if (free || std::chrono::steady_clock::now() > until) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  close(fd);
  if (free) return {};
  return fail(ErrorKind::usage,
              fmt::format("the run of {} still goes on: it can be taken up when it has ended", path));
}

Result<void> check_what_was_given(const Json& given) {
  for (const auto& [name, values] : given.items()) {
    if (is_in(kMayChange, name)) continue;
    return fail(
        ErrorKind::usage,
        fmt::format("--resume finishes the run of its journal as it was asked for: {} cannot be given{}",
                    name == "cases" ? fmt::format("\"{}\"", values.front().get<std::string>()) : name,
                    name == "cases" ? " (and is no journal)" : ""));
  }
  return {};
}

std::vector<std::string> words_of(const Json& options) {
  std::vector<std::string> words, positional;
  for (const auto& [name, values] : options.items()) {
    for (const Json& value : values) {
      const std::string text = value.get<std::string>();
      if (name.starts_with("-")) {
        words.push_back(name + "=" + text);
      } else {
        positional.push_back(text);
      }
    }
  }
  if (!positional.empty()) words.emplace_back("--");
  words.insert(words.end(), positional.begin(), positional.end());
  return words;
}

}  // namespace

Json given_options(const CLI::App& app) {
  Json options = Json::object();
  for (const CLI::Option* option : app.get_options()) {
    if (option->count() > 0 && option->get_name() != "--help")
      options[option->get_name()] = option->results();
  }
  return options;
}

Result<std::shared_ptr<EarlierRun>> take_up(RunArguments& arguments,
                                            void (*add_options)(CLI::App&, RunArguments&)) {
  const bool resume = !arguments.part.resume.empty();
  const char* option = resume ? "--resume" : "--failed";
  std::string path = resume ? arguments.part.resume : arguments.part.failed;
  if (path == PartArguments::kNewest) path = take_journal_word(arguments);
  if (path.empty()) {
    Result<std::string> newest = newest_journal(arguments.journal);
    if (!newest) return tl::make_unexpected(newest.error());
    path = std::move(*newest);
  }
  if (const Result<void> ended = wait_for_its_end(path); !ended) return tl::make_unexpected(ended.error());
  Result<std::vector<Json>> events = read_journal(path);
  if (!events) return tl::make_unexpected(events.error());
  auto earlier = std::make_shared<EarlierRun>();
  earlier->run = record_of(*events);
  earlier->run.journal = path;
  earlier->events = std::move(*events);
  if (!earlier->run.options.is_object() || earlier->run.id.empty()) {
    return fail(ErrorKind::usage,
                fmt::format("{}: {} needs what its run was asked for, which this journal does not hold", path,
                            option));
  }
  if (resume) {
    if (const Result<void> fine = check_what_was_given(arguments.given); !fine)
      return tl::make_unexpected(fine.error());
    if (earlier->run.version != RELAPSE_VERSION) {
      return fail(ErrorKind::usage,
                  fmt::format("{} is of relapse {}, this is {}: verdicts of two versions make no "
                              "one run; run it anew",
                              path, earlier->run.version, RELAPSE_VERSION));
    }
  }
  Json options = earlier->run.options;
  for (const std::string_view name : kNotTakenOver) options.erase(std::string(name));
  if (!resume) options.erase("--shard");
  for (const auto& [name, values] : arguments.given.items()) options[name] = values;
  RunArguments completed;
  CLI::App app;
  add_options(app, completed);
  std::vector<std::string> words = words_of(options);
  std::reverse(words.begin(), words.end());  // the parser takes them from the back
  try {
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    return fail(ErrorKind::usage,
                fmt::format("{}: the options of its run are not understood: {}", path, error.what()));
  }
  completed.given = given_options(app);
  if (resume) completed.part.resume = path;
  if (!resume) completed.part.failed = path;
  arguments = std::move(completed);
  return earlier;
}

}  // namespace relapse
