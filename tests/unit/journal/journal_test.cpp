#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <ctime>
#include <harness/journal/journal.hpp>
#include <harness/support/file.hpp>

#include "folder.hpp"

namespace relapse {
namespace {

using test::Folder;
using Json = nlohmann::json;

constexpr const char* kStarted = "{\"event\":\"run_started\",\"schema\":1}\n";

std::string error_of(const std::string& path) {
  const Result<std::vector<Json>> events = read_journal(path);
  return events ? "no error" : events.error().message;
}

TEST(Journal, KeepsEventsInOrder) {
  const Folder folder;
  Result<Journal> journal = Journal::create(folder.path() + "/deep/runs");
  ASSERT_TRUE(journal) << journal.error().message;
  journal->append({{"event", "run_started"}, {"schema", 1}, {"text", "line\nend \"quoted\" \xc3\xa9"}});
  journal->append({{"event", "note"}, {"text", "bad \xff byte"}});
  journal->sync();
  EXPECT_EQ(journal->trouble(), "");
  const Result<std::vector<Json>> events = read_journal(journal->path());
  ASSERT_TRUE(events) << events.error().message;
  ASSERT_EQ(events->size(), 2u);
  EXPECT_EQ((*events)[0]["text"], "line\nend \"quoted\" \xc3\xa9");
  EXPECT_EQ((*events)[1]["text"], "bad \xef\xbf\xbd byte");
}

TEST(Journal, CanBeMoved) {
  const Folder folder;
  Journal first = std::move(*Journal::create(folder.path()));
  Journal second = std::move(first);
  second.append({{"event", "run_started"}, {"schema", 1}});
  Journal third = std::move(*Journal::create(folder.path() + "/other"));
  third = std::move(second);
  third.append({{"event", "note"}, {"text", ""}});
  EXPECT_EQ(read_journal(third.path())->size(), 2u);
}

TEST(Journal, SaysWhereItCannotBeMade) {
  const Folder folder;
  const std::string file = folder.file("runs", "");
  const Result<Journal> journal = Journal::create(file);
  ASSERT_FALSE(journal);
  EXPECT_EQ(journal.error().kind, ErrorKind::infrastructure);
  EXPECT_NE(journal.error().message.find("for the journal: Not a directory; --journal names another folder"),
            std::string::npos)
      << journal.error().message;
}

TEST(Journal, TellsOfAFullDisk) {
  const Folder folder;
  // The name has the second in it, so the next few are prepared.
  for (int ahead = 0; ahead < 30; ++ahead) {
    const std::time_t when = std::time(nullptr) + ahead;
    std::tm utc{};
    gmtime_r(&when, &utc);
    char name[64];
    std::strftime(name, sizeof name, "%Y%m%d-%H%M%S", &utc);
    const std::string run = fmt::format("{}/{}-{}", folder.path(), name, getpid());
    std::filesystem::create_directory(run);
    std::filesystem::create_symlink("/dev/full", run + "/journal.jsonl");
  }
  Result<Journal> journal = Journal::create(folder.path());
  ASSERT_TRUE(journal) << journal.error().message;
  journal->append({{"event", "run_started"}, {"schema", 1}});
  EXPECT_EQ(journal->trouble(), "cannot write " + journal->path() + ": No space left on device");
  journal->append({{"event", "note"}});
  EXPECT_EQ(journal->trouble(), "cannot write " + journal->path() + ": No space left on device");
}

// When space is freed again, a line behind half a line would make all of the journal unreadable.
TEST(Journal, WritesNothingBehindHalfALine) {
  const Folder folder;
  Result<Journal> journal = Journal::create(folder.path());
  ASSERT_TRUE(journal);
  journal->append({{"event", "run_started"}, {"schema", 1}});
  const auto size = std::filesystem::file_size(journal->path());
  const auto old = std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit tight{size + 8, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &tight);
  journal->append({{"event", "note"}, {"text", "cut"}});
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, old);
  EXPECT_EQ(journal->trouble(), "cannot write " + journal->path() + ": File too large");
  journal->append({{"event", "note"}, {"text", "after"}});
  EXPECT_EQ(std::filesystem::file_size(journal->path()), size + 8);
  const Result<std::vector<Json>> events = read_journal(journal->path());
  ASSERT_TRUE(events) << events.error().message;
  EXPECT_EQ(events->size(), 1u);
}

TEST(ReadJournal, DropsAHalfWrittenLastLine) {
  const Folder folder;
  const std::string path = folder.file("j", std::string(kStarted) + "{\"event\":\"note\",\"te");
  EXPECT_EQ(read_journal(path)->size(), 1u);
  // A whole event without its line end may be the half of a longer one.
  EXPECT_EQ(read_journal(folder.file("k", std::string(kStarted) + "{\"event\":\"note\"}"))->size(), 1u);
}

TEST(ReadJournal, RefusesForeignLinesByNumber) {
  const Folder folder;
  for (const char* line :
       {"Segmentation fault", "[]", "{}", "{\"event\": 3}", "", "{\"event\":\"note\"} x"}) {
    const std::string path = folder.file("j", std::string(kStarted) + line + "\n{\"event\":\"note\"}\n");
    EXPECT_EQ(error_of(path), path + ":2: expected a journal event, got something else") << line;
  }
}

// Such a member used to end the program.
TEST(ReadJournal, RefusesMembersOfAnotherTypeByNumber) {
  const Folder folder;
  for (const char* line :
       {"{\"event\":\"attempt_ended\",\"attempt\":\"one\"}", "{\"event\":\"planned\",\"checks\":[3]}",
        "{\"event\":\"attempt_ended\",\"ending\":{\"leaks\":[1]}}",
        "{\"event\":\"device_found\",\"present\":\"yes\"}", "{\"event\":\"planned\",\"labels\":\"a\"}"}) {
    const std::string path = folder.file("j", std::string(kStarted) + line + "\n");
    const std::string start = path + ":2: event ";
    EXPECT_EQ(error_of(path).substr(0, start.size()), start) << line << ": " << error_of(path);
    EXPECT_NE(error_of(path).find(" has a member of another type: "), std::string::npos) << error_of(path);
  }
}

TEST(ReadJournal, RefusesOtherVersionsAndOtherFiles) {
  const Folder folder;
  const std::string empty = folder.file("empty", "");
  EXPECT_EQ(error_of(empty), empty + ": the journal holds no event");
  const std::string half = folder.file("half", "{\"event\":");
  EXPECT_EQ(error_of(half), half + ": the journal holds no event");
  const std::string newer = folder.file("newer", "{\"event\":\"run_started\",\"schema\":2}\n");
  EXPECT_EQ(error_of(newer), newer + ": expected a journal of version 1, got 2");
  const std::string other = folder.file("other", "{\"event\":\"note\"}\n");
  EXPECT_EQ(error_of(other), other + ": expected a journal of version 1, got 0");
  EXPECT_NE(error_of(folder.path() + "/none"), "no error");
}

TEST(ReadJournal, LetsUnknownEventsAndMembersPass) {
  const Folder folder;
  const std::string path = folder.file("j", std::string(kStarted) +
                                                "{\"event\":\"moon_phase\",\"phase\":[0]}\n"
                                                "{\"event\":\"note\",\"text\":\"x\",\"colour\":{}}\n");
  EXPECT_EQ(read_journal(path)->size(), 3u);
}

TEST(NewestJournal, IsTheLastByName) {
  const Folder folder;
  EXPECT_EQ(newest_journal(folder.path()).error().message,
            "no journal below " + folder.path() + ": run `relapse run` first, or name a journal");
  folder.file("20261201-101502-9/journal.jsonl", kStarted);
  const std::string newest = folder.file("20261201-101503-1/journal.jsonl", kStarted);
  folder.file("20261202-101503-1/other.txt", "");
  folder.file("20261130-235959-1/journal.jsonl", kStarted);
  EXPECT_EQ(*newest_journal(folder.path()), newest);
  EXPECT_FALSE(newest_journal(folder.path() + "/none"));
}

TEST(UtcNow, IsWrittenTheLongWay) {
  const std::string now = utc_now();
  ASSERT_EQ(now.size(), 20u);
  EXPECT_EQ(now[10], 'T');
  EXPECT_EQ(now.back(), 'Z');
}

}  // namespace
}  // namespace relapse
