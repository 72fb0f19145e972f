#pragma once

// A box on its map, the same for both kinds of kernels.

#include <cstdint>

#ifdef __CUDACC__
#define CUSTOM_OPS_BOTH __host__ __device__
#else
#define CUSTOM_OPS_BOTH
#endif

namespace custom_ops {

/// The part of a box that lies on the map: from left and top up to before right and bottom.
struct Window {
  std::int64_t left;
  std::int64_t top;
  std::int64_t right;
  std::int64_t bottom;
};

/// A position as the index of an element, from 0 to `end`; everything outside is moved to the edge, and so is
/// what is no number.
CUSTOM_OPS_BOTH inline std::int64_t on_map(float position, std::int64_t end) {
  if (!(position > 0.0F)) return 0;
  return position < static_cast<float>(end) ? static_cast<std::int64_t>(position) : end;
}

CUSTOM_OPS_BOTH inline Window window_of(const float* box, std::int64_t height, std::int64_t width) {
  return {on_map(box[1], width), on_map(box[2], height), on_map(box[3] + 1.0F, width),
          on_map(box[4] + 1.0F, height)};
}

CUSTOM_OPS_BOTH inline float mean_of(const float* map, const Window& window, std::int64_t width) {
  double sum = 0.0;
  std::int64_t count = 0;
  for (std::int64_t y = window.top; y < window.bottom; ++y) {
    for (std::int64_t x = window.left; x < window.right; ++x) {
      sum += static_cast<double>(map[y * width + x]);
      ++count;
    }
  }
  return count == 0 ? 0.0F : static_cast<float>(sum / static_cast<double>(count));
}

}  // namespace custom_ops
