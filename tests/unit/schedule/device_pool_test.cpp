#include <gmock/gmock.h>

#include <harness/schedule/device_pool.hpp>

namespace relapse {
namespace {

using testing::ElementsAre;
using testing::Pair;

DevicePool pool_of(int count, Health health = Health::well) {
  DeviceKind kind;
  kind.kind = "cuda";
  for (int i = 0; i < count; ++i)
    kind.slots.push_back({"cuda:" + std::to_string(i), std::to_string(i), std::uint64_t{100}});
  DevicePool pool(kind);
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) pool.set_health(i, health);
  return pool;
}

TEST(DevicePool, GivesADeviceToOneAttemptUnlessMemoryIsStated) {
  DevicePool pool = pool_of(1);
  const DeviceDemand alone{1, {}}, small{1, 40}, large{1, 60};
  const auto first = pool.take(alone);
  ASSERT_TRUE(first);
  EXPECT_FALSE(pool.take(alone));
  EXPECT_FALSE(pool.take(small)) << "what runs alone may use all of it";
  pool.give_back(*first, alone);
  ASSERT_TRUE(pool.take(small));
  EXPECT_FALSE(pool.take(alone));
  EXPECT_FALSE(pool.take(large)) << "100 of 100 leave no room for contexts";
  EXPECT_TRUE(pool.take(small));
}

TEST(DevicePool, SpreadsAttemptsAndTakesSeveralDevicesAtOnce) {
  DevicePool pool = pool_of(3);
  EXPECT_THAT(pool.take({1, {}}).value(), ElementsAre(0));
  EXPECT_THAT(pool.take({2, {}}).value(), ElementsAre(1, 2));
  EXPECT_FALSE(pool.take({1, {}}));
}

TEST(DevicePool, UsesADeviceOnlyWhenItIsWell) {
  DevicePool pool = pool_of(2, Health::unknown);
  EXPECT_FALSE(pool.take({1, {}}));
  EXPECT_EQ(pool.needs_canary(), 0u);
  pool.set_health(0, Health::checking);
  EXPECT_EQ(pool.needs_canary(), 1u);
  pool.set_health(0, Health::sick);
  pool.set_health(1, Health::well);
  EXPECT_EQ(pool.usable(), 1);
  EXPECT_THAT(pool.take({1, {}}).value(), ElementsAre(1));
  EXPECT_FALSE(pool.needs_canary());
}

TEST(DeviceEnvironment, MakesLaunchesWaitUnlessTheModeSaysNo) {
  EXPECT_THAT(device_environment("blocking", {"2", "5"}),
              ElementsAre(Pair("CUDA_VISIBLE_DEVICES", "2,5"), Pair("CUDA_LAUNCH_BLOCKING", "1"),
                          Pair("AMD_SERIALIZE_KERNEL", "3")));
  EXPECT_THAT(device_environment("async", {}),
              ElementsAre(Pair("CUDA_LAUNCH_BLOCKING", "0"), Pair("AMD_SERIALIZE_KERNEL", "0")));
  EXPECT_THAT(device_environment("nocache", {}),
              ElementsAre(Pair("CUDA_LAUNCH_BLOCKING", "1"), Pair("AMD_SERIALIZE_KERNEL", "3"),
                          Pair("PYTORCH_NO_CUDA_MEMORY_CACHING", "1")));
}

}  // namespace
}  // namespace relapse
