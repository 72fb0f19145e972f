// What is taken for granted of a GPU, asked of one: error codes and where they show, forks, recovery, times.
// One JSON object a line: what was asked, what was due, what was seen. Exit code 0 when all is as it was due,
// 1 otherwise, 77 without a device. The simulated device is asked the same where the question makes sense for
// it.

#include <ATen/ATen.h>
#include <ATen/DeviceAccelerator.h>
#include <ATen/Parallel.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <dlfcn.h>
#include <sys/wait.h>
#include <torch/csrc/api/include/torch/jit.h>
#include <torch/csrc/jit/api/compilation_unit.h>
#include <torch/headeronly/version.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "../sim_device/in_child.hpp"

namespace {

using nlohmann::json;
using sim_test::Child;
using sim_test::in_child;
using sim_test::outcome;
using sim_test::Variables;

struct Options {
  std::string device = "cuda";
  std::string plugin;
  std::string operators;
  std::string call;
};

Options options;
int unexpected = 0;

constexpr std::chrono::seconds kLimit(60);
const Variables kBlocking = {{"CUDA_LAUNCH_BLOCKING", "1"}};

c10::Device device() {
  return c10::Device(options.device + ":0");
}

bool is_cuda() {
  return options.device == "cuda";
}

void synchronize() {
  const c10::impl::VirtualGuardImpl guard(device().type());
  guard.synchronizeDevice(0);
}

at::Tensor ones(at::IntArrayRef sizes) {
  return at::ones(sizes, at::TensorOptions(device()));
}

at::Tensor integers(std::initializer_list<std::int64_t> values) {
  return at::tensor(at::ArrayRef<std::int64_t>(values.begin(), values.size())).to(device());
}

at::Tensor call(const char* name, const at::Tensor& a, const at::Tensor& b) {
  torch::jit::Stack stack = {a, b};
  c10::Dispatcher::singleton().findSchemaOrThrow(name, "").callBoxed(&stack);
  return stack.at(0).toTensor();
}

void say(json line) {
  std::printf("%s\n", line.dump(-1, ' ', false, json::error_handler_t::replace).c_str());
  std::fflush(stdout);
}

std::string ending(const Child& child) {
  if (child.hung) return " [hung]";
  if (child.signal != 0) return " [signal " + std::to_string(child.signal) + "]";
  return "";
}

void ask(const char* name, const std::string& due, const std::string& seen, json more = json::object()) {
  more["check"] = name;
  more["due"] = due;
  more["seen"] = seen;
  more["ok"] = due == seen;
  if (due != seen) ++unexpected;
  say(std::move(more));
}

std::string asked(const Variables& variables, const std::function<void(std::ostream&)>& body) {
  const Child child = in_child(variables, body, kLimit);
  return child.said + ending(child);
}

/// The fault of a call, when it is waited for, when the device is used after it.
void fault(std::ostream& out, const std::function<void()>& guilty) {
  at::Tensor kept;
  out << "set-up " << outcome([&] {
    kept = ones({4});
    synchronize();
  });
  out << ", call " << outcome(guilty) << ", wait " << outcome(&synchronize) << ", again "
      << outcome(&synchronize) << ", add " << outcome([&] { kept.add(1).cpu(); });
}

void count_lines(const Child& child, json& more) {
  const auto lines_with = [](const std::string& text) {
    std::istringstream lines(text);
    std::string line;
    int count = 0;
    while (std::getline(lines, line)) count += line.find("Assertion") != std::string::npos ? 1 : 0;
    return count;
  };
  more["assert_lines_on_stdout"] = lines_with(child.output);
  more["assert_lines_on_stderr"] = lines_with(child.errors);
  more["stderr"] = child.errors.substr(0, 2000);
}

void ask_fault(const char* name, const std::string& code, const Variables& variables,
               const std::function<void()>& guilty) {
  const Child child = in_child(
      variables, [&](std::ostream& out) { fault(out, guilty); }, kLimit);
  const std::string at_call = variables.empty() ? "ok" : code;
  json more;
  count_lines(child, more);
  ask(name, "set-up ok, call " + at_call + ", wait " + code + ", again " + code + ", add " + code,
      child.said + ending(child), more);
}

void index_out_of_range() {
  ones({3, 2}).index_select(0, integers({0, 7}));
}

void stray() {
  call("custom_ops::gather_pages", ones({2, 64}), integers({std::int64_t{1} << 40}));
}

/// 3 while nothing in this process has initialised the driver; asking does not do it.
std::string driver_state() {
  void* driver = ::dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (driver == nullptr) return "not loaded";
  const auto count = reinterpret_cast<int (*)(int*)>(::dlsym(driver, "cuDeviceGetCount"));
  int devices = 0;
  return std::to_string(count(&devices));
}

void ask_forks() {
  std::string seen;
  for (int i = 0; i < 3; ++i) {
    seen += asked({}, [](std::ostream& out) { out << outcome([] { ones({2}).add(1).cpu(); }); }) + " ";
  }
  ask("three children one after the other use the device", "ok ok ok ", seen);
  ask("a child of a process that has used the device is refused", "parent ok, child 3",
      asked({}, [](std::ostream& out) {
        at::Tensor x;
        out << "parent " << outcome([&] {
          x = ones({2});
          synchronize();
        });
        out << ", child "
            << asked({}, [&](std::ostream& inner) { inner << outcome([] { ones({2}).add(1).cpu(); }); });
      }));
  if (!is_cuda()) return;
  const std::string state = driver_state();
  ask("the parent of the children has not initialised the driver", "3 or not loaded",
      state == "3" || state == "not loaded" ? "3 or not loaded" : state);
  ask("NVML in the parent leaves its children free to use CUDA", "nvml 0, child ok",
      asked({}, [](std::ostream& out) {
        void* nvml = ::dlopen("libnvidia-ml.so.1", RTLD_LAZY);
        if (nvml == nullptr) {
          out << "no libnvidia-ml.so.1";
          return;
        }
        out << "nvml " << reinterpret_cast<int (*)()>(::dlsym(nvml, "nvmlInit_v2"))();
        out << ", child "
            << asked({}, [](std::ostream& inner) { inner << outcome([] { ones({2}).add(1).cpu(); }); });
      }));
}

void ask_recovery() {
  ask("out of memory leaves the device usable", "allocate out_of_memory, wait ok, add ok",
      asked({}, [](std::ostream& out) {
        const at::Tensor x = ones({2});
        out << "allocate " << outcome([] {
          at::empty({std::int64_t{1} << 50}, at::TensorOptions(device()).dtype(at::kByte));
        });
        out << ", wait " << outcome(&synchronize) << ", add " << outcome([&] { x.add(1).cpu(); });
      }));
  ask("a host error leaves the device usable", "Error ok", asked({}, [](std::ostream& out) {
        const at::Tensor x = ones({2});
        out << outcome([&] { x.add(ones({3})); }).substr(0, 5) << " " << outcome([&] { x.add(1).cpu(); });
      }));
}

/// Not judged: what a library call says on a device that has failed, before and after something has waited.
void tell_wrapped() {
  const std::string seen = asked({}, [](std::ostream& out) {
    const at::Tensor x = ones({64, 64});
    x.mm(x);
    out << "index " << outcome(&index_out_of_range) << " | mm " << outcome([&] { x.mm(x); }) << " | conv2d "
        << outcome([&] {
             at::conv2d(ones({1, 1, 8, 8}), ones({1, 1, 3, 3}));
           })
        << " | wait " << outcome(&synchronize) << " | mm " << outcome([&] { x.mm(x); });
  });
  say({{"tell", "what library calls say behind a failed kernel"}, {"seen", seen}});
}

/// Not judged: whether a process that leaves in the usual way after a fault, with tensors and events still
/// there, does.
void tell_exit() {
  const pid_t pid = ::fork();
  if (pid == 0) {
    std::freopen("/dev/null", "w", stderr);
    const at::Tensor kept = outcome([] { ones({2}); }) == "ok" ? ones({2}) : at::Tensor();
    outcome(&index_out_of_range);
    outcome(&synchronize);
    std::exit(0);
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  say({{"tell", "how a process ends by exit() after a fault"},
       {"seen", WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status))
                                    : "exit " + std::to_string(WEXITSTATUS(status))}});
}

double milliseconds(const std::function<void()>& action) {
  const auto start = std::chrono::steady_clock::now();
  action();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.at(values.size() / 2);
}

json first_uses() {
  const std::string text = asked({}, [](std::ostream& out) {
    json times;
    times["count devices"] = milliseconds([] { static_cast<void>(at::accelerator::deviceCount()); });
    times["context: first allocation and wait"] = milliseconds([] {
      at::empty({1}, at::TensorOptions(device()));
      synchronize();
    });
    const at::Tensor x = ones({64, 64});
    const auto twice = [&](const std::string& name, const std::function<void()>& action) {
      times[name + ", first"] = milliseconds([&] {
        action();
        synchronize();
      });
      times[name + ", second"] = milliseconds([&] {
        action();
        synchronize();
      });
    };
    twice("add", [&] { x.add(1); });
    twice("sum", [&] { x.sum(); });
    twice("mm (cuBLAS)", [&] { x.mm(x); });
    twice("conv2d (cuDNN)", [&] { at::conv2d(x.view({1, 1, 64, 64}), ones({1, 1, 3, 3})); });
    twice("to the host", [&] { x.cpu(); });
    out << times.dump();
  });
  return json::accept(text) ? json::parse(text) : json(text);
}

/// A spare: a child that has its context and waits. From the word to its first result.
double spare() {
  int to_child[2];
  int from_child[2];
  if (::pipe(to_child) != 0 || ::pipe(from_child) != 0) return -1;
  const pid_t pid = ::fork();
  if (pid == 0) {
    char byte = 0;
    outcome([] {
      ones({1});
      synchronize();
    });
    static_cast<void>(!::write(from_child[1], &byte, 1));
    static_cast<void>(!::read(to_child[0], &byte, 1));
    outcome([] { ones({64}).add(1).cpu(); });
    static_cast<void>(!::write(from_child[1], &byte, 1));
    ::_exit(0);
  }
  char byte = 0;
  static_cast<void>(!::read(from_child[0], &byte, 1));
  const double time = milliseconds([&] {
    static_cast<void>(!::write(to_child[1], &byte, 1));
    static_cast<void>(!::read(from_child[0], &byte, 1));
  });
  ::waitpid(pid, nullptr, 0);
  for (const int fd : {to_child[0], to_child[1], from_child[0], from_child[1]}) ::close(fd);
  return time;
}

void tell_times() {
  say({{"tell", "milliseconds, first and second use in one process"}, {"seen", first_uses()}});
  const auto forks = [](const std::function<void()>& body) {
    std::vector<double> times;
    for (int i = 0; i < 11; ++i) {
      times.push_back(milliseconds([&] {
        const pid_t pid = ::fork();
        if (pid == 0) {
          body();
          ::_exit(0);
        }
        ::waitpid(pid, nullptr, 0);
      }));
    }
    return median(times);
  };
  json times;
  times["fork, nothing done"] = forks([] {});
  times["fork, one CPU operator"] = forks([] { at::ones({4}).add(1); });
  times["fork, one device operator"] = forks([] { outcome([] { ones({4}).add(1).cpu(); }); });
  std::vector<double> spares;
  for (int i = 0; i < 5; ++i) spares.push_back(spare());
  times["a waiting spare to its first result"] = median(spares);
  say({{"tell", "milliseconds, medians"}, {"seen", times}});
}

/// The fuser of TorchScript made the second call take a minute of CPU time in some builds.
void tell_script() {
  const std::string seen = asked({}, [](std::ostream& out) {
    const auto unit =
        torch::jit::compile("def f(x):\n  y = x * 2\n  z = y.sigmoid() + x\n  return z.relu() * y\n");
    const at::Tensor x = at::ones({16});
    for (int i = 0; i < 3; ++i) out << milliseconds([&] { unit->run_method("f", x); }) << " ms ";
  });
  say({{"tell", "TorchScript on the CPU, three calls of one function"}, {"seen", seen}});
}

void ask_everything() {
  ask("adds and waits", "ok ok", asked({}, [](std::ostream& out) {
        out << outcome([] { TORCH_CHECK(ones({3}).add(1).sum().item<float>() == 6.0F); }) << " "
            << outcome([] { at::accelerator::synchronizeDevice(0); });
      }));
  ask_fault("an index out of range shows late, as 710, and sticks", "710", {}, &index_out_of_range);
  ask_fault("CUDA_LAUNCH_BLOCKING, set in the child, moves it to the call", "710", kBlocking,
            &index_out_of_range);
  if (!options.operators.empty()) {
    const auto stray = [] {
      call("custom_ops::gather_pages", ones({2, 64}), integers({std::int64_t{1} << 40}));
    };
    ask_fault("an access outside of memory shows late, as 700, and sticks", "700", {}, stray);
    ask_fault("an access outside of memory, blocking", "700", kBlocking, stray);
    if (is_cuda()) {
      ask_fault("an assertion in an operator of our own", "710", {}, [] {
        call("custom_ops::box_means_unchecked", ones({1, 2, 4, 4}), ones({3, 5}) * 5);
      });
    }
  }
  ask_recovery();
  ask_forks();
  tell_wrapped();
  tell_exit();
  tell_times();
  tell_script();
}

/// One call in this very process, for tools that watch one: 0 when it and the wait after it were fine.
int call_once() {
  const std::map<std::string, std::function<void()>> calls = {
      {"right",
       [] {
         call("custom_ops::gather_pages", ones({2, 64}), integers({1, 0}));
         call("custom_ops::box_means", ones({2, 2, 4, 4}), ones({3, 5}));
       }},
      {"stray", &stray},
      {"assert", [] {
         call("custom_ops::box_means_unchecked", ones({1, 2, 4, 4}), ones({3, 5}) * 5);
       }}};
  const auto found = calls.find(options.call);
  if (found == calls.end()) {
    std::fputs("gpu_checks: --call is one of right, stray, assert\n", stderr);
    return 2;
  }
  const std::string called = outcome(found->second);
  const std::string waited = outcome(&synchronize);
  say({{"call", called}, {"wait", waited}});
  // Not through destructors of a device that may be lost.
  std::fflush(nullptr);
  ::_exit(called == "ok" && waited == "ok" ? 0 : 1);
}

bool load(const std::string& library) {
  if (library.empty() || ::dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL) != nullptr) return true;
  std::fprintf(stderr, "gpu_checks: %s\n", ::dlerror());
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string, std::string*> known = {{"--device", &options.device},
                                                     {"--plugin", &options.plugin},
                                                     {"--operators", &options.operators},
                                                     {"--call", &options.call}};
  for (int i = 1; i < argc; i += 2) {
    const auto option = known.find(argv[i]);
    if (option == known.end() || i + 1 == argc) {
      std::fputs(
          "usage: relapse_gpu_checks [--device cuda] [--plugin LIB] [--operators LIB [--call "
          "right|stray|assert]]\n",
          stderr);
      return 2;
    }
    *option->second = argv[i + 1];
  }
  at::set_num_threads(1);
  say({{"tell", "LibTorch"}, {"seen", TORCH_VERSION}});
  // Before anything asks LibTorch for CUDA, or it keeps the answer that there is none.
  if (is_cuda())
    say({{"tell", "milliseconds to load libtorch_cuda.so"},
         {"seen", milliseconds([] { load("libtorch_cuda.so"); })}});
  if (!load(options.plugin) || !load(options.operators)) return 2;
  if (!options.call.empty()) return call_once();
  const std::string devices = asked({}, [](std::ostream& out) {
    const c10::impl::VirtualGuardImpl guard(device().type());
    out << static_cast<int>(guard.deviceCount());
  });
  if (devices.empty() || devices.find_first_not_of("0123456789") != std::string::npos ||
      std::stoi(devices) == 0) {
    say({{"tell", "no device"}, {"seen", devices}});
    return 77;
  }
  ask_everything();
  say({{"tell", "not as it was due"}, {"seen", unexpected}});
  return unexpected == 0 ? 0 : 1;
}
