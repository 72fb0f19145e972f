#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <ATen/ops/empty.h>
#include <fmt/format.h>

#include <cstdlib>
#include <harness/device/device.hpp>
#include <harness/device/errors.hpp>
#include <harness/support/text.hpp>
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

OpenedDevice open_device(const std::string& kind) {
  OpenedDevice opened;
  if (kind.empty() || kind == "cpu") return opened;
  c10::DeviceType type = c10::kCPU;
  try {
    type = c10::Device(kind).type();
  } catch (const c10::Error&) {
    const std::string registered = c10::get_privateuse1_backend(/*lower_case=*/true);
    opened.why = fmt::format(
        "no loaded library registers a device {}{}", relapse::quoted(kind),
        registered == "privateuseone" ? "" : "; the plugin registers " + relapse::quoted(registered));
    return opened;
  }
  if (!c10::impl::hasDeviceGuardImpl(type)) {
    opened.why = fmt::format("no loaded library drives devices of kind {}", relapse::quoted(kind));
    return opened;
  }
  opened.device = c10::Device(type, 0);
  try {
    // Counting devices hides why there are none; using one does not.
    at::empty({1}, c10::TensorOptions().dtype(c10::kByte).device(opened.device)).zero_();
    synchronize(opened.device);
  } catch (...) {
    const Raised raised = classify(std::current_exception());
    opened.code = raised.code;
    opened.why = fmt::format("device {} cannot be used: {}", kind, in_one_line(raised));
  }
  return opened;
}

void synchronize(c10::Device device) {
  if (device.is_cpu()) return;
  const c10::impl::VirtualGuardImpl guard(device.type());
  guard.synchronizeDevice(device.has_index() ? device.index() : guard.getDevice().index());
}

DeviceState state_after_error(c10::Device device) noexcept {
  DeviceState state;
  if (device.is_cpu()) return state;
  const auto wait = [&]() -> std::optional<Raised> {
    try {
      synchronize(device);
      return std::nullopt;
    } catch (...) {
      return classify(std::current_exception());
    }
  };
  const std::optional<Raised> first = wait();
  if (!first) return state;
  state.code = first->code;
  state.text = first->text;
  const std::optional<Raised> second = wait();
  state.sticky = second && second->code == first->code;
  return state;
}

std::string why_no_known_answer(c10::Device device) noexcept {
  try {
    const c10::NoGradGuard no_grad;
    constexpr std::int64_t kCount = 64;
    constexpr std::int64_t kSum = 3 * kCount * (kCount - 1) / 2;
    const at::Tensor numbers = empty_dense({kCount}, at::kLong);
    for (std::int64_t i = 0; i < kCount; ++i) elements_of<std::int64_t>(numbers)[i] = i;
    const at::Tensor there = numbers.to(device);
    const std::int64_t sum = there.mul(3).sum().item<std::int64_t>();
    synchronize(device);
    if (sum == kSum) return {};
    return fmt::format("a sum on {} is {} where {} is right", device.str(), sum, kSum);
  } catch (...) {
    return in_one_line(classify(std::current_exception()));
  }
}

bool known_answer(c10::Device device) noexcept {
  return why_no_known_answer(device).empty();
}

}  // namespace relapse
