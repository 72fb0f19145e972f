// The device as LibTorch asks for it: which is current, streams and events, how many there are. Every stream
// has run when a launch returns, so streams only have names and events only a time.

#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>

#include "context.hpp"
#include "enclosing.hpp"
#include "generator.hpp"
#include "memory.hpp"

namespace sim {

namespace {

constexpr std::size_t kMost = 16;
thread_local std::array<c10::StreamId, kMost> current_streams{};

c10::StreamId& stream_of(c10::DeviceIndex device) {
  return current_streams.at(device < 0 ? static_cast<std::size_t>(current_device())
                                       : static_cast<std::size_t>(device));
}

struct Event {
  std::chrono::steady_clock::time_point recorded;
};

struct Guard final : c10::impl::DeviceGuardImplInterface {
  at::DeviceType type() const override { return at::kPrivateUse1; }
  at::Device getDevice() const override { return {at::kPrivateUse1, current_device()}; }
  at::Device exchangeDevice(at::Device device) const override {
    const at::Device old = getDevice();
    setDevice(device);
    return old;
  }
  void setDevice(at::Device device) const override {
    if (device.has_index()) set_current_device(device.index());
  }
  void uncheckedSetDevice(at::Device device) const noexcept override {
    if (device.has_index()) set_current_device(device.index());
  }
  at::DeviceIndex deviceCount() const noexcept override {
    return static_cast<at::DeviceIndex>(Context::device_count());
  }

  at::Stream getStream(at::Device device) const noexcept override {
    return at::Stream(at::Stream::UNSAFE, with_index(device), stream_of(device.index()));
  }
  at::Stream getDefaultStream(at::Device device) const override {
    return at::Stream(at::Stream::DEFAULT, with_index(device));
  }
  at::Stream getStreamFromGlobalPool(at::Device device, bool /*high_priority*/) const override {
    return getNewStream(device, 0);
  }
  at::Stream getNewStream(at::Device device, int /*priority*/) const override {
    static std::atomic<c10::StreamId> last{0};
    return at::Stream(at::Stream::UNSAFE, with_index(device), ++last);
  }
  at::Stream exchangeStream(at::Stream stream) const noexcept override {
    const at::Stream old = getStream(stream.device());
    stream_of(stream.device_index()) = stream.id();
    return old;
  }
  bool queryStream(const at::Stream& stream) const override {
    Context::of_process().enter(stream.device_index());
    Context::of_process().wait(stream.device_index());
    return true;
  }
  void synchronizeStream(const at::Stream& stream) const override {
    Context::of_process().synchronize(stream.device_index());
  }
  void synchronizeDevice(const at::DeviceIndex index) const override {
    Context::of_process().synchronize(index < 0 ? current_device() : index);
  }

  void record(void** event, const at::Stream& stream, const at::DeviceIndex /*index*/,
              const at::EventFlag /*flag*/) const override {
    Context::of_process().enter(stream.device_index());
    if (*event == nullptr) *event = new Event;
    static_cast<Event*>(*event)->recorded = std::chrono::steady_clock::now();
  }
  void block(void* /*event*/, const at::Stream& /*stream*/) const override {}
  bool queryEvent(void* /*event*/) const override {
    Context::of_process().wait(current_device());
    return true;
  }
  void synchronizeEvent(void* event) const override {
    if (event != nullptr) Context::of_process().synchronize(current_device());
  }
  void destroyEvent(void* event, const at::DeviceIndex /*index*/) const noexcept override {
    delete static_cast<Event*>(event);
  }
  double elapsedTime(void* from, void* to, const at::DeviceIndex /*index*/) const override {
    const auto between = static_cast<Event*>(to)->recorded - static_cast<Event*>(from)->recorded;
    return std::chrono::duration<double, std::milli>(between).count();
  }

 private:
  static at::Device with_index(at::Device device) {
    return {at::kPrivateUse1, device.has_index() ? device.index() : current_device()};
  }
};

const c10::impl::DeviceGuardImplRegistrar registrar(at::kPrivateUse1, new Guard);

struct Hooks final : at::PrivateUse1HooksInterface {
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return Context::device_count() > 0; }
  bool hasPrimaryContext(at::DeviceIndex /*index*/) const override { return true; }
  at::DeviceIndex deviceCount() const override {
    return static_cast<at::DeviceIndex>(Context::device_count());
  }
  at::DeviceIndex getCurrentDevice() const override { return current_device(); }
  void setCurrentDevice(at::DeviceIndex index) const override { set_current_device(index); }
  at::DeviceIndex exchangeDevice(at::DeviceIndex index) const override {
    const at::DeviceIndex old = current_device();
    set_current_device(index);
    return old;
  }
  at::DeviceIndex maybeExchangeDevice(at::DeviceIndex index) const override {
    return index < 0 ? current_device() : exchangeDevice(index);
  }
  const at::Generator& getDefaultGenerator(at::DeviceIndex index) const override {
    return default_generator(index);
  }
  at::Generator getNewGenerator(at::DeviceIndex index) const override {
    return make_generator(index < 0 ? 0 : index);
  }
  at::Device getDeviceFromPtr(void* /*data*/) const override { return {at::kPrivateUse1, current_device()}; }
  void resizePrivateUse1Bytes(const c10::Storage& storage, std::size_t bytes) const override {
    at::DataPtr grown = device_allocator()->allocate(bytes);
    device_allocator()->copy_data(grown.get(), storage.data_ptr().get(), std::min(bytes, storage.nbytes()));
    storage.set_data_ptr_noswap(std::move(grown));
    storage.set_nbytes(bytes);
  }
};

/// Once, when the library is loaded.
struct Registration {
  Registration() {
    c10::register_privateuse1_backend("sim");
    at::SetAllocator(at::kPrivateUse1, device_allocator());
    static Hooks hooks;
    at::RegisterPrivateUse1HooksInterface(&hooks);
    follow_calls();
  }
};
const Registration registration;

}  // namespace

}  // namespace sim

extern "C" const char* relapse_sim_device_version() {
  return "1";
}
