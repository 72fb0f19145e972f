#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/ops/rand.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <harness/device/device.hpp>
#include <harness/tensor/facts.hpp>

namespace relapse {
namespace {

std::string value_of(const Settings& settings, const std::string& name) {
  for (const auto& [key, value] : settings) {
    if (key == name) return value;
  }
  return "(not set)";
}

TEST(Device, SeedsTheGeneratorOfTheCpu) {
  seed_generators(c10::Device(at::kCPU), 7);
  const at::Tensor first = at::rand({4});
  seed_generators(c10::Device(at::kCPU), 7);
  EXPECT_EQ(digest_of(first), digest_of(at::rand({4})));
  EXPECT_NE(digest_of(first), digest_of(at::rand({4})));
}

TEST(Device, KeepsNumbersComparableUnlessTheCaseAsksOtherwise) {
  const Settings settings = apply_settings({}, 1);
  EXPECT_EQ(at::get_num_threads(), 1);
  EXPECT_FALSE(at::globalContext().allowTF32CuBLAS());
  EXPECT_FALSE(at::globalContext().deterministicAlgorithms());
  EXPECT_EQ(value_of(settings, "threads"), "1");
  EXPECT_EQ(value_of(settings, "tf32"), "off");
  EXPECT_EQ(value_of(settings, "reduced_precision_reductions"), "off");
  EXPECT_EQ(value_of(settings, "cudnn"), "on");
  EXPECT_EQ(value_of(settings, "deterministic"), "off");
  EXPECT_EQ(value_of(settings, "flush_denormal"), "off");

  RunOptions options;
  options.deterministic = true;
  options.tf32 = true;
  options.cudnn = false;
  const Settings changed = apply_settings(options, 1);
  EXPECT_TRUE(at::globalContext().deterministicAlgorithms());
  EXPECT_FALSE(at::globalContext().deterministicAlgorithmsWarnOnly());
  EXPECT_FALSE(at::globalContext().userEnabledCuDNN());
  EXPECT_EQ(value_of(changed, "tf32"), "on");
  EXPECT_EQ(value_of(changed, "cudnn"), "off");
  EXPECT_EQ(value_of(changed, "CUBLAS_WORKSPACE_CONFIG"), std::getenv("CUBLAS_WORKSPACE_CONFIG"));
  apply_settings({}, 1);
}

TEST(Device, TheCpuKnowsTheAnswer) {
  EXPECT_TRUE(known_answer(c10::Device(at::kCPU)));
  synchronize(c10::Device(at::kCPU));
}

TEST(Device, ADeviceThatIsNotThereDoesNot) {
  EXPECT_FALSE(known_answer(c10::Device(at::kVulkan)));
}

}  // namespace
}  // namespace relapse
