#include <gmock/gmock.h>

#include <harness/history/journals.hpp>

#include "../journal/folder.hpp"
#include "runs.hpp"

namespace relapse {
namespace {

using namespace test;
using testing::ElementsAre;

TEST(Journals, AreFilesRunsAndFoldersOldestFirst) {
  const Folder folder;
  const std::string text = RunWriter("1").finish().text();
  const std::string second = folder.file("a/20261201-101503-1/journal.jsonl", text);
  const std::string first = folder.file("z/20261201-101502-1/journal.jsonl", text);
  const std::string lone = folder.file("lone.jsonl", text);
  folder.file("a/20261201-101503-1/junit.xml", "");
  EXPECT_THAT(*journals_of({folder.path()}), ElementsAre(first, second));
  EXPECT_THAT(*journals_of({folder.path() + "/a/20261201-101503-1/"}), ElementsAre(second));
  EXPECT_THAT(*journals_of({second, folder.path(), second}), ElementsAre(first, second));
  EXPECT_THAT(*journals_of({lone}), ElementsAre(lone));
  EXPECT_EQ(read_runs({lone, first})->size(), 2u);
}

TEST(Journals, SayWhereThereAreNone) {
  const Folder folder;
  EXPECT_EQ(journals_of({folder.path()}).error().message,
            folder.path() + ": there is no journal.jsonl in it or below it");
  EXPECT_EQ(journals_of({folder.path() + "/no"}).error().message,
            folder.path() + "/no: there is no such journal, and no folder with journals");
  EXPECT_FALSE(read_runs({folder.path() + "/no"}));
}

}  // namespace
}  // namespace relapse
