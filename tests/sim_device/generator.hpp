#pragma once

// Random numbers. A device draws from a generator of its own: the same seed gives other numbers than on the
// CPU, as it does on a GPU, and drawing on the device leaves the CPU's generator alone.

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

namespace sim {

at::Generator make_generator(c10::DeviceIndex device);
const at::Generator& default_generator(c10::DeviceIndex device);

/// Lets kernels of the CPU draw from a device's generator while it lives: from the default generator of the
/// CPU, whose state is put back.
class DrawFrom {
 public:
  explicit DrawFrom(const at::Generator& generator);
  ~DrawFrom();
  DrawFrom(const DrawFrom&) = delete;
  DrawFrom& operator=(const DrawFrom&) = delete;

 private:
  at::Generator device_;
  at::Tensor cpu_state_;
};

}  // namespace sim
