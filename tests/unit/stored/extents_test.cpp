#include <gtest/gtest.h>

#include <harness/stored/extents.hpp>

namespace relapse {
namespace {

TEST(BytesOf, CountsWholeBytes) {
  EXPECT_EQ(bytes_of({}, 32), 4u);
  EXPECT_EQ(bytes_of({2, 3}, 16), 12u);
  EXPECT_EQ(bytes_of({2, 3}, 4), 3u);
  EXPECT_EQ(bytes_of({3}, 4), std::nullopt);
  EXPECT_EQ(bytes_of({0, 3}, 4), 0u);
}

TEST(BytesOf, RefusesShapesWhoseStridesDoNotFit) {
  EXPECT_EQ(bytes_of({INT64_MAX}, 8), std::nullopt);
  EXPECT_EQ(bytes_of({0, INT64_MAX, INT64_MAX}, 8), std::nullopt);
  EXPECT_EQ(bytes_of({INT64_MAX, 0, 2}, 8), std::nullopt);
}

}  // namespace
}  // namespace relapse
