#include <gtest/gtest.h>

#include <harness/case/case.hpp>

namespace relapse {
namespace {

VersionRange range(std::string op, std::vector<int> version) {
  return {{{std::move(op), std::move(version)}}, ""};
}

TEST(VersionRange, ComparesReleaseNumbersOnly) {
  EXPECT_TRUE(range(">=", {2, 15}).contains("2.15.0+cu132"));
  EXPECT_FALSE(range(">", {2, 15}).contains("2.15.0a0"));
  EXPECT_TRUE(range("<", {2, 6}).contains("2.5.1"));
  EXPECT_FALSE(range("<", {2, 6}).contains("2.10.0"));
  EXPECT_TRUE(range("==", {2, 15}).contains("2.15.0"));
  EXPECT_TRUE(range("!=", {2, 15}).contains("2.15.1"));
  EXPECT_TRUE(range("<=", {13, 0}).contains("13"));
}

TEST(VersionRange, TakesEverythingWhenEmpty) {
  EXPECT_TRUE(VersionRange{}.contains("anything"));
}

TEST(Expectation, FallsBackToEveryDevice) {
  Expectation expectation;
  expectation.by_device[""].push_back({});
  EXPECT_EQ(expectation.for_device("cuda").size(), 1u);
  expectation.by_device["cuda"] = {};
  EXPECT_TRUE(expectation.for_device("cuda").empty());
  EXPECT_TRUE(Expectation{}.for_device("cpu").empty());
}

TEST(Needs, AreEmptyUntilSomethingIsNeeded) {
  Needs needs;
  EXPECT_TRUE(needs.empty());
  needs.gpus = 2;
  EXPECT_FALSE(needs.empty());
}

}  // namespace
}  // namespace relapse
