#include <ATen/Parallel.h>
#include <dirent.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <harness/case/reader.hpp>
#include <harness/execute/check_run.hpp>
#include <harness/execute/run_request.hpp>
#include <harness/operator/operator_table.hpp>
#include <harness/plan/plan.hpp>

namespace relapse {
namespace {

/// A case that runs once in the zygote, so that its children inherit touched pages, filled caches and a
/// resolved unwinder. It has a rejection, an index error caught by LibTorch, references and comparisons, and
/// no backward.
// clang-format off
constexpr const char* kWarmCase = R"yaml(relapse: 1
title: Warm
incident: {cause: none, fix: none}
dims: {N: 4, C: 3}

subject:
  - guard()
  - loss = cross_entropy_loss(logits, target)
  - picked = logits[arange(N), target]

contract:
  requires:
    logits: {dtype: [float32, float16], shape: [N, C], finite: true}
    target: {dtype: int64, shape: [N], min: 0, max: C - 1}
  ensures:
    loss: {shape: [], finite: true, min: 0, same_as: "-log_softmax(logits, 1)[arange(N), target].mean()"}
    picked: {dtype: float32, same_as: "logits.gather(1, target.unsqueeze(1)).squeeze(1)"}
    where: {row: "(picked == picked.clone()) | (picked < 1)"}
  agrees: {float64: close, contiguous: close, repeat: exact}

failing:
  inputs: {logits: zeros, target: [0, 1, 2, 3]}
  symptom: {cpu: {raises: index_error}}
  expect: {rejected: target.max}

corrected:
  dims: {C: 4}
  inputs: {logits: zeros, target: [0, 1, 2, 3]}

batches:
  - {N: 8}
  - {N: 6, seed: 1}
)yaml";
// clang-format on

int thread_count() {
  int count = 0;
  if (DIR* tasks = opendir("/proc/self/task")) {
    while (const dirent* entry = readdir(tasks)) count += entry->d_name[0] != '.' ? 1 : 0;
    closedir(tasks);
  }
  return count;
}

/// The driver answers 3 (not initialised) without initialising anything; a process that never loaded it has
/// none.
bool driver_is_initialised() {
  void* driver = dlopen("libcuda.so.1", RTLD_NOLOAD | RTLD_LAZY);
  if (!driver) return false;
  using CountDevices = int (*)(int*);
  const auto count_devices = reinterpret_cast<CountDevices>(dlsym(driver, "cuDeviceGetCount"));
  int count = 0;
  const bool initialised = count_devices && count_devices(&count) != 3;
  dlclose(driver);
  return initialised;
}

}  // namespace

void warm_up() {
  at::set_num_threads(1);
  OperatorTable::refresh();
  const ReadResult read = read_case(kWarmCase, "warm.yaml", "warm");
  if (!read.value) {
    // A bug of this program, and a silent one: children would only be slower.
    std::fprintf(stderr, "relapse-worker: the case that warms it up cannot be read; please report: %s\n",
                 read.diagnostics.empty() ? "" : format(read.diagnostics.front()).c_str());
    std::abort();
  }
  for (const Role role : {Role::fixed, Role::unfixed}) {
    AttemptContext context;
    context.kase = &*read.value;
    context.role = role;
    for (const Check& check : plan(*read.value, "cpu")) run_check(context, check);
  }
}

std::string why_not_fork() {
  const int threads = thread_count();
  if (threads != 1)
    return "the zygote has " + std::to_string(threads) + " threads, so a fork of it is not safe";
  if (driver_is_initialised())
    return "the CUDA driver is initialised in the zygote, so a fork of it is not safe";
  return {};
}

}  // namespace relapse
