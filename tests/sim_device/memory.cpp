#include "memory.hpp"

#include <cstdlib>
#include <cstring>
#include <new>

#include "context.hpp"

namespace sim {

namespace {

thread_local c10::DeviceIndex current = 0;

c10::Device here(c10::DeviceIndex index) {
  return {at::kPrivateUse1, index};
}

constexpr std::size_t kAlignment = 256;

struct Allocator final : at::Allocator {
  at::DataPtr allocate(std::size_t bytes) override {
    Context::of_process().enter(current);
    void* memory = nullptr;
    if (bytes > 0) {
      memory = std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
      TORCH_CHECK_WITH(OutOfMemoryError, memory != nullptr, "CUDA out of memory. Tried to allocate ", bytes,
                       " bytes.");
    }
    return {memory, memory, &std::free, here(current)};
  }
  at::DeleterFnPtr raw_deleter() const override { return &std::free; }
  void copy_data(void* to, const void* from, std::size_t bytes) const override {
    std::memcpy(to, from, bytes);
  }
};

void release(void* storage) {
  delete static_cast<c10::Storage*>(storage);
}

}  // namespace

c10::Allocator* device_allocator() {
  static Allocator allocator;
  return &allocator;
}

at::DataPtr adopt(const c10::Storage& host_storage, c10::DeviceIndex device) {
  auto* owner = new c10::Storage(host_storage);
  return {host_storage.data_ptr().get(), owner, &release, here(device)};
}

c10::DeviceIndex current_device() noexcept {
  return current;
}

void set_current_device(c10::DeviceIndex device) noexcept {
  current = device;
}

}  // namespace sim
