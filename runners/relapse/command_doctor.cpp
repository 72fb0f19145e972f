#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <harness/isolate/isolator.hpp>
#include <harness/schedule/machine.hpp>
#include <harness/support/file.hpp>
#include <harness/support/text.hpp>
#include <memory>
#include <runners/relapse/ask.hpp>
#include <runners/relapse/commands.hpp>
#include <runners/relapse/find_tool.hpp>
#include <runners/relapse/probe_device.hpp>
#include <runners/relapse/worker_path.hpp>

namespace relapse {
namespace {

using Clock = std::chrono::steady_clock;

void line(const char* state, const std::string& text) {
  fmt::print("{:<9} {}\n", state, text);
}

/// Milliseconds of one question to a worker; nothing when it gave no answer.
std::optional<double> question(Isolator& isolator, Result<nlohmann::json>& answer) {
  Request request;
  request.kind = RequestKind::probe;
  const auto start = Clock::now();
  answer = ask(isolator, request);
  if (!answer) return std::nullopt;
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// LibTorch's CUDA half, the driver and the GPUs, which it counts: what is there, and what each lacks. A
/// child asks; it may start the driver.
std::size_t tell_cuda(const std::string& worker, const Machine& machine) {
  if (machine.nvidia_driver) {
    line("ok",
         fmt::format("NVIDIA driver; it lists {} {}", machine.gpus, machine.gpus == 1 ? "GPU" : "GPUs"));
  } else {
    line("missing",
         "NVIDIA driver: no /proc/driver/nvidia. GPU checks are skipped; `--require cuda` makes that an "
         "error");
  }
  IsolatorOptions options;
  options.worker = worker;
  options.spawn = SpawnMode::exec;
  Result<Isolator> isolator = Isolator::create(options);
  if (!isolator) return 0;
  const Result<nlohmann::json> answer = ask(*isolator, probe_request("cuda", {kTorchCuda}));
  if (!answer) {
    line("missing", "LibTorch's CUDA half: " + answer.error().message);
    return 0;
  }
  if (answer->contains("trouble")) {
    line("missing", "LibTorch's CUDA half: " + answer->value("trouble", ""));
    return 0;
  }
  line("ok", "LibTorch's CUDA half can be loaded");
  const DeviceInventory inventory = inventory_of(*answer);
  for (std::size_t i = 0; i < inventory.devices.size(); ++i) {
    const DeviceInventory::One& gpu = inventory.devices[i];
    line("ok", fmt::format("cuda:{} {}, compute capability {}, {} of memory, the driver serves CUDA {}", i,
                           gpu.name, gpu.capability, bytes_text(gpu.memory), inventory.driver));
  }
  if (inventory.devices.empty()) line("missing", "GPU: " + answer->value("why", ""));
  return inventory.devices.size();
}

/// CTest's manual, "Resource Specification File": one slot each, since one check at a time uses a GPU.
std::string resource_spec(std::size_t gpus) {
  nlohmann::json list = nlohmann::json::array();
  for (std::size_t i = 0; i < gpus; ++i) list.push_back({{"id", std::to_string(i)}, {"slots", 1}});
  const nlohmann::json spec{{"version", {{"major", 1}, {"minor", 0}}},
                            {"local", nlohmann::json::array({{{"gpus", std::move(list)}}})}};
  return spec.dump(1) + "\n";
}

ExitCode doctor(const Common& common, const std::string& resource_file) {
  const std::string worker = worker_path(common.worker);
  const Machine machine = this_machine();
  line("ok", fmt::format("relapse {} on {} cores, {} of memory", RELAPSE_VERSION, machine.cores,
                         bytes_text(machine.memory)));
  bool usable = false;
  for (const SpawnMode mode : {SpawnMode::fork, SpawnMode::exec}) {
    IsolatorOptions options;
    options.worker = worker;
    options.spawn = mode;
    Result<Isolator> isolator = Isolator::create(options);
    if (!isolator) {
      line("missing", isolator.error().message);
      continue;
    }
    Result<nlohmann::json> answer = nlohmann::json();
    const std::optional<double> first = question(*isolator, answer);
    if (!first) {
      line("missing", answer.error().message);
      continue;
    }
    const double again = question(*isolator, answer).value_or(*first);
    if (mode == SpawnMode::fork) {
      usable = true;
      line("ok", fmt::format("LibTorch {} with {} operators, worker {}", answer->value("torch_version", ""),
                             with_thousands(answer->value("operators", 0)), worker));
      line("ok", fmt::format("the zygote starts in {:.0f} ms, then a forked child answers in {:.1f} ms",
                             *first, again));
    } else {
      line("ok", fmt::format("a fresh process answers in {:.0f} ms", again));
    }
  }
  const std::size_t gpus = tell_cuda(worker, machine);
  const std::string nvcc = find_on_path("nvcc");
  line(nvcc.empty() ? "missing" : "ok",
       nvcc.empty() ? "nvcc: needed only to build CUDA operators of your own" : "nvcc at " + nvcc);
  const std::string sanitizer = find_compute_sanitizer();
  line(sanitizer.empty() ? "missing" : "ok",
       sanitizer.empty()
           ? "compute-sanitizer, for --mode sanitizer: pip install nvidia-cuda-sanitizer-api, or the CUDA "
             "toolkit's bin on PATH"
           : "compute-sanitizer at " + sanitizer);
  if (!resource_file.empty()) {
    if (const Result<void> written = write_file_atomically(resource_file, resource_spec(gpus)); !written)
      return complain(written.error());
    line("ok", fmt::format("{} offers {} to ctest --resource-spec-file", resource_file,
                           gpus == 1 ? "1 GPU" : fmt::format("{} GPUs", gpus)));
  }
  return usable ? ExitCode::held : ExitCode::infrastructure;
}

}  // namespace

Command add_doctor(CLI::App& app, const Common& common) {
  auto resource_file = std::make_shared<std::string>();
  app.add_option("--resource-spec", *resource_file,
                 "write a file for `ctest --resource-spec-file`, with a slot for each GPU");
  return [resource_file, &common] { return doctor(common, *resource_file); };
}

}  // namespace relapse
