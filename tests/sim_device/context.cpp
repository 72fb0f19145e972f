#include "context.hpp"

#include <c10/util/Exception.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>

#include "cuda_codes.hpp"
#include "enclosing.hpp"

namespace sim {

namespace {

[[noreturn]] void hang() {
  for (;;) ::pause();
}

}  // namespace

Context& Context::of_process() {
  static Context context;
  return context;
}

int Context::device_count() noexcept {
  try {
    const char* text = std::getenv("RELAPSE_SIM_DEVICES");
    return parse_devices(text == nullptr ? "" : text);
  } catch (const std::exception&) {
    return 0;
  }
}

void Context::enter(int index) {
  if (process_ == 0) {
    try {
      environment_ = read_environment();
    } catch (const std::exception& error) {
      TORCH_CHECK(false, error.what());
    }
    TORCH_CHECK(environment_.devices > 0, "No sim devices are available");
    devices_.resize(static_cast<std::size_t>(environment_.devices));
    counts_.resize(environment_.faults.size());
    process_ = ::getpid();
  }
  // A context does not survive fork(): CUDA answers every call of the child with this.
  if (process_ != ::getpid()) throw_code(kInitializationError);
  if (index < 0 || index >= environment_.devices) throw_code(kInvalidDevice);
  for (const Fault& fault : environment_.faults) {
    if (fault.kind == FaultKind::sick) device(index).sticky = fault.code;
  }
  if (device(index).sticky != 0) throw_code(device(index).sticky);
}

bool Context::dead(int index) const {
  const Device& it = devices_.at(static_cast<std::size_t>(index));
  return it.sticky != 0 || it.pending != 0 || it.aborts;
}

std::vector<Fault> Context::faults_of_launch(const std::string& name, const std::string& overload) {
  std::vector<Fault> played;
  for (std::size_t i = 0; i < environment_.faults.size(); ++i) {
    const Fault& fault = environment_.faults[i];
    if (fault.kind == FaultKind::sick) continue;
    Count& count = counts_[i];
    if (fault.operator_name.empty() || matches(fault.operator_name, name, overload)) {
      ++count.calls;
    } else {
      // The operator may be one that only calls others, as cross_entropy_loss does: its first launch counts.
      const std::uint64_t frame = enclosing_call(fault.operator_name);
      if (frame == 0 || frame == count.last_frame) continue;
      count.last_frame = frame;
      ++count.calls;
    }
    if (fault.nth == 0 || fault.nth == count.calls) played.push_back(fault);
  }
  return played;
}

void Context::fail(int index, int code, AssertLines lines) {
  Device& it = device(index);
  if (it.pending != 0 || it.sticky != 0) return;
  it.pending = code;
  it.lines = std::move(lines);
}

void Context::hang_kernel(int index) {
  device(index).kernel_hangs = true;
}

void Context::hang_synchronize(int index) {
  device(index).synchronize_hangs = true;
}

void Context::abort_later(int index) {
  device(index).aborts = true;
}

void Context::launched(int index) {
  if (environment_.blocking) wait(index);
}

void Context::wait(int index) {
  Device& it = device(index);
  if (it.kernel_hangs) hang();
  if (it.aborts) std::abort();
  if (it.pending != 0) {
    for (const std::string& line : it.lines) std::fprintf(stderr, "%s\n", line.c_str());
    std::fflush(stderr);
    it.sticky = it.pending;
    it.pending = 0;
  }
  if (it.sticky != 0) throw_code(it.sticky);
}

void Context::synchronize(int index) {
  enter(index);
  if (device(index).synchronize_hangs) hang();
  wait(index);
}

}  // namespace sim
