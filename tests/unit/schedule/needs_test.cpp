#include <gtest/gtest.h>

#include <harness/schedule/needs.hpp>

namespace relapse {
namespace {

Machine machine() {
  Machine machine;
  machine.memory = std::uint64_t{8} << 30;
  return machine;
}

TEST(Needs, AreMetWhereNothingIsNeeded) {
  EXPECT_EQ(unmet({}, "cpu", machine(), "2.15.0"), "");
}

TEST(Needs, SayWhichDevicesTheyAsk) {
  Needs needs;
  needs.devices = {"cuda"};
  EXPECT_EQ(unmet(needs, "cpu", machine(), ""), "needs cuda");
  EXPECT_EQ(unmet(needs, "cuda", machine(), ""), "");
  needs.devices = {"cuda", "mps"};
  EXPECT_EQ(unmet(needs, "cpu", machine(), ""), "needs cuda or mps");
}

TEST(Needs, CompareMemory) {
  Needs needs;
  needs.memory = std::uint64_t{16} << 30;
  EXPECT_EQ(unmet(needs, "cpu", machine(), ""), "needs 16 GiB of memory, 8 GiB are here");
  needs.memory = std::uint64_t{8} << 30;
  EXPECT_EQ(unmet(needs, "cpu", machine(), ""), "");
}

TEST(Needs, CompareVersionsWhereOneIsKnown) {
  Needs needs;
  needs.torch.bounds = {{">=", {3}}};
  needs.torch.text = ">=3";
  EXPECT_EQ(unmet(needs, "cpu", machine(), "2.15.0"), "needs LibTorch >=3, 2.15.0 is here");
  EXPECT_EQ(unmet(needs, "cpu", machine(), "3.1"), "");
  EXPECT_EQ(unmet(needs, "cpu", machine(), ""), "");
}

TEST(Needs, OfGpusDoNotCountOnTheCpu) {
  Needs needs;
  needs.gpus = 8;
  needs.compute_capability = ">=9.0";
  needs.device_memory = std::uint64_t{80} << 30;
  EXPECT_EQ(unmet(needs, "cpu", machine(), ""), "");
}

TEST(Machine, SaysWhyADeviceIsNotHere) {
  Machine bare;
  EXPECT_EQ(why_absent("cpu", bare), "");
  EXPECT_EQ(why_absent("cuda", bare), "no NVIDIA driver here");
  bare.nvidia_driver = true;
  EXPECT_EQ(why_absent("cuda", bare), "the NVIDIA driver lists no GPU");
  bare.gpus = 1;
  EXPECT_EQ(why_absent("cuda", bare), "");
  EXPECT_EQ(why_absent("tpu", bare), "no such kind of device");
}

TEST(Machine, HasACoreAndMemory) {
  EXPECT_GE(this_machine().cores, 1);
  EXPECT_GT(this_machine().memory, std::uint64_t{1} << 20);
}

}  // namespace
}  // namespace relapse
