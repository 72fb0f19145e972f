#include <c10/core/impl/VirtualGuardImpl.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <harness/device/inventory.hpp>

namespace relapse {
namespace {

// The driver's own interface, by name: no CUDA header is needed to build this. Types and attribute numbers
// are those of cuda.h (CUDA Driver API reference, "Device Management" and "Memory Management").
using Status = int;
using DeviceHandle = int;
using ContextHandle = void*;
constexpr int kComputeCapabilityMajor = 75;
constexpr int kComputeCapabilityMinor = 76;

template <class Function>
Function* function(void* library, const char* name) {
  return reinterpret_cast<Function*>(dlsym(library, name));
}

/// The driver when this process has started it already; asking must not load one.
void* driver() {
  static void* const library = dlopen("libcuda.so.1", RTLD_NOLOAD | RTLD_LAZY);
  return library;
}

void describe_cuda(int index, DeviceFacts& facts) {
  void* library = driver();
  if (!library) return;
  auto* get = function<Status(DeviceHandle*, int)>(library, "cuDeviceGet");
  auto* name_of = function<Status(char*, int, DeviceHandle)>(library, "cuDeviceGetName");
  auto* total = function<Status(std::size_t*, DeviceHandle)>(library, "cuDeviceTotalMem_v2");
  auto* attribute = function<Status(int*, int, DeviceHandle)>(library, "cuDeviceGetAttribute");
  auto* free_now = function<Status(std::size_t*, std::size_t*)>(library, "cuMemGetInfo_v2");
  DeviceHandle device = 0;
  if (!get || get(&device, index) != 0) return;
  char name[256] = {};
  if (name_of && name_of(name, sizeof(name) - 1, device) == 0) facts.name = name;
  std::size_t bytes = 0, all = 0;
  if (total && total(&bytes, device) == 0) facts.memory = bytes;
  // Of the device whose context is current: the only one of this process.
  if (index == 0 && free_now && free_now(&bytes, &all) == 0) facts.free_memory = bytes;
  int major = 0, minor = 0;
  if (attribute && attribute(&major, kComputeCapabilityMajor, device) == 0 &&
      attribute(&minor, kComputeCapabilityMinor, device) == 0)
    facts.capability = fmt::format("{}.{}", major, minor);
}

}  // namespace

std::vector<DeviceFacts> devices_of_type(c10::DeviceType type) {
  const int count = c10::impl::VirtualGuardImpl(type).deviceCount();
  std::vector<DeviceFacts> devices;
  for (int index = 0; index < count; ++index) {
    DeviceFacts facts;
    facts.name = c10::Device(type, static_cast<c10::DeviceIndex>(index)).str();
    if (type == c10::kCUDA) describe_cuda(index, facts);
    devices.push_back(std::move(facts));
  }
  return devices;
}

std::string driver_version() {
  void* library = driver();
  if (!library) return {};
  auto* version_of = function<Status(int*)>(library, "cuDriverGetVersion");
  int version = 0;
  if (!version_of || version_of(&version) != 0) return {};
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

}  // namespace relapse
