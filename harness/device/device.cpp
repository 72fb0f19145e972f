#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <cstdlib>
#include <harness/device/device.hpp>
#include <harness/tensor/elements.hpp>
#include <mutex>

namespace relapse {

namespace {

void seed_one(at::Generator generator, std::uint64_t seed) {
  const std::lock_guard<std::mutex> lock(generator.mutex());
  generator.set_current_seed(seed);
}

std::string on_off(bool value) {
  return value ? "on" : "off";
}

/// cuBLAS is deterministic over streams only with a fixed workspace (CUDA Library documentation, "Results
/// reproducibility"); LibTorch refuses to be deterministic without it.
constexpr const char* kWorkspaceVariable = "CUBLAS_WORKSPACE_CONFIG";
constexpr const char* kWorkspace = ":4096:8";

}  // namespace

void seed_generators(c10::Device device, std::uint64_t seed) {
  seed_one(at::detail::getDefaultCPUGenerator(), seed);
  if (!device.is_cpu()) seed_one(at::globalContext().defaultGenerator(device), seed);
}

Settings apply_settings(const RunOptions& options, int threads) {
  Settings settings;
  at::set_num_threads(threads);
  settings.emplace_back("threads", std::to_string(threads));

  at::Context& context = at::globalContext();
  context.setAllowTF32CuDNN(options.tf32);
  context.setAllowTF32CuBLAS(options.tf32);
  context.setFloat32MatmulPrecision(options.tf32 ? "high" : "highest");
  settings.emplace_back("tf32", on_off(options.tf32));

  context.setAllowFP16ReductionCuBLAS(false);
  context.setAllowBF16ReductionCuBLAS(false);
  settings.emplace_back("reduced_precision_reductions", "off");

  context.setUserEnabledCuDNN(options.cudnn);
  context.setBenchmarkCuDNN(false);
  settings.emplace_back("cudnn", on_off(options.cudnn));
  settings.emplace_back("cudnn_benchmark", "off");

  context.setDeterministicCuDNN(options.deterministic);
  context.setDeterministicAlgorithms(options.deterministic, /*warn_only=*/false);
  settings.emplace_back("deterministic", on_off(options.deterministic));
  if (options.deterministic) {
    ::setenv(kWorkspaceVariable, kWorkspace, /*overwrite=*/0);
    settings.emplace_back(kWorkspaceVariable, std::getenv(kWorkspaceVariable));
  }

  const bool can_choose = at::Context::setFlushDenormal(false);
  settings.emplace_back("flush_denormal", can_choose ? "off" : "not supported by this CPU");
  return settings;
}

void synchronize(c10::Device device) {
  if (device.is_cpu()) return;
  const c10::impl::VirtualGuardImpl guard(device.type());
  guard.synchronizeDevice(device.has_index() ? device.index() : guard.getDevice().index());
}

bool known_answer(c10::Device device) noexcept {
  try {
    const c10::NoGradGuard no_grad;
    constexpr std::int64_t kCount = 64;
    const at::Tensor numbers = empty_dense({kCount}, at::kLong);
    for (std::int64_t i = 0; i < kCount; ++i) elements_of<std::int64_t>(numbers)[i] = i;
    const at::Tensor there = numbers.to(device);
    const std::int64_t sum = there.mul(3).sum().item<std::int64_t>();
    synchronize(device);
    return sum == 3 * kCount * (kCount - 1) / 2;
  } catch (...) {
    // Whatever it was: a device that cannot add any more is not usable.
    return false;
  }
}

}  // namespace relapse
