#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <harness/isolate/isolator.hpp>
#include <harness/schedule/machine.hpp>
#include <harness/support/text.hpp>
#include <runners/relapse/ask.hpp>
#include <runners/relapse/commands.hpp>
#include <runners/relapse/worker_path.hpp>

namespace relapse {
namespace {

using Clock = std::chrono::steady_clock;

void line(const char* state, const std::string& text) {
  fmt::print("{:<9} {}\n", state, text);
}

bool on_path(const std::string& program) {
  const char* path = std::getenv("PATH");
  for (const std::string& folder : split(path ? path : "", ':')) {
    if (access((folder + "/" + program).c_str(), X_OK) == 0) return true;
  }
  return false;
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

ExitCode doctor(const Common& common) {
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
  if (!machine.nvidia_driver) {
    line("missing",
         "NVIDIA driver: no /proc/driver/nvidia. GPU checks are skipped; `--require cuda` makes that an "
         "error");
  } else {
    line("ok",
         fmt::format("NVIDIA driver with {} GPUs; this version runs cases on the CPU only", machine.gpus));
  }
  line(on_path("nvcc") ? "ok" : "missing",
       on_path("nvcc") ? "nvcc on PATH" : "nvcc: needed only to build CUDA operators of your own");
  if (!on_path("compute-sanitizer")) {
    line("missing",
         "compute-sanitizer: pip install nvidia-cuda-sanitizer-api, or the CUDA toolkit's bin on PATH");
  } else {
    line("ok", "compute-sanitizer on PATH");
  }
  return usable ? ExitCode::held : ExitCode::infrastructure;
}

}  // namespace

Command add_doctor(CLI::App&, const Common& common) {
  return [&common] { return doctor(common); };
}

}  // namespace relapse
