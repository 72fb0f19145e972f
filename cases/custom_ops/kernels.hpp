#pragma once

// The kernels, without LibTorch: plain pointers and sizes. Those of the GPU are compiled by nvcc alone, so
// they do not care which LibTorch loads them.

#include <cstdint>

namespace custom_ops {

/// Maps of features, one after the other: images x channels x height x width.
struct Features {
  const float* data;
  std::int64_t images;
  std::int64_t channels;
  std::int64_t height;
  std::int64_t width;
};

/// Rows of five: the image, then left, top, right and bottom, both ends inside.
struct Boxes {
  const float* data;
  std::int64_t count;
};

/// A cache of pages, seen as bytes; `pages` are the wanted ones, in their order.
struct Pages {
  const char* cache;
  std::int64_t page_bytes;
  std::int64_t element_bytes;
  const std::int64_t* pages;
  std::int64_t wanted;
};

/// The mean of every channel in every box: boxes x channels. A box is cut to its map; an empty one gives 0.
/// Believes that every image is there.
void box_means_cpu(const Features& features, const Boxes& boxes, float* means);

/// Copies the wanted pages.
void gather_pages_cpu(const Pages& pages, char* result);

/// The same with the offset of a page, in elements, kept in 32 bits, as it was before the fix.
void gather_pages_narrow_cpu(const Pages& pages, char* result);

/// A stream is a cudaStream_t. They launch and do not wait; the answer is cudaGetLastError's text, or null.
const char* box_means_cuda(const Features& features, const Boxes& boxes, float* means, void* stream);
const char* gather_pages_cuda(const Pages& pages, char* result, void* stream);
const char* gather_pages_narrow_cuda(const Pages& pages, char* result, void* stream);

}  // namespace custom_ops
