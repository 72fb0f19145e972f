#pragma once

// What kernels print when an assertion in them fails. One line for every failing thread, often hundreds.

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace relapse {

/// The lines of one assertion, told apart by place and condition.
struct KernelAssert {
  std::string file;  ///< as printed: absolute, or relative to the build
  int line = 0;
  std::string function;                   ///< a whole signature, or `operator()`
  std::string condition;                  ///< may hold quotes and `&&`
  std::string message;                    ///< only in the verbose form
  std::array<long, 3> block{}, thread{};  ///< of the first line
  int lines = 0;
};

/// Every assertion in what a process printed, in the order in which they first came. Both forms are read: the
/// CUDA runtime's `FILE:LINE: FUNCTION: block: [x,y,z], thread: [x,y,z] Assertion `COND` failed.` and the
/// verbose one of torch/headeronly/macros/Macros.h, `[CUDA_KERNEL_ASSERT] FILE:LINE: FUNCTION: block: [..],
/// thread: [..]: Assertion failed: `COND`: MESSAGE`.
std::vector<KernelAssert> kernel_asserts(std::string_view printed);

/// `Loss.cu:245: `t >= 0`  block [0,0,0] thread [3,0,0], 1 thread`.
std::string to_string(const KernelAssert& kernel_assert);

}  // namespace relapse
