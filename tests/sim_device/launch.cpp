#include "launch.hpp"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/enum_tag.h>
#include <c10/core/GradMode.h>

#include <optional>
#include <string>

#include "context.hpp"
#include "cuda_codes.hpp"
#include "device_asserts.hpp"
#include "generator.hpp"
#include "kernel_guard.hpp"
#include "launch_rules.hpp"
#include "mirror.hpp"
#include "values.hpp"

namespace sim {

namespace {

using Stack = torch::jit::Stack;

/// One launch, from the arguments on the stack to the results on it.
class Launch {
 public:
  Launch(const c10::OperatorHandle& op, HostKernel kernel, c10::DispatchKey host_key, Stack& stack)
      : op_(op),
        kernel_(kernel),
        name_(base_name(op)),
        key_(host_key),
        stack_(stack),
        arguments_(torch::jit::pop(stack, op.schema().arguments().size())),
        device_(common_device(name_, arguments_)),
        mirrors_(device_) {}

  void run() {
    const c10::NoGradGuard no_grad;
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    if (starts_no_kernel(op_)) {
      Stack results = host_arguments();
      call(results);
      return_results(results);
      return;
    }
    context_.enter(device_);
    const std::vector<Fault> faults =
        context_.faults_of_launch(op_.operator_name().name, op_.operator_name().overload_name);
    for (const Fault& fault : faults) refuse_at_once(fault);
    if (waits_for_kernel(op_)) context_.wait(device_);

    Stack results = host_arguments();
    run_kernel(results);
    for (const Fault& fault : faults) play(fault, results);
    return_results(results);
    context_.launched(device_);
    if (waits_for_kernel(op_)) context_.wait(device_);
  }

 private:
  Stack host_arguments() {
    Stack host;
    generator_ = default_generator(device_);
    for (const c10::IValue& value : arguments_) {
      if (value.isGenerator() && value.toGenerator().device().type() == at::kPrivateUse1) {
        // Its numbers come through the CPU's default generator, for as long as the kernel runs.
        generator_ = value.toGenerator();
        host.emplace_back();
      } else {
        host.push_back(mirrors_.host_of(value));
      }
    }
    return host;
  }

  void call(Stack& stack) {
    if (kernel_ != nullptr) {
      kernel_(&stack);
      return;
    }
    TORCH_CHECK_NOT_IMPLEMENTED(op_.hasComputedKernelForDispatchKey(key_), "Could not run '",
                                op_.operator_name(), "' with arguments from the 'PrivateUse1' backend.");
    std::optional<DrawFrom> random;
    if (op_.hasTag(at::Tag::nondeterministic_seeded)) random.emplace(generator_);
    op_.redispatchBoxed(c10::DispatchKeySet(key_), &stack);
  }

  /// What fails before a kernel starts leaves the device as it was.
  void refuse_at_once(const Fault& fault) {
    if (fault.kind == FaultKind::oom) {
      TORCH_CHECK_WITH(OutOfMemoryError, false, "CUDA out of memory. Tried to allocate 20.00 GiB. GPU ",
                       static_cast<int>(device_),
                       " has a total capacity of 15.77 GiB of which 14.61 GiB is free. (simulated)");
    }
    if (fault.kind == FaultKind::wrapped) {
      context_.fail(device_, fault.code, played_assert(name_));
      TORCH_CHECK(
          false,
          "CUDA error: CUBLAS_STATUS_EXECUTION_FAILED when calling `cublasSgemm( handle, opa, opb, m, "
          "n, k, &alpha, a, lda, b, ldb, &beta, c, ldc)`");
    }
    if (fault.kind == FaultKind::code && !find_code(fault.code)->sticky) throw_code(fault.code);
  }

  void run_kernel(Stack& stack) {
    const Stack host = stack;
    try {
      if (context_.dead(device_)) {
        call_harmless(stack, host);
      } else if (!completes([&] { call(stack); })) {
        context_.fail(device_, kIllegalAddress, {});
        call_after_failure(stack, host);
      }
    } catch (const c10::Error& error) {
      const bool is_index_error = dynamic_cast<const c10::IndexError*>(&error) != nullptr;
      auto lines = device_assert(name_, error.what_without_backtrace(), is_index_error, host);
      if (!lines) throw;
      context_.fail(device_, kAssert, std::move(*lines));
      call_after_failure(stack, host);
    }
  }

  void call_after_failure(Stack& stack, const Stack& host) {
    bool done = false;
    try {
      done = completes([&] { call_harmless(stack, host); });
    } catch (const c10::Error&) {
      done = false;
    }
    // No values are harmless for it, and nothing can stand for the result: the host hears of the failure now.
    if (!done) context_.wait(device_);
  }

  /// For results of the right shape. A result that is an argument keeps what it has.
  void call_harmless(Stack& stack, const Stack& host) {
    stack.clear();
    if (op_.schema().returns().empty()) return;
    stack = harmless(host);
    const Stack blanks = stack;
    call(stack);
    for (c10::IValue& result : stack) {
      for (std::size_t i = 0; i < blanks.size(); ++i) {
        if (result.isTensor() && blanks[i].isTensor() && result.toTensor().is_same(blanks[i].toTensor())) {
          result = host[i];
          break;
        }
      }
    }
  }

  void play(const Fault& fault, const Stack& results) {
    switch (fault.kind) {
      case FaultKind::code:
        context_.fail(device_, fault.code, fault.code == kAssert ? played_assert(name_) : AssertLines());
        break;
      case FaultKind::hang_kernel:
        context_.hang_kernel(device_);
        break;
      case FaultKind::hang_sync:
        context_.hang_synchronize(device_);
        break;
      case FaultKind::abort:
        context_.abort_later(device_);
        break;
      case FaultKind::wrong_element:
        change_element(results, fault.kind);
        break;
      case FaultKind::order:
        if (!context_.blocking()) change_element(results, fault.kind);
        break;
      case FaultKind::oom:
      case FaultKind::wrapped:
      case FaultKind::sick:
        break;
    }
  }

  void return_results(Stack& results) {
    mirrors_.write_back();
    for (c10::IValue& result : results) stack_.push_back(mirrors_.device_of(result));
  }

  const c10::OperatorHandle& op_;
  HostKernel kernel_;
  std::string name_;
  c10::DispatchKey key_;
  Stack& stack_;
  Stack arguments_;
  c10::DeviceIndex device_;
  Mirrors mirrors_;
  at::Generator generator_;
  Context& context_ = Context::of_process();
};

}  // namespace

void launch(const c10::OperatorHandle& op, c10::DispatchKeySet keys, Stack* stack) {
  c10::DispatchKey host_key = c10::DispatchKey::CPU;
  if (keys.has(c10::DispatchKey::SparsePrivateUse1)) host_key = c10::DispatchKey::SparseCPU;
  if (keys.has(c10::DispatchKey::SparseCsrPrivateUse1)) host_key = c10::DispatchKey::SparseCsrCPU;
  Launch(op, nullptr, host_key, *stack).run();
}

void launch_with(const c10::OperatorHandle& op, HostKernel kernel, Stack* stack) {
  Launch(op, kernel, c10::DispatchKey::CPU, *stack).run();
}

}  // namespace sim
