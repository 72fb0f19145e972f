// Compiled by nvcc without any header of LibTorch. assert() stays on: it is what a device-side assert is.
#undef NDEBUG

#include <cassert>

#include <cuda_runtime.h>

#include "box_of.hpp"
#include "kernels.hpp"

namespace custom_ops {

namespace {

constexpr int kThreads = 128;
constexpr std::int64_t kMostBlocks = 65535;

int blocks_for(std::int64_t threads) {
  const std::int64_t blocks = (threads + kThreads - 1) / kThreads;
  return static_cast<int>(blocks < 1 ? 1 : (blocks < kMostBlocks ? blocks : kMostBlocks));
}

const char* launched() {
  const cudaError_t error = cudaGetLastError();
  return error == cudaSuccess ? nullptr : cudaGetErrorString(error);
}

__global__ void box_means_kernel(Features features, Boxes boxes, float* means) {
  const std::int64_t all = boxes.count * features.channels;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < all;
       i += step) {
    const float* box = boxes.data + i / features.channels * 5;
    const std::int64_t image = static_cast<std::int64_t>(box[0]);
    assert(image >= 0 && image < features.images);
    const std::int64_t channel = image * features.channels + i % features.channels;
    means[i] = mean_of(features.data + channel * features.height * features.width,
                       window_of(box, features.height, features.width), features.width);
  }
}

/// Offset is what the offset of a page, in elements, is kept in.
template <typename Offset>
__global__ void gather_pages_kernel(Pages pages, char* result) {
  const std::int64_t all = pages.wanted * pages.page_bytes;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  const Offset page_elements = static_cast<Offset>(pages.page_bytes / pages.element_bytes);
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < all;
       i += step) {
    const Offset offset = static_cast<Offset>(pages.pages[i / pages.page_bytes]) * page_elements;
    result[i] = pages.cache[static_cast<std::int64_t>(offset) * pages.element_bytes + i % pages.page_bytes];
  }
}

}  // namespace

const char* box_means_cuda(const Features& features, const Boxes& boxes, float* means, void* stream) {
  box_means_kernel<<<blocks_for(boxes.count * features.channels), kThreads, 0,
                     static_cast<cudaStream_t>(stream)>>>(features, boxes, means);
  return launched();
}

const char* gather_pages_cuda(const Pages& pages, char* result, void* stream) {
  gather_pages_kernel<std::int64_t>
      <<<blocks_for(pages.wanted * pages.page_bytes), kThreads, 0, static_cast<cudaStream_t>(stream)>>>(
          pages, result);
  return launched();
}

const char* gather_pages_narrow_cuda(const Pages& pages, char* result, void* stream) {
  gather_pages_kernel<std::int32_t>
      <<<blocks_for(pages.wanted * pages.page_bytes), kThreads, 0, static_cast<cudaStream_t>(stream)>>>(
          pages, result);
  return launched();
}

}  // namespace custom_ops
