#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <functional>
#include <harness/journal/journal.hpp>
#include <harness/support/file.hpp>

namespace relapse {
namespace {

/// A journal of tens of thousands of cases is larger than any other file that is read whole.
constexpr std::size_t kJournalBytes = std::size_t{1} << 36;

std::tm utc() {
  const std::time_t now = std::time(nullptr);
  return fmt::gmtime(now);
}

}  // namespace

std::string utc_now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", utc());
}

std::string new_run_id() {
  std::uint64_t number = 0;
  if (getrandom(&number, sizeof(number), 0) != static_cast<ssize_t>(sizeof(number)))
    number = static_cast<std::uint64_t>(getpid()) << 32 | static_cast<std::uint32_t>(std::time(nullptr));
  return fmt::format("{:016x}", number);
}

Result<Journal> Journal::create(const std::string& folder) {
  const std::string name = fmt::format("{:%Y%m%d-%H%M%S}-{}", utc(), getpid());
  const std::string run = folder + "/" + name;
  std::error_code error;
  std::filesystem::create_directories(run, error);
  if (error) {
    return fail(ErrorKind::infrastructure,
                fmt::format("cannot make {} for the journal: {}; --journal names another folder", run,
                            error.message()));
  }
  const std::string path = run + "/journal.jsonl";
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (fd < 0)
    return fail(ErrorKind::infrastructure, fmt::format("cannot write {}: {}", path, std::strerror(errno)));
  // Held as long as the run goes on, for whoever wants to take it up; some file systems have no locks.
  (void)flock(fd, LOCK_EX | LOCK_NB);
  return Journal(fd, path);
}

Journal::Journal(Journal&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      path_(std::move(other.path_)),
      trouble_(std::move(other.trouble_)),
      torn_(other.torn_) {}

Journal& Journal::operator=(Journal&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(path_, other.path_);
  std::swap(trouble_, other.trouble_);
  std::swap(torn_, other.torn_);
  return *this;
}

Journal::~Journal() {
  if (fd_ >= 0) close(fd_);
}

void Journal::append(const nlohmann::json& event) {
  // Behind half a line nothing could be read any more; what stands before it can.
  if (torn_) return;
  const std::string line = event.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  std::size_t written = 0;
  while (written < line.size()) {
    const ssize_t count = write(fd_, line.data() + written, line.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      if (trouble_.empty()) trouble_ = fmt::format("cannot write {}: {}", path_, std::strerror(errno));
      torn_ = written > 0;
      return;
    }
    written += static_cast<std::size_t>(count);
  }
}

void Journal::sync() {
  if (fdatasync(fd_) != 0 && trouble_.empty())
    trouble_ = fmt::format("cannot sync {}: {}", path_, std::strerror(errno));
}

namespace {

/// Hands over every event of a journal after `builder` has taken it.
Result<void> walk(const std::string& path, RecordBuilder& builder,
                  const std::function<void(nlohmann::json&&)>& sink) {
  const Result<std::string> text = read_file(path, kJournalBytes);
  if (!text) return tl::make_unexpected(text.error());
  std::size_t start = 0;
  bool any = false;
  for (int number = 1; start < text->size(); ++number) {
    const std::size_t end = text->find('\n', start);
    if (end == std::string::npos) break;  // half a line: the runner died while it wrote
    nlohmann::json event =
        nlohmann::json::parse(text->begin() + static_cast<std::ptrdiff_t>(start),
                              text->begin() + static_cast<std::ptrdiff_t>(end), nullptr, false);
    if (!event.is_object() || !event.contains("event") || !event["event"].is_string()) {
      return fail(ErrorKind::usage,
                  fmt::format("{}:{}: expected a journal event, got something else", path, number));
    }
    try {
      if (!any && (event["event"] != "run_started" || event.value("schema", 0) != kJournalVersion)) {
        return fail(ErrorKind::usage, fmt::format("{}: expected a journal of version {}, got {}", path,
                                                  kJournalVersion, event.value("schema", 0)));
      }
      builder.apply(event);
    } catch (const nlohmann::json::exception& error) {
      return fail(ErrorKind::usage, fmt::format("{}:{}: event {} has a member of another type: {}", path,
                                                number, event["event"].get<std::string>(), error.what()));
    }
    any = true;
    sink(std::move(event));
    start = end + 1;
  }
  if (!any) return fail(ErrorKind::usage, fmt::format("{}: the journal holds no event", path));
  return {};
}

}  // namespace

Result<std::vector<nlohmann::json>> read_journal(const std::string& path) {
  std::vector<nlohmann::json> events;
  RecordBuilder trial;
  const Result<void> walked =
      walk(path, trial, [&](nlohmann::json&& event) { events.push_back(std::move(event)); });
  if (!walked) return tl::make_unexpected(walked.error());
  return events;
}

Result<RunRecord> read_run(const std::string& path) {
  RecordBuilder builder;
  if (const Result<void> walked = walk(path, builder, [](nlohmann::json&&) {}); !walked)
    return tl::make_unexpected(walked.error());
  RunRecord run = std::move(builder.record());
  run.journal = path;
  return run;
}

Result<std::string> newest_journal(const std::string& folder) {
  std::string newest;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string path = entry.path().string() + "/journal.jsonl";
    if (std::filesystem::exists(path, error)) newest = std::max(newest, path);
  }
  if (newest.empty()) {
    return fail(ErrorKind::usage,
                fmt::format("no journal below {}: run `relapse run` first, or name a journal", folder));
  }
  return newest;
}

}  // namespace relapse
