#include <gtest/gtest.h>

#include <harness/support/text.hpp>

namespace relapse {
namespace {

// Vectors of the FNV authors' test suite and of FIPS 180-2.
TEST(Fnv1a64, GivesThePublishedValues) {
  EXPECT_EQ(fnv1a64(""), 0xcbf29ce484222325ull);
  EXPECT_EQ(fnv1a64("a"), 0xaf63dc4c8601ec8cull);
  EXPECT_EQ(fnv1a64("foobar"), 0x85944171f73967e8ull);
}

TEST(Fnv1a64, GoesOnFromAnEarlierValue) {
  EXPECT_EQ(fnv1a64("bar", fnv1a64("foo")), fnv1a64("foobar"));
}

TEST(Sha256, GivesThePublishedValue) {
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace relapse
