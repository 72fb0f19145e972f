#include <cstring>

#include "box_of.hpp"
#include "kernels.hpp"

namespace custom_ops {

void box_means_cpu(const Features& features, const Boxes& boxes, float* means) {
  const std::int64_t map = features.height * features.width;
  for (std::int64_t b = 0; b < boxes.count; ++b) {
    const float* box = boxes.data + b * 5;
    const Window window = window_of(box, features.height, features.width);
    const auto image = static_cast<std::int64_t>(box[0]);
    for (std::int64_t c = 0; c < features.channels; ++c) {
      const float* channel = features.data + (image * features.channels + c) * map;
      means[b * features.channels + c] = mean_of(channel, window, features.width);
    }
  }
}

void gather_pages_cpu(const Pages& pages, char* result) {
  for (std::int64_t i = 0; i < pages.wanted; ++i) {
    std::memcpy(result + i * pages.page_bytes, pages.cache + pages.pages[i] * pages.page_bytes,
                static_cast<std::size_t>(pages.page_bytes));
  }
}

void gather_pages_narrow_cpu(const Pages& pages, char* result) {
  const auto page_elements = static_cast<std::uint32_t>(pages.page_bytes / pages.element_bytes);
  for (std::int64_t i = 0; i < pages.wanted; ++i) {
    // Unsigned, so that it wraps by definition; as the signed number that the kernel had, it is negative from
    // 2^31 on.
    const auto offset = static_cast<std::int32_t>(static_cast<std::uint32_t>(pages.pages[i]) * page_elements);
    std::memcpy(result + i * pages.page_bytes, pages.cache + std::int64_t{offset} * pages.element_bytes,
                static_cast<std::size_t>(pages.page_bytes));
  }
}

}  // namespace custom_ops
