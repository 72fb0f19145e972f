#include <gmock/gmock.h>

#include <harness/history/bisect.hpp>

#include "runs.hpp"

namespace relapse {
namespace {

using namespace test;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

/// Versions by what they show; `?why` for one that shows nothing.
class Versions {
 public:
  explicit Versions(std::vector<std::string> shown) : shown_(std::move(shown)) {}
  Bisected bisect() {
    return relapse::bisect(shown_.size(), [this](std::size_t i) {
      asked_.push_back(i);
      const std::string& one = shown_[i];
      return one[0] == '?' ? Shown{{}, one.substr(1)} : Shown{one, {}};
    });
  }
  const std::vector<std::size_t>& asked() const { return asked_; }

 private:
  std::vector<std::string> shown_;
  std::vector<std::size_t> asked_;
};

TEST(Bisect, FindsEveryPlaceOfAChangeWithFewQuestions) {
  for (std::size_t change = 1; change < 40; ++change) {
    std::vector<std::string> shown(40, "held");
    for (std::size_t i = change; i < 40; ++i) shown[i] = "broken loss.same_as";
    Versions versions(shown);
    const Bisected found = versions.bisect();
    ASSERT_EQ(found.kind, Bisected::Kind::changes);
    EXPECT_EQ(found.before, change - 1);
    EXPECT_EQ(found.after, change);
    EXPECT_EQ(found.first, "held");
    EXPECT_EQ(found.last, "broken loss.same_as");
    EXPECT_LE(versions.asked().size(), 8u);
  }
}

TEST(Bisect, FindsAFixAndAnotherSymptomAlike) {
  EXPECT_EQ(Versions({"broken a", "broken a", "held"}).bisect().after, 2u);
  EXPECT_EQ(Versions({"broken a", "broken b", "broken b"}).bisect().after, 1u);
}

TEST(Bisect, GoesAroundWhatTellsNothing) {
  const Bisected found =
      Versions({"held", "held", "?it needs 2.13", "held", "broken x", "broken x"}).bisect();
  EXPECT_EQ(found.kind, Bisected::Kind::changes);
  EXPECT_EQ(found.after, 4u);
  EXPECT_THAT(found.untold, IsEmpty()) << "what lies outside does not matter";
}

TEST(Bisect, CannotTellWhereTheChangeIsAmongTheUntold) {
  const Bisected found =
      Versions({"held", "held", "?skipped", "faulted crash", "broken x", "broken x"}).bisect();
  EXPECT_EQ(found.kind, Bisected::Kind::cannot_tell);
  EXPECT_EQ(found.before, 1u);
  EXPECT_EQ(found.after, 4u);
  EXPECT_THAT(found.untold, ElementsAre(Pair(2u, "skipped"), Pair(3u, "another symptom: faulted crash")));
}

TEST(Bisect, CannotTellWithoutBothEnds) {
  Versions versions({"?no worker", "held", "broken x"});
  const Bisected found = versions.bisect();
  EXPECT_EQ(found.kind, Bisected::Kind::cannot_tell);
  EXPECT_THAT(found.untold, ElementsAre(Pair(0u, "no worker")));
  EXPECT_THAT(versions.asked(), ElementsAre(0u, 2u));
  EXPECT_EQ(Versions({}).bisect().kind, Bisected::Kind::cannot_tell);
}

TEST(Bisect, SaysWhereTheEndsDoNotDiffer) {
  EXPECT_EQ(Versions({"held", "broken x", "held"}).bisect().kind, Bisected::Kind::same);
  EXPECT_EQ(Versions({"held"}).bisect().kind, Bisected::Kind::same);
}

TEST(ShownBy, TakesOnlyVerdictsOnTheCodeForSymptoms) {
  RunWriter run("1");
  run.plan("a", {{"failing", {}}, {"b", {}}, {"c", {}}, {"d", {}}}).start("a", {});
  run.judge("a", "failing", VerdictKind::held).judge("a", "b", VerdictKind::broken, "cpu", "y.equals");
  run.judge("a", "c", VerdictKind::unstable).judge("a", "d", VerdictKind::case_error);
  EXPECT_EQ(shown_by(run.run(), "a@cpu/failing").signature, "held");
  EXPECT_EQ(shown_by(run.run(), "a@cpu/b").signature, "broken y.equals");
  EXPECT_EQ(shown_by(run.run(), "a@cpu/c").signature, "");
  EXPECT_EQ(shown_by(run.run(), "a@cpu/c").why, "unstable");
  EXPECT_EQ(shown_by(run.run(), "a@cpu/d").why, "case_error");
  EXPECT_EQ(shown_by(run.run(), "a@cpu/e").why, "it has no such check");
}

}  // namespace
}  // namespace relapse
