#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <harness/support/text.hpp>
#include <harness/tensor/generator.hpp>
#include <nlohmann/json.hpp>
#include <set>

namespace relapse {
namespace {

using Json = nlohmann::json;

std::uint64_t unsigned_of(const Json& value) {
  return std::strtoull(value.get<std::string>().c_str(), nullptr, 0);
}
std::int64_t signed_of(const Json& value) {
  return std::strtoll(value.get<std::string>().c_str(), nullptr, 0);
}
double real_of(const Json& value) {
  return std::strtod(value.get<std::string>().c_str(), nullptr);
}

Json read_vectors() {
  std::ifstream file(RELAPSE_TEST_DATA "/generator-vectors.json");
  return Json::parse(file);
}

TEST(Generator, HasThePublishedPhiloxCore) {
  const std::array<std::uint32_t, 4> expected = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
  EXPECT_EQ(philox({}, 0, 0), expected);
}

TEST(Generator, MakesEveryVectorBitForBit) {
  int checked = 0;
  for (const Json& vector : read_vectors()) {
    const std::string what = vector["what"];
    const std::string name = vector["name"];
    const std::uint64_t seed = unsigned_of(vector["seed"]);
    const PhiloxKey key = philox_key(seed, name);
    SCOPED_TRACE(what + " of " + name + ", seed " + std::to_string(seed));
    if (what == "key") {
      EXPECT_EQ(fnv1a64(name), unsigned_of(vector["fnv1a64"]));
      EXPECT_EQ(std::uint64_t(key.high) << 32 | key.low, unsigned_of(vector["key"]));
    } else if (what == "words") {
      for (std::size_t i = 0; i < vector["index"].size(); ++i) {
        const Words made = words(key, vector["index"][i], vector["draw"]);
        EXPECT_EQ(made.w0, unsigned_of(vector["W0"][i]));
        EXPECT_EQ(made.w1, unsigned_of(vector["W1"][i]));
      }
    } else if (what == "permutation") {
      EXPECT_EQ(permutation(key, vector["n"]), vector["values"].get<std::vector<std::int64_t>>());
    } else {
      for (std::size_t i = 0; i < vector["values"].size(); ++i) {
        const Json& value = vector["values"][i];
        if (what == "uniform") {
          EXPECT_EQ(uniform_at(key, i, vector["low"], vector["high"]), real_of(value));
        } else if (what == "normal") {
          EXPECT_EQ(normal_at(key, i), real_of(value));
        } else if (what == "integer") {
          EXPECT_EQ(integer_at(key, i, signed_of(vector["low"]), signed_of(vector["high"])),
                    signed_of(value));
        } else {
          ADD_FAILURE() << "an unknown kind of vector";
        }
      }
    }
    ++checked;
  }
  EXPECT_EQ(checked, 33);
}

TEST(Generator, DrawsDistinctValuesFromSmallAndLargeRanges) {
  const PhiloxKey key = philox_key(3, "ids");
  for (const std::int64_t high : {std::int64_t(63), std::int64_t(1) << 40, INT64_MAX}) {
    const std::vector<std::int64_t> values = distinct(key, 64, 0, high);
    EXPECT_EQ(std::set<std::int64_t>(values.begin(), values.end()).size(), 64u);
    for (const std::int64_t value : values) EXPECT_TRUE(value >= 0 && value <= high);
  }
}

TEST(Generator, DrawsTheSameFirstValuesHoweverManyAreAskedFor) {
  const PhiloxKey key = philox_key(0, "x");
  const std::vector<std::int64_t> all = distinct(key, 100, -50, 49);
  const std::vector<std::int64_t> few = distinct(key, 5, -50, 49);
  EXPECT_EQ(std::vector<std::int64_t>(all.begin(), all.begin() + 5), few);
}

TEST(Generator, ReplacesAboutOneElementInEightByAnException) {
  const PhiloxKey key = philox_key(0, "x");
  int replaced = 0;
  for (int i = 0; i < 8000; ++i) {
    const auto position = exception_at(key, i, 3);
    if (!position) continue;
    EXPECT_LT(*position, 3u);
    ++replaced;
  }
  EXPECT_NEAR(replaced, 1000, 120);
  EXPECT_FALSE(exception_at(key, 0, 0).has_value());
}

TEST(Generator, KeepsUniformNumbersInsideTheirRange) {
  EXPECT_EQ(unit(0), 0x1p-54);
  // 2^53 - 0.5 is halfway between two doubles and rounds to the even one.
  EXPECT_EQ(unit(~std::uint64_t(0)), 1.0);
}

}  // namespace
}  // namespace relapse
