#include "generator.hpp"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/Tensor.h>

#include <mutex>
#include <vector>

#include "context.hpp"

namespace sim {

namespace {

constexpr std::uint64_t kOtherNumbers = 0x9e3779b97f4a7c15;

struct Generator final : c10::GeneratorImpl {
  explicit Generator(c10::DeviceIndex index)
      : c10::GeneratorImpl({at::kPrivateUse1, index}, c10::DispatchKeySet(c10::DispatchKey::PrivateUse1)),
        engine_(at::make_generator<at::CPUGeneratorImpl>(c10::default_rng_seed_val ^ kOtherNumbers)) {}

  void set_current_seed(std::uint64_t seed) override { engine_.set_current_seed(seed ^ kOtherNumbers); }
  std::uint64_t current_seed() const override { return engine_.current_seed() ^ kOtherNumbers; }
  std::uint64_t seed() override { return engine_.seed() ^ kOtherNumbers; }
  void set_offset(std::uint64_t /*offset*/) override {
    TORCH_CHECK(false, "The sim generator has no offset");
  }
  std::uint64_t get_offset() const override { TORCH_CHECK(false, "The sim generator has no offset"); }
  void set_state(const c10::TensorImpl& state) override {
    engine_.unsafeGetGeneratorImpl()->set_state(state);
  }
  c10::intrusive_ptr<c10::TensorImpl> get_state() const override {
    return engine_.unsafeGetGeneratorImpl()->get_state();
  }

 private:
  Generator* clone_impl() const override {
    auto* copy = new Generator(device_.index());
    copy->engine_ = engine_.clone();
    return copy;
  }

  at::Generator engine_;
};

}  // namespace

at::Generator make_generator(c10::DeviceIndex device) {
  return at::make_generator<Generator>(device);
}

const at::Generator& default_generator(c10::DeviceIndex device) {
  static std::vector<at::Generator> generators;
  static std::mutex mutex;
  const std::lock_guard<std::mutex> lock(mutex);
  if (generators.empty()) {
    constexpr c10::DeviceIndex kMost = 16;
    for (c10::DeviceIndex i = 0; i < kMost; ++i) generators.push_back(make_generator(i));
  }
  return generators.at(device < 0 ? 0 : static_cast<std::size_t>(device));
}

DrawFrom::DrawFrom(const at::Generator& generator) : device_(generator) {
  at::Generator cpu = at::detail::getDefaultCPUGenerator();
  const std::lock_guard<std::mutex> lock(cpu.mutex());
  cpu_state_ = cpu.get_state();
  cpu.set_state(device_.get_state());
}

DrawFrom::~DrawFrom() {
  at::Generator cpu = at::detail::getDefaultCPUGenerator();
  const std::lock_guard<std::mutex> lock(cpu.mutex());
  device_.set_state(cpu.get_state());
  cpu.set_state(cpu_state_);
}

}  // namespace sim
