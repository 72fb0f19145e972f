#include <gtest/gtest.h>

#include <harness/verdict/assert_lines.hpp>

namespace relapse {
namespace {

// Lines as printed by the CUDA runtime in public reports (pytorch issues 121493 and 16831, accelerate issue
// 2539).
constexpr const char* kPrinted =
    "Traceback, which is none\n"
    "../aten/src/ATen/native/cuda/Indexing.cu:1290: indexSelectLargeIndex: block: [61,0,0], thread: [64,0,0] "
    "Assertion "
    "`srcIndex < srcSelectDimSize` failed.\n"
    "../aten/src/ATen/native/cuda/Indexing.cu:1290: indexSelectLargeIndex: block: [61,0,0], thread: [65,0,0] "
    "Assertion "
    "`srcIndex < srcSelectDimSize` failed.\r\n"
    "/opt/conda/IndexKernel.cu:91: operator(): block: [3,0,0], thread: [7,0,0] Assertion `index >= -sizes[i] "
    "&& index < "
    "sizes[i] && \"index out of bounds\"` failed.\n"
    "/w/Loss.cu:12: void nll<float, int>(float *, long): block: [0,1,2], thread: [3,0,0] Assertion `t >= 0` "
    "failed.\n";

TEST(KernelAsserts, AreGroupedByPlaceAndCondition) {
  const std::vector<KernelAssert> found = kernel_asserts(kPrinted);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].file, "../aten/src/ATen/native/cuda/Indexing.cu");
  EXPECT_EQ(found[0].line, 1290);
  EXPECT_EQ(found[0].function, "indexSelectLargeIndex");
  EXPECT_EQ(found[0].condition, "srcIndex < srcSelectDimSize");
  EXPECT_EQ(found[0].lines, 2);
  EXPECT_EQ(to_string(found[0]),
            "Indexing.cu:1290: `srcIndex < srcSelectDimSize`  block [61,0,0] thread [64,0,0], 2 threads");
  EXPECT_EQ(found[1].condition, "index >= -sizes[i] && index < sizes[i] && \"index out of bounds\"");
  EXPECT_EQ(found[2].function, "void nll<float, int>(float *, long)");
  EXPECT_EQ(found[2].block, (std::array<long, 3>{0, 1, 2}));
}

TEST(KernelAsserts, AreReadInTheVerboseForm) {
  const std::vector<KernelAssert> found = kernel_asserts(
      "[CUDA_KERNEL_ASSERT] a.cu:7: f: block: [1,0,0], thread: [2,0,0]: Assertion failed: `i < n`: i is too "
      "large\n"
      "[CUDA_KERNEL_ASSERT] a.cu:8: f: block: [1,0,0], thread: [2,0,0]: Assertion failed: `j < n`\n");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].file, "a.cu");
  EXPECT_EQ(to_string(found[0]), "a.cu:7: `i < n` (i is too large)  block [1,0,0] thread [2,0,0], 1 thread");
  EXPECT_EQ(found[1].condition, "j < n");
}

TEST(KernelAsserts, AreNotSeenInOtherText) {
  for (const char* other : {"", "\n\n", "a.cu:7: f: block: [1,0], thread: [2,0,0] Assertion `x` failed.",
                            "a.cu:7: f: block: [1,0,0], thread: [2,0,0] Assertion `x` held.",
                            "a.cu: f: block: [1,0,0], thread: [2,0,0] "
                            "Assertion `x` failed.",
                            "program: main.c:3: main: Assertion `x' failed."})
    EXPECT_TRUE(kernel_asserts(other).empty()) << other;
}

TEST(KernelAsserts, CostNoMoreThanTheirTextWhateverItIs) {
  std::string hostile;
  for (int i = 0; i < 20000; ++i) hostile += ": block: [";
  hostile += "\n" + std::string(200000, '`') + "\n" + std::string(100000, ':');
  EXPECT_TRUE(kernel_asserts(hostile).empty());
}

}  // namespace
}  // namespace relapse
