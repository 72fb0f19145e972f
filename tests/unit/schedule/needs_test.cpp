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

TEST(Needs, AreAskedOfTheDevicesThatAProbeFound) {
  Machine machine;
  Needs needs;
  needs.gpus = 2;
  EXPECT_EQ(unmet(needs, "cuda", machine, ""), "") << "nobody asked yet";
  machine.devices["cuda"] = {{{"NVIDIA H200", "9.0", std::uint64_t{139} << 30, 0}}, "13.0"};
  EXPECT_EQ(unmet(needs, "cuda", machine, ""), "needs 2 devices of kind cuda, 1 is here");
  EXPECT_EQ(unmet(needs, "cpu", machine, ""), "");
  needs.gpus = 1;
  needs.compute_capability = ">=10.0";
  EXPECT_EQ(unmet(needs, "cuda", machine, ""), "needs compute capability >=10.0, NVIDIA H200 has 9.0");
  needs.compute_capability = ">=8.9";
  EXPECT_EQ(unmet(needs, "cuda", machine, ""), "") << "9.0 is more than 8.9, and 10.0 more than 9.0";
  needs.device_memory = std::uint64_t{200} << 30;
  EXPECT_EQ(unmet(needs, "cuda", machine, ""), "needs 200 GiB of device memory, NVIDIA H200 has 139 GiB");
  needs.device_memory.reset();
  needs.cuda.bounds = {{">=", {13, 1}}};
  needs.cuda.text = ">=13.1";
  EXPECT_EQ(unmet(needs, "cuda", machine, ""), "needs CUDA >=13.1, the driver serves 13.0");
}

TEST(Machine, SaysWhyADeviceIsNotHere) {
  Machine bare;
  EXPECT_EQ(why_absent("cpu", bare), "");
  EXPECT_EQ(why_absent("cuda", bare), "no NVIDIA driver here");
  bare.nvidia_driver = true;
  EXPECT_EQ(why_absent("cuda", bare), "the NVIDIA driver lists no GPU");
  bare.gpus = 1;
  EXPECT_EQ(why_absent("cuda", bare), "");
  EXPECT_EQ(why_absent("npu", bare), "") << "a plugin may bring it: a probe asks";
}

TEST(Machine, HasACoreAndMemory) {
  EXPECT_GE(this_machine().cores, 1);
  EXPECT_GT(this_machine().memory, std::uint64_t{1} << 20);
}

}  // namespace
}  // namespace relapse
