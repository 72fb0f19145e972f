#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <harness/history/bisect.hpp>
#include <harness/journal/journal.hpp>
#include <harness/report/failure_text.hpp>
#include <harness/support/file.hpp>
#include <harness/support/text.hpp>
#include <map>
#include <memory>
#include <optional>
#include <runners/relapse/commands.hpp>

extern char** environ;

namespace relapse {
namespace {

namespace fs = std::filesystem;

struct BisectArguments {
  std::vector<std::string> words, devices;
  std::string over, root, journal = ".relapse/bisect", source = ".";
  int repeat = 1;
};

struct Version {
  std::string given;   ///< as on the command line
  std::string worker;  ///< empty: `trouble` says why there is none
  std::string trouble;
  std::optional<RunRecord> run;
  std::string name() const {
    return run && !run->torch_version.empty() ? fmt::format("{} ({})", run->torch_version, given) : given;
  }
};

/// Runs a program with its output in a file; its exit status, or 128 and the signal.
int run_program(const std::vector<std::string>& words, const std::string& output) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t pid = 0;
  const int error = posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return 127;
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string last_line(const std::string& path) {
  std::vector<std::string> lines = split(read_file(path).value_or(std::string()), '\n');
  while (!lines.empty() && trim(lines.back()).empty()) lines.pop_back();
  return lines.empty() ? "it printed nothing" : lines.back();
}

bool is_libtorch(const fs::path& folder) {
  std::error_code error;
  return fs::exists(folder / "include/ATen/core/Tensor.h", error) &&
         fs::exists(folder / "lib/libtorch_cpu.so", error);
}

bool is_program(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
}

class Bisection {
 public:
  explicit Bisection(const BisectArguments& arguments) : arguments_(arguments) {}

  Result<void> prepare() {
    const std::size_t equals = arguments_.over.find('=');
    const std::string axis = arguments_.over.substr(0, equals);
    if (equals == std::string::npos || axis != "torch") {
      return fail(ErrorKind::usage,
                  fmt::format("--over: expected torch=DIR,DIR,... with the oldest first, got {}",
                              relapse::quoted(arguments_.over)));
    }
    for (const std::string& given : split(std::string_view(arguments_.over).substr(equals + 1), ',')) {
      if (given.empty()) return fail(ErrorKind::usage, "--over: one of the folders is empty");
      versions_.push_back({given, {}, {}, {}});
      const Result<void> found = find_worker(versions_.back());
      if (!found) return found;
    }
    if (versions_.size() < 2)
      return fail(ErrorKind::usage, "--over: a change lies between two versions, so at least two are needed");
    return {};
  }

  ExitCode operator()() {
    fmt::print("{} versions, from {} to {}\n", versions_.size(), versions_.front().given,
               versions_.back().given);
    const RunRecord* first = run_of(0);
    const RunRecord* last = run_of(versions_.size() - 1);
    std::vector<std::string> ids;
    for (const RunRecord* run : {first, last}) {
      if (!run) continue;
      for (const CheckRecord& check : run->checks) {
        const std::string id = id_of(check);
        if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
      }
    }
    for (const std::size_t end : {std::size_t{0}, versions_.size() - 1}) {
      if (!run_of(end)) fmt::print("cannot tell: {}: {}\n", versions_[end].given, versions_[end].trouble);
    }
    if (!first || !last) return ExitCode::infrastructure;
    std::map<std::string, std::vector<std::string>> findings;
    std::vector<std::string> order;
    int same = 0;
    bool untold = false;
    for (const std::string& id : ids) {
      const Bisected found = bisect(versions_.size(), [&](std::size_t i) { return shown(i, id); });
      if (found.kind == Bisected::Kind::same) {
        ++same;
        continue;
      }
      untold = untold || found.kind == Bisected::Kind::cannot_tell;
      const std::string text = finding(found);
      if (findings.count(text) == 0) order.push_back(text);
      findings[text].push_back(id);
    }
    for (const std::string& text : order) {
      fmt::print("\n");
      for (const std::string& id : findings[text]) fmt::print("{}\n", id);
      fmt::print("{}", text);
    }
    fmt::print("\n{} of {} checks change, {} do not differ between the first and the last version\n",
               ids.size() - static_cast<std::size_t>(same), ids.size(), same);
    if (ids.empty()) return ExitCode::nothing_ran;
    return untold ? ExitCode::failed : ExitCode::held;
  }

 private:
  /// A worker as such or in an installed tree; for a LibTorch it is built from the sources of relapse.
  Result<void> find_worker(Version& version) {
    const fs::path given(version.given);
    std::error_code error;
    if (is_program(given)) {
      version.worker = fs::absolute(given, error).string();
      return {};
    }
    for (const char* place : {"relapse-worker", "bin/relapse-worker", "libexec/relapse/relapse-worker"}) {
      if (!is_program(given / place)) continue;
      version.worker = fs::absolute(given / place, error).string();
      return {};
    }
    for (const fs::path& folder : {given, given / "torch"}) {
      if (!is_libtorch(folder)) continue;
      libtorch_[version.given] = fs::absolute(folder, error).string();
      const std::string lists = read_file(arguments_.source + "/CMakeLists.txt").value_or(std::string());
      if (lists.find("project(relapse ") == std::string::npos) {
        return fail(ErrorKind::usage,
                    fmt::format("{} is a LibTorch without a worker for it; --source names the sources "
                                "of relapse, from which one is built, and {} holds none",
                                version.given, arguments_.source));
      }
      return {};
    }
    return fail(
        ErrorKind::usage,
        fmt::format("{}: expected a relapse-worker, a folder that holds one, or a LibTorch (include/ATen and "
                    "lib/libtorch_cpu.so)",
                    version.given));
  }

  void build(Version& version) {
    const std::string torch = libtorch_[version.given];
    const std::string folder =
        fmt::format("{}/worker-{}", arguments_.journal, sha256_hex(torch).substr(0, 12));
    std::error_code error;
    fs::create_directories(folder, error);
    const std::string log = folder + "/relapse-build.log";
    fmt::print("building a worker for {} in {}\n", version.given, folder);
    std::fflush(stdout);
    const bool built =
        run_program({"cmake", "-S", arguments_.source, "-B", folder, "-DCMAKE_BUILD_TYPE=Release",
                     "-DRELAPSE_TORCH=" + torch, "-DRELAPSE_BUILD_TESTS=OFF", "-DRELAPSE_BUILD_BENCH=OFF"},
                    log) == 0 &&
        run_program({"cmake", "--build", folder, "--target", "relapse-worker"}, log) == 0;
    if (built)
      version.worker = fs::absolute(folder + "/bin/relapse-worker", error).string();
    else
      version.trouble = fmt::format("no worker could be built for it ({}): {}", log, last_line(log));
  }

  const RunRecord* run_of(std::size_t index) {
    Version& version = versions_[index];
    if (version.run) return &*version.run;
    if (!version.trouble.empty()) return nullptr;
    if (version.worker.empty()) build(version);
    if (version.worker.empty()) return nullptr;
    const std::string folder = fmt::format("{}/{}-{}", arguments_.journal, getpid(), index);
    std::error_code error;
    fs::create_directories(folder, error);
    std::vector<std::string> words{fs::read_symlink("/proc/self/exe", error).string(),
                                   "--worker",
                                   version.worker,
                                   "run",
                                   "-q",
                                   "--server",
                                   "none",
                                   "--shard",
                                   "none",
                                   "--quarantine",
                                   "none",
                                   "--journal",
                                   folder,
                                   "--repeat",
                                   std::to_string(arguments_.repeat)};
    if (!arguments_.root.empty()) words.insert(words.end(), {"--cases", arguments_.root});
    if (!arguments_.devices.empty()) words.insert(words.end(), {"--device", join(arguments_.devices, ",")});
    words.emplace_back("--");
    words.insert(words.end(), arguments_.words.begin(), arguments_.words.end());
    const std::string log = folder + "/output.txt";
    const int status = run_program(words, log);
    const Result<std::string> journal = newest_journal(folder);
    Result<RunRecord> run = journal ? read_run(*journal) : tl::make_unexpected(journal.error());
    if (!run || !run->finished || run->checks.empty()) {
      version.trouble = fmt::format("its run gave nothing (exit {}): {}", status, last_line(log));
      return nullptr;
    }
    version.run = std::move(*run);
    return &*version.run;
  }

  Shown shown(std::size_t index, const std::string& id) {
    const RunRecord* run = run_of(index);
    return run ? shown_by(*run, id) : Shown{{}, versions_[index].trouble};
  }

  std::string finding(const Bisected& found) const {
    std::string text;
    if (found.kind == Bisected::Kind::changes) {
      return fmt::format("  {}: {}\n  {}: {}\n", versions_[found.before].name(), found.first,
                         versions_[found.after].name(), found.last);
    }
    if (!found.first.empty() && !found.last.empty()) {
      text += fmt::format("  cannot tell where: {}: {}\n", versions_[found.before].name(), found.first);
      for (const auto& [index, why] : found.untold)
        text += fmt::format("    {}: {}\n", versions_[index].name(), why);
      return text + fmt::format("  {}: {}\n", versions_[found.after].name(), found.last);
    }
    text += "  cannot tell: nothing to compare with\n";
    for (const auto& [index, why] : found.untold)
      text += fmt::format("    {}: {}\n", versions_[index].name(), why);
    return text;
  }

  const BisectArguments& arguments_;
  std::vector<Version> versions_;
  std::map<std::string, std::string> libtorch_;
};

}  // namespace

Command add_bisect(CLI::App& app, const Common&) {
  auto arguments = std::make_shared<BisectArguments>();
  BisectArguments& a = *arguments;
  app.add_option("cases", a.words, "ids, globs, labels, files or folders; `ID@DEVICE/CHECK` for one check");
  app.add_option(
         "--over", a.over,
         "torch=DIR,DIR,...: versions with the oldest first; each a worker, a folder that holds one, or a "
         "LibTorch, for which one is built")
      ->required();
  app.add_option("--cases", a.root, "the cases folder (default: ./cases)");
  app.add_option("--device", a.devices, "devices to run on, by kind")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--repeat", a.repeat,
                 "run each check in so many fresh processes: what differs tells nothing")
      ->check(CLI::PositiveNumber);
  app.add_option("--journal", a.journal, "folder of the journals and of workers that are built");
  app.add_option("--source", a.source, "the sources of relapse, to build workers from");
  return [arguments] {
    Bisection bisection(*arguments);
    if (const Result<void> ready = bisection.prepare(); !ready) return complain(ready.error());
    return bisection();
  };
}

}  // namespace relapse
