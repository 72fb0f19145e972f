#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <torch/headeronly/version.h>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <harness/case/reader.hpp>
#include <harness/device/device.hpp>
#include <harness/device/library.hpp>
#include <harness/execute/check_run.hpp>
#include <harness/execute/run_first.hpp>
#include <harness/execute/run_request.hpp>
#include <harness/execute/show.hpp>
#include <harness/isolate/sandbox.hpp>
#include <harness/isolate/wire.hpp>
#include <harness/operator/call.hpp>
#include <harness/operator/operator_table.hpp>
#include <harness/plan/plan.hpp>
#include <harness/support/file.hpp>
#include <harness/support/text.hpp>
#include <harness/tensor/facts.hpp>

namespace relapse {
namespace {

/// Switches that change results or fault reports, as this process sees them.
constexpr const char* kSwitches[] = {"CUDA_LAUNCH_BLOCKING",    "CUDA_VISIBLE_DEVICES",
                                     "PYTORCH_CUDA_ALLOC_CONF", "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE",
                                     "OMP_NUM_THREADS",         "MKL_NUM_THREADS",
                                     "ATEN_CPU_CAPABILITY",     "CUBLAS_WORKSPACE_CONFIG",
                                     "AMD_SERIALIZE_KERNEL",    "PYTORCH_NO_CUDA_MEMORY_CACHING",
                                     "CUDA_COREDUMP_FILE",      "TORCH_SHOW_CPP_STACKTRACES"};

/// RLIMIT_DATA counts what the process has already: the limit is what it may add.
void limit_memory(std::uint64_t limit) {
  if (limit == 0) return;
  std::uint64_t pages = 0;
  std::ifstream statm("/proc/self/statm");
  std::uint64_t skipped = 0;
  statm >> skipped >> skipped >> skipped >> skipped >> skipped >> pages;  // the sixth field: data and stack
  const std::uint64_t total = pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) + limit;
  const rlimit bound{total, total};
  setrlimit(RLIMIT_DATA, &bound);
}

Hello hello_of(const Request& request, const std::vector<std::pair<std::string, std::string>>& settings) {
  Hello hello;
  hello.nonce = request.nonce;
  hello.worker_version = RELAPSE_VERSION;
  hello.torch_version = TORCH_VERSION;
  hello.device = request.device;
  for (const char* name : kSwitches) {
    if (const char* value = std::getenv(name)) hello.environment.emplace_back(name, value);
  }
  hello.settings = settings;
  return hello;
}

/// Each is announced: what its registration throws ends the process, and then it should be known which one
/// did.
Result<void> load_all(const Request& request, int fd) {
  bool loaded_any = false;
  for (const std::string& library : request.libraries) {
    if (is_loaded(library)) continue;
    loaded_any = true;
    if (!send_line(fd, to_json(Message{Loading{library}})))
      return fail(ErrorKind::infrastructure, "nobody listens");
    if (Result<void> loaded = load_library(library); !loaded) return loaded;
  }
  if (loaded_any) OperatorTable::refresh();
  return {};
}

/// Every check that was asked for answers with the same reason.
int refuse_all(const Request& request, int fd, ObservedKind kind, const std::string& reason) {
  for (const std::string& name : request.checks) {
    Observation observation;
    observation.check = name;
    observation.kind = kind;
    observation.reason = reason;
    send_line(fd, to_json(Message{CheckStarted{name}}));
    send_line(fd, to_json(Message{Observed{observation}}));
  }
  send_line(fd, to_json(Message{Done{request.nonce, static_cast<int>(request.checks.size()), 0, 0}}));
  return 0;
}

int run_attempt(const Request& request, const Case& kase, c10::Device device, int fd) {
  AttemptContext context;
  context.kase = &kase;
  context.role = request.role == "unfixed" ? Role::unfixed : Role::fixed;
  context.device = device;
  context.device_kind = request.device;
  context.waiting = request.mode == to_string(Mode::async) ? Waiting::at_end : Waiting::each_step;
  context.folder = std::filesystem::path(request.case_file).parent_path().string();
  LineWriter lines(fd);
  context.step_started = [&lines](const std::string& check, const StepRecord& step, Builtin builtin) {
    lines.add(to_json(Message{StepStarted{check, step}}));
    // A guard() is this program's own reading of tensors; every other step may be the last thing that the
    // process does.
    if (builtin != Builtin::guard) lines.flush();
  };
  context.device_lost = [&lines](const Observation& observation) {
    lines.add(to_json(Message{Observed{observation}}));
    lines.flush();
    _exit(0);
  };
  const std::vector<Check> checks = plan(kase, request.device);
  Done done{request.nonce, 0, 0, 0};
  for (const std::string& name : request.checks) {
    // With the answer to the check before it: making inputs may end the process.
    lines.add(to_json(Message{CheckStarted{name}}));
    if (!lines.flush()) return 1;
    const auto check =
        std::find_if(checks.begin(), checks.end(), [&](const Check& c) { return c.name == name; });
    Observation observation;
    if (check == checks.end()) {
      observation.check = name;
      observation.kind = ObservedKind::case_error;
      observation.reason =
          fmt::format("the worker plans no check \"{}\": runner and worker differ; build both again", name);
    } else {
      observation = run_with_first(context, *check);
    }
    lines.add(to_json(Message{Observed{observation}}));
    ++done.checks;
    done.clauses_evaluated += observation.clauses_evaluated;
    done.guards_reached += observation.guards_reached;
  }
  lines.add(to_json(Message{done}));
  return lines.flush() ? 0 : 1;
}

}  // namespace

int run_request(const Request& request, int protocol_fd) {
  for (const auto& [name, value] : request.environment)
    ::setenv(name.c_str(), value.c_str(), /*overwrite=*/1);
  std::string sandbox;
  if (request.data_only) {
    limit_memory(request.memory_limit);
    clear_environment();
    allow_only_plain_operators();
    const Result<std::string> entered =
        enter_sandbox(std::filesystem::path(request.case_file).parent_path().string(), request.cpu_seconds);
    if (!entered) {
      // Without it nothing of a stranger's is run.
      if (!send_line(protocol_fd, to_json(Message{hello_of(request, {})}))) return 1;
      return refuse_all(request, protocol_fd, ObservedKind::machine, entered.error().message);
    }
    sandbox = *entered;
  }
  Result<std::string> text = std::string();
  ReadResult read;
  const bool about_a_case = request.kind == RequestKind::attempt || request.kind == RequestKind::facts;
  if (about_a_case) {
    text = read_file(request.case_file);
    if (text) read = read_case(*text, request.case_file, request.case_id);
  }
  const RunOptions options = read.value ? read.value->run : RunOptions{};
  auto settings = apply_settings(options, options.threads.value_or(request.threads));
  if (!sandbox.empty()) settings.emplace_back("sandbox", sandbox);
  if (!request.data_only) limit_memory(request.memory_limit);
  if (!send_line(protocol_fd, to_json(Message{hello_of(request, settings)}))) return 1;
  if (!about_a_case) {
    const Result<void> loaded = load_all(request, protocol_fd);
    return loaded ? answer(request, protocol_fd)
                  : answer_trouble(request, loaded.error().message, protocol_fd);
  }

  if (!text) return refuse_all(request, protocol_fd, ObservedKind::case_error, text.error().message);
  if (!request.case_hash.empty() && sha256_hex(*text) != request.case_hash) {
    return refuse_all(request, protocol_fd, ObservedKind::case_error,
                      fmt::format("{} changed while the run was under way; run it again", request.case_file));
  }
  if (!read.value) {
    return refuse_all(
        request, protocol_fd, ObservedKind::case_error,
        read.diagnostics.empty() ? "the case cannot be read" : format(read.diagnostics.front()));
  }
  if (request.kind == RequestKind::facts) return answer_facts(request, *read.value, protocol_fd);
  if (const Result<void> loaded = load_all(request, protocol_fd); !loaded)
    return refuse_all(request, protocol_fd, ObservedKind::machine, loaded.error().message);
  const OpenedDevice opened = open_device(request.device);
  if (!opened.why.empty()) return refuse_all(request, protocol_fd, ObservedKind::machine, opened.why);
  return run_attempt(request, *read.value, opened.device, protocol_fd);
}

}  // namespace relapse
