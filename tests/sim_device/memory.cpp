#include "memory.hpp"

#include <c10/core/CachingDeviceAllocator.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "context.hpp"

namespace sim {

namespace {

thread_local c10::DeviceIndex current = 0;

c10::Device here(c10::DeviceIndex index) {
  return {at::kPrivateUse1, index};
}

constexpr std::size_t kAlignment = 256;

/// With this bit an address of x86-64 or ARM is none that can be read.
constexpr std::uintptr_t kOnDevice = std::uintptr_t{1} << 62;

void* on_device(void* host_address) {
  if (host_address == nullptr) return nullptr;
  return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(host_address) | kOnDevice);
}

std::array<std::atomic<std::size_t>, 16> in_use{};

/// What a tensor of the device holds: bytes of its own, or a storage of the CPU.
struct Block {
  void* memory;
  c10::Storage storage;
  std::size_t bytes;
  c10::DeviceIndex device;
};

void release(void* context) {
  auto* block = static_cast<Block*>(context);
  in_use.at(static_cast<std::size_t>(block->device)) -= block->bytes;
  std::free(block->memory);
  delete block;
}

at::DataPtr hold(void* address, Block block) {
  in_use.at(static_cast<std::size_t>(block.device)) += block.bytes;
  const c10::Device device = here(block.device);
  return {on_device(address), new Block(std::move(block)), &release, device};
}

void refuse(std::size_t bytes, c10::DeviceIndex device) {
  const std::size_t total = Context::of_process().memory();
  const std::size_t used = in_use.at(static_cast<std::size_t>(device));
  TORCH_CHECK_WITH(OutOfMemoryError, false, "CUDA out of memory. Tried to allocate ", bytes, " bytes. GPU ",
                   static_cast<int>(device), " has a total capacity of ", total, " bytes of which ",
                   total - std::min(used, total), " bytes is free.");
}

void check_room(std::size_t bytes, c10::DeviceIndex device) {
  const std::size_t used = in_use.at(static_cast<std::size_t>(device));
  const std::size_t total = Context::of_process().memory();
  if (used > total || bytes > total - used) refuse(bytes, device);
}

struct Allocator final : c10::DeviceAllocator {
  at::DataPtr allocate(std::size_t bytes) override {
    Context::of_process().enter(current);
    if (bytes == 0) return hold(nullptr, {nullptr, {}, 0, current});
    check_room(bytes, current);
    void* memory = std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
    if (memory == nullptr) refuse(bytes, current);
    return hold(memory, {memory, {}, bytes, current});
  }
  /// None: what frees memory needs to know whose it is.
  at::DeleterFnPtr raw_deleter() const override { return nullptr; }
  void copy_data(void* to, const void* from, std::size_t bytes) const override {
    if (bytes > 0) std::memcpy(on_host(to), on_host(const_cast<void*>(from)), bytes);
  }

  bool initialized() override { return true; }
  void emptyCache(c10::MempoolId_t /*pool*/) override {}
  void recordStream(const at::DataPtr& /*memory*/, c10::Stream /*stream*/) override {}
  c10::CachingDeviceAllocator::DeviceStats getDeviceStats(c10::DeviceIndex /*device*/) override { return {}; }
  void resetAccumulatedStats(c10::DeviceIndex /*device*/) override {}
  void resetPeakStats(c10::DeviceIndex /*device*/) override {}
  std::pair<std::size_t, std::size_t> getMemoryInfo(c10::DeviceIndex device) override {
    Context::of_process().enter(device);
    const std::size_t total = Context::of_process().memory();
    return {total - std::min(in_use.at(static_cast<std::size_t>(device)).load(), total), total};
  }
};

}  // namespace

c10::Allocator* device_allocator() {
  static Allocator allocator;
  return &allocator;
}

void* on_host(void* device_address) {
  return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(device_address) & ~kOnDevice);
}

at::DataPtr adopt(const c10::Storage& host_storage, c10::DeviceIndex device) {
  check_room(host_storage.nbytes(), device);
  return hold(host_storage.data_ptr().get(), {nullptr, host_storage, host_storage.nbytes(), device});
}

c10::DeviceIndex current_device() noexcept {
  return current;
}

void set_current_device(c10::DeviceIndex device) noexcept {
  current = device;
}

}  // namespace sim
