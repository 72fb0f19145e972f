// The device seen by a program that has only loaded the library.

#include <ATen/ATen.h>
#include <ATen/DeviceAccelerator.h>
#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/library.h>

#include <csignal>
#include <string>

#include "in_child.hpp"

namespace sim_test {
namespace {

const c10::Device kSim(at::kPrivateUse1, 0);

void synchronize() {
  at::accelerator::synchronizeDevice(0);
}

at::Tensor floats(at::IntArrayRef sizes) {
  std::int64_t count = 1;
  for (const std::int64_t size : sizes) count *= size;
  return at::arange(count, at::kFloat).view(sizes);
}

std::string values(const at::Tensor& tensor) {
  std::string text;
  const at::Tensor flat = tensor.cpu().to(at::kDouble).contiguous().view(-1);
  for (std::int64_t i = 0; i < flat.numel(); ++i) {
    char number[32];
    std::snprintf(number, sizeof number, "%g ", flat[i].item<double>());
    text += number;
  }
  return text;
}

const Variables kAsync = {};
const Variables kBlocking = {{"CUDA_LAUNCH_BLOCKING", "1"}};

Variables with_fault(const std::string& fault, Variables variables = {}) {
  variables.emplace_back("RELAPSE_SIM_FAULT", fault);
  return variables;
}

/// Two steps before the fault's, which is `mul`, two behind it, a wait, and a use of the device after that.
void walk(std::ostream& out) {
  at::Tensor x;
  at::Tensor y;
  out << "to " << outcome([&] { x = floats({3}).to(kSim); });
  out << ", add " << outcome([&] { y = x + x; });
  out << ", mul " << outcome([&] { y = y * x; });
  out << ", sub " << outcome([&] { y = y - x; });
  out << ", relu " << outcome([&] { y = y.relu(); });
  out << ", sync " << outcome(&synchronize);
  out << ", exp " << outcome([&] { x.exp(); });
  out << ", cpu " << outcome([&] { x.cpu(); });
}

std::string walked(const std::string& fault, const Variables& variables = {}) {
  return in_child(with_fault(fault, variables), &walk).said;
}

TEST(SimDevice, ComputesOnItsOwnTensors) {
  const Child child = in_child(kAsync, [](std::ostream& out) {
    const at::Tensor x = floats({2, 3}).to(kSim);
    const at::Tensor y = x.matmul(x.t()).softmax(1);
    out << x.device() << " " << y.device() << " " << y.sizes() << " "
        << at::allclose(y.cpu(), x.cpu().matmul(x.cpu().t()).softmax(1));
  });
  EXPECT_EQ(child.said, "sim:0 sim:0 [2, 2] 1");
}

TEST(SimDevice, KeepsViewsAndStrides) {
  const Child child = in_child(kAsync, [](std::ostream& out) {
    const at::Tensor base = floats({4, 4}).to(kSim);
    const at::Tensor column = base.t().slice(1, 0, 4, 2).select(0, 1);
    column.add_(100);
    out << column.strides() << " " << values(base.select(1, 1)) << "| " << values(base.diagonal()) << "| ";
    // A result that a kernel makes of two views of one tensor is refused as on the CPU.
    out << outcome([&] { base.narrow(0, 0, 3).add_(base.narrow(0, 1, 3)); });
  });
  EXPECT_EQ(
      child.said,
      "[8] 101 5 109 13 | 0 5 10 15 | Error: unsupported operation: some elements of the input tensor and "
      "the "
      "written-to tensor refer to a single memory location. Please clone() the tensor before performing the "
      "operation.");
}

TEST(SimDevice, GrowsTensorsThatAKernelWritesTo) {
  const Child child = in_child(kAsync, [](std::ostream& out) {
    at::Tensor result = at::empty({0}, at::TensorOptions(kSim));
    const at::Tensor x = floats({2, 2}).to(kSim);
    at::add_out(result, x, x);
    out << result.device() << result.sizes() << " " << values(result) << "| ";
    result.resize_({6}).fill_(3);
    out << values(result);
  });
  EXPECT_EQ(child.said, "sim:0[2, 2] 0 2 4 6 | 3 3 3 3 3 3 ");
}

TEST(SimDevice, RunsBackwardsAsTheCpuDoes) {
  const Child child = in_child(kAsync, [](std::ostream& out) {
    const auto gradient = [](const c10::Device& device) {
      const at::Tensor image = (floats({1, 2, 5, 5}) / 50).to(device).requires_grad_();
      const at::Tensor weight = (floats({3, 2, 3, 3}) / 54).to(device).requires_grad_();
      const at::Tensor bias = floats({3}).to(device).requires_grad_();
      const at::Tensor loss = at::conv2d(image, weight, bias, 2, 1).sigmoid().sum();
      const auto grads = torch::autograd::grad({loss}, {image, weight, bias});
      return at::cat({grads[0].flatten().cpu(), grads[1].flatten().cpu(), grads[2].cpu()});
    };
    out << at::allclose(gradient(kSim), gradient(at::kCPU));
  });
  EXPECT_EQ(child.said, "1");
}

at::Tensor cell_gradients(const c10::Device& device, bool lstm) {
  const std::int64_t gates = lstm ? 4 : 3;
  const auto leaf = [&](at::IntArrayRef sizes, double scale) {
    return (floats(sizes).sin() * scale).to(device).requires_grad_();
  };
  const std::vector<at::Tensor> weights = {leaf({gates * 3, 2}, 0.5), leaf({gates * 3, 3}, 0.7),
                                           leaf({gates * 3}, 0.2), leaf({gates * 3}, 0.3)};
  const at::Tensor x = leaf({4, 2, 2}, 1);
  const at::Tensor h = leaf({1, 2, 3}, 0.4);
  at::Tensor y;
  if (lstm) {
    y = std::get<0>(at::lstm(x, {h, h}, weights, true, 1, 0.0, true, false, false));
  } else {
    y = std::get<0>(at::gru(x, h, weights, true, 1, 0.0, true, false, false));
  }
  std::vector<at::Tensor> inputs = weights;
  inputs.push_back(x);
  inputs.push_back(h);
  std::vector<at::Tensor> flat = {y.detach().flatten().cpu()};
  for (const at::Tensor& grad : torch::autograd::grad({y.cos().sum()}, inputs))
    flat.push_back(grad.flatten().cpu());
  return at::cat(flat);
}

TEST(SimDevice, HasTheCellsOfRecurrentNetworks) {
  const Child child = in_child(kAsync, [](std::ostream& out) {
    for (const bool lstm : {true, false}) {
      out << at::allclose(cell_gradients(kSim, lstm), cell_gradients(at::kCPU, lstm), 1e-4, 1e-6) << " ";
    }
  });
  EXPECT_EQ(child.said, "1 1 ");
}

TEST(SimDevice, DrawsItsOwnNumbers) {
  const Child child = in_child(kAsync, [](std::ostream& out) {
    const auto seed = [](const c10::Device& device, std::uint64_t value) {
      at::Generator generator = at::globalContext().defaultGenerator(device);
      generator.set_current_seed(value);
    };
    seed(at::kCPU, 7);
    const at::Tensor host = at::rand({8});
    seed(at::kCPU, 7);
    seed(kSim, 7);
    const at::Tensor first = at::rand({8}, at::TensorOptions(kSim));
    const at::Tensor second = at::rand({8}, at::TensorOptions(kSim));
    const at::Tensor host_again = at::rand({8});
    seed(kSim, 7);
    const at::Tensor again = at::rand({8}, at::TensorOptions(kSim));
    out << "repeats " << first.cpu().equal(again.cpu()) << " goes on " << !first.cpu().equal(second.cpu())
        << " differs from the CPU's " << !first.cpu().equal(host) << " leaves the CPU's alone "
        << host.equal(host_again);
  });
  EXPECT_EQ(child.said, "repeats 1 goes on 1 differs from the CPU's 1 leaves the CPU's alone 1");
}

TEST(SimDevice, HasSparseTensors) {
  const Child child = in_child(kAsync, [](std::ostream& out) {
    const at::Tensor indices = at::tensor({0, 1, 1, 2}, at::kLong).view({2, 2}).to(kSim);
    const at::Tensor sparse = at::sparse_coo_tensor(indices, at::ones({2}).to(kSim), {3, 3});
    out << sparse.device() << " " << values(sparse.to_dense()) << "| ";
    out << values(at::mm(sparse, floats({3, 1}).to(kSim))) << "| " << values(sparse.cpu().to_dense());
  });
  EXPECT_EQ(child.said, "sim:0 0 1 0 0 0 1 0 0 0 | 1 2 0 | 0 1 0 0 0 1 0 0 0 ");
}

TEST(SimDevice, HasStreamsAndEvents) {
  const Child child = in_child(kAsync, [](std::ostream& out) {
    const c10::impl::VirtualGuardImpl guard(at::kPrivateUse1);
    const c10::Stream side = guard.getStreamFromGlobalPool(kSim);
    const c10::Stream before = guard.exchangeStream(side);
    out << (guard.getStream(kSim) == side) << (before == guard.getDefaultStream(kSim)) << " ";
    c10::Event event(at::kPrivateUse1);
    event.record(side);
    event.block(before);
    out << outcome([&] { event.synchronize(); }) << " " << event.query() << " "
        << outcome([&] { side.synchronize(); });
  });
  EXPECT_EQ(child.said, "11 ok 1 ok");
}

TEST(SimDevice, IsAsManyAsTheEnvironmentSays) {
  const auto count = [](const std::string& text) {
    return in_child({{"RELAPSE_SIM_DEVICES", text}},
                    [](std::ostream& out) {
                      out << static_cast<int>(at::accelerator::deviceCount()) << " "
                          << outcome([] { floats({2}).to(c10::Device("sim:1")); });
                    })
        .said;
  };
  EXPECT_EQ(count("1"), "1 101");
  EXPECT_EQ(count("2"), "2 ok");
  EXPECT_EQ(count("0"), "0 Error: No sim devices are available");
  EXPECT_EQ(count("many"), "0 Error: RELAPSE_SIM_DEVICES: expected a number from 0 to 16, got \"many\"");
}

TEST(SimDevice, RefusesTensorsOfTwoDevices) {
  const Child child = in_child({{"RELAPSE_SIM_DEVICES", "2"}}, [](std::ostream& out) {
    const at::Tensor x = floats({2}).to(kSim);
    out << outcome([&] { x + floats({2}); }) << " | " << outcome([&] { x + x.to(c10::Device("sim:1")); })
        << " | " << outcome([&] { x.index_select(0, at::zeros({1}, at::kLong)); }) << " | "
        << outcome([&] { x + at::scalar_tensor(2.0); });
  });
  EXPECT_EQ(child.said,
            "Error: Expected all tensors to be on the same device, but found at least two devices, sim:0 and "
            "cpu! | "
            "Error: Expected all tensors to be on the same device, but found at least two devices, sim:0 and "
            "sim:1! | "
            "Error: Expected all tensors to be on the same device, but found at least two devices, sim:0 and "
            "cpu! (in "
            "index_select) | ok");
}

TEST(SimDevice, HasMemoryThatTheHostCannotRead) {
  const Child child = in_child(kAsync, [](std::ostream& out) {
    const at::Tensor x = floats({2}).to(kSim);
    out << "pointer " << (x.data_ptr() != nullptr) << ", value ";
    out << *static_cast<const volatile float*>(x.data_ptr());
  });
  EXPECT_EQ(child.said, "pointer 1, value ");
  EXPECT_EQ(child.signal, SIGSEGV);
}

TEST(SimDevice, HasAsMuchMemoryAsTheEnvironmentSays) {
  const auto used = [](const std::string& memory) {
    return in_child({{"RELAPSE_SIM_MEMORY", memory}},
                    [](std::ostream& out) {
                      const auto free = [] { return at::accelerator::getMemoryInfo(0).first / 1024; };
                      out << outcome([&] { free(); });
                      if (outcome([&] { free(); }) != "ok") return;
                      out << " " << at::accelerator::getMemoryInfo(0).second / 1024 << " " << free();
                      {
                        const at::Tensor x = at::zeros({256, 256}, at::TensorOptions(kSim));
                        out << " " << free();
                        // A result is memory of the device, too.
                        const at::Tensor y = x + 1;
                        out << " " << free() << " " << outcome([&] { x.repeat({4, 1}); });
                      }
                      out << " " << free() << " " << outcome(&synchronize);
                    })
        .said;
  };
  EXPECT_EQ(used("1MiB"), "ok 1024 1024 768 512 out_of_memory 1024 ok");
  EXPECT_EQ(used("lots"), "Error: RELAPSE_SIM_MEMORY: expected a number with KiB, MiB or GiB, got \"lots\"");
}

TEST(SimDevice, IsLostByAFork) {
  const Child child = in_child(kAsync, [](std::ostream& out) {
    const at::Tensor x = floats({2}).to(kSim);
    out << in_child({}, [&](std::ostream& inner) { inner << outcome([&] { x + x; }); }).said;
  });
  EXPECT_EQ(child.said, "3");
}

TEST(SimDevice, RefusesWrongShapesAtOnce) {
  const Child child = in_child(kAsync, [](std::ostream& out) {
    const at::Tensor x = floats({2, 2}).to(kSim);
    out << outcome([&] { x + floats({3}).to(kSim); }) << " | " << outcome([&] { x.sum(5); }) << " | "
        << outcome([&] { x.mm(x.to(at::kLong)); }) << " | " << outcome(&synchronize);
  });
  EXPECT_EQ(
      child.said,
      "Error: The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 1 | "
      "IndexError: Dimension out of range (expected to be in range of [-2, 1], but got 5) | Error: expected "
      "m1 and "
      "m2 to have the same dtype, but got: float != long int | ok");
}

constexpr const char* kGatherLine =
    "/pytorch/aten/src/ATen/native/cuda/ScatterGatherKernel.cu:163: operator(): block: [0,0,0], thread: "
    "[1,0,0] "
    "Assertion `idx_dim >= 0 && idx_dim < index_size && \"index out of bounds\"` failed.\n";

TEST(SimDevice, AnIndexOutOfRangeShowsLateAndSticks) {
  const Child child = in_child(kAsync, [](std::ostream& out) {
    const at::Tensor x = floats({3}).to(kSim);
    at::Tensor y;
    out << "gather " << outcome([&] { y = x.gather(0, at::tensor({0, 7}, at::kLong).to(kSim)); });
    out << ", shape " << y.sizes() << ", mul " << outcome([&] { y = y * 2; });
    std::fprintf(stderr, "before\n");
    out << ", item " << outcome([&] { y[0].item(); }) << ", sync " << outcome(&synchronize) << ", add "
        << outcome([&] { x + x; }) << ", cpu " << outcome([&] { x.cpu(); }) << ", to "
        << outcome([&] { floats({1}).to(kSim); });
  });
  EXPECT_EQ(child.said, "gather ok, shape [2], mul ok, item 710, sync 710, add 710, cpu 710, to 710");
  EXPECT_EQ(child.errors, std::string("before\n") + kGatherLine);
}

TEST(SimDevice, ABlockingLaunchShowsItAtOnce) {
  const Child child = in_child(kBlocking, [](std::ostream& out) {
    const at::Tensor x = floats({3}).to(kSim);
    const at::Tensor index = at::tensor({0, 7}, at::kLong).to(kSim);
    out << "gather " << outcome([&] { x.gather(0, index); }) << ", sync " << outcome(&synchronize);
  });
  EXPECT_EQ(child.said, "gather 710, sync 710");
  EXPECT_EQ(child.errors, kGatherLine);
}

struct Guilty {
  const char* name;
  std::function<at::Tensor(const at::Tensor& x, const at::Tensor& id)> call;
  const char* condition;
};

TEST(SimDevice, AssertsWhereCudasKernelsDo) {
  const std::vector<Guilty> all = {
      {"index_select", [](auto& x, auto& id) { return x.index_select(0, id); },
       "`srcIndex < srcSelectDimSize`"},
      {"embedding", [](auto& x, auto& id) { return at::embedding(x, id); }, "`srcIndex < srcSelectDimSize`"},
      {"index", [](auto& x, auto& id) { return x.index({id}); },
       "`ind >=0 && ind < ind_dim_size && \"index out of bounds\"`"},
      {"take", [](auto& x, auto& id) { return x.take(id * 1000); },
       "cuda_take_put_kernel() index out of bounds"},
      {"scatter",
       [](auto& x, auto& id) {
         return x.scatter(0, id.view({2, 1}), 1.0);
       },
       "idx_dim < index_size"},
      {"index_add", [](auto& x, auto& id) { return x.index_add(0, id, x.narrow(0, 0, 2)); },
       "`dstIndex < dstAddDimSize`"},
      {"index_copy", [](auto& x, auto& id) { return x.index_copy(0, id, x.narrow(0, 0, 2)); },
       "index_copy_()"},
      {"index_fill", [](auto& x, auto& id) { return x.index_fill(0, id, 1.0); }, "idx < self_dim_size"},
      {"cross_entropy", [](auto& x, auto& id) { return at::cross_entropy_loss(x.narrow(0, 0, 2), id); },
       "`t >= 0 && t < n_classes`"},
      {"multi_margin", [](auto& x, auto& id) { return at::multi_margin_loss(x.narrow(0, 0, 2), id); },
       "target index is out of bounds"},
      {"embedding_bag",
       [](auto& x, auto& id) { return std::get<0>(at::embedding_bag(x, id, at::zeros({1}, id.options()))); },
       "`input[emb] < numRows`"},
      {"binary_cross_entropy", [](auto& x, auto&) { return at::binary_cross_entropy(x, x); },
       "`input_val >= zero && input_val <= one`"},
      {"bernoulli", [](auto& x, auto&) { return at::bernoulli(x); }, "`0 <= p4 && p4 <= 1`"},
      {"_assert_async",
       [](auto& x, auto&) {
         at::_assert_async(x.sum() < 0);
         return x;
       },
       "`input[0] != 0`"},
  };
  for (const Guilty& guilty : all) {
    SCOPED_TRACE(guilty.name);
    const Child child = in_child(kAsync, [&](std::ostream& out) {
      const at::Tensor x = floats({3, 4}).to(kSim);
      const at::Tensor id = at::tensor({1, 9}, at::kLong).to(kSim);
      out << "launch " << outcome([&] { guilty.call(x, id); }) << ", sync " << outcome(&synchronize);
    });
    EXPECT_EQ(child.said, "launch ok, sync 710");
    EXPECT_NE(child.errors.find(guilty.condition), std::string::npos) << child.errors;
  }
}

/// Reads where it is told to.
at::Tensor strays(const at::Tensor& x, const at::Tensor& index) {
  const volatile float* far = x.const_data_ptr<float>() + *index.const_data_ptr<std::int64_t>();
  return x + *far;
}

at::Tensor always_strays(const at::Tensor& x) {
  return strays(x, at::tensor({std::int64_t{1} << 44}));
}

TEST(SimDevice, AnAccessOutsideOfMemoryIsAnIllegalAccess) {
  torch::Library library(torch::Library::DEF, "sim_test", std::nullopt, __FILE__, __LINE__);
  library.def("strays(Tensor x, Tensor index) -> Tensor");
  library.impl("strays", torch::dispatch(c10::DispatchKey::CPU, TORCH_FN(strays)));
  library.def("always_strays(Tensor x) -> Tensor");
  library.impl("always_strays", torch::dispatch(c10::DispatchKey::CPU, TORCH_FN(always_strays)));
  const auto op = c10::Dispatcher::singleton().findSchemaOrThrow("sim_test::strays", "");
  const auto call = [&](const at::Tensor& x) {
    torch::jit::Stack stack = {x, at::tensor({std::int64_t{1} << 44}).to(x.device())};
    op.callBoxed(&stack);
    return stack[0].toTensor();
  };
  const auto used = [&](std::ostream& out) {
    const at::Tensor x = floats({3}).to(kSim);
    at::Tensor y;
    out << "strays " << outcome([&] { y = call(x); }) << " " << y.sizes() << ", mul "
        << outcome([&] { y = x * 2; }) << ", sync " << outcome(&synchronize) << ", add "
        << outcome([&] { x + x; });
  };
  Child child = in_child(kAsync, used);
  EXPECT_EQ(child.said, "strays ok [3], mul ok, sync 700, add 700");
  EXPECT_EQ(child.errors, "");
  EXPECT_EQ(
      in_child(kBlocking, [&](std::ostream& out) { out << outcome([&] { call(floats({3}).to(kSim)); }); })
          .said,
      "700");
  // Where no arguments are harmless nothing can stand for the result, and the call fails.
  const auto always = c10::Dispatcher::singleton().findSchemaOrThrow("sim_test::always_strays", "");
  child = in_child(kAsync, [&](std::ostream& out) {
    torch::jit::Stack stack = {floats({3}).to(kSim)};
    out << outcome([&] { always.callBoxed(&stack); }) << " " << outcome(&synchronize);
  });
  EXPECT_EQ(child.said, "700 700");
  // On the CPU it still ends the process, also where the device was used before.
  child = in_child(kAsync, [&](std::ostream&) {
    floats({3}).to(kSim).mul(2);
    call(floats({3}));
  });
  EXPECT_EQ(child.signal, SIGSEGV);
}

TEST(SimDevice, PlaysFaultsThatShowLateAndStick) {
  const std::vector<std::pair<std::string, std::string>> kinds = {{"assert", "710"},
                                                                  {"illegal_access", "700"},
                                                                  {"launch_failure", "719"},
                                                                  {"misaligned", "716"},
                                                                  {"715", "715"}};
  for (const auto& [kind, code] : kinds) {
    SCOPED_TRACE(kind);
    EXPECT_EQ(walked(kind + "@mul"),
              "to ok, add ok, mul ok, sub ok, relu ok, sync " + code + ", exp " + code + ", cpu " + code);
    EXPECT_EQ(walked(kind + "@mul", kBlocking), "to ok, add ok, mul " + code + ", sub " + code + ", relu " +
                                                    code + ", sync " + code + ", exp " + code + ", cpu " +
                                                    code);
  }
}

TEST(SimDevice, OnlyAnAssertSpeaks) {
  const auto lines = [](const std::string& kind) {
    return in_child(with_fault(kind + "@mul"), &walk).errors;
  };
  EXPECT_EQ(lines("assert"),
            "/pytorch/aten/src/ATen/native/cuda/Simulated.cu:42: mul_kernel: block: [0,0,0], thread: [0,0,0] "
            "Assertion "
            "`index >= 0 && index < size` failed.\n"
            "/pytorch/aten/src/ATen/native/cuda/Simulated.cu:42: mul_kernel: block: [0,0,0], thread: [1,0,0] "
            "Assertion "
            "`index >= 0 && index < size` failed.\n"
            "/pytorch/aten/src/ATen/native/cuda/Simulated.cu:42: mul_kernel: block: [0,0,0], thread: [2,0,0] "
            "Assertion "
            "`index >= 0 && index < size` failed.\n");
  EXPECT_EQ(lines("illegal_access"), "");
  EXPECT_EQ(lines("launch_failure"), "");
}

TEST(SimDevice, SaysWhatCudaSays) {
  const Child child = in_child(with_fault("illegal_access@mul"), [](std::ostream& out) {
    try {
      const at::Tensor x = floats({2}).to(kSim);
      (x * x).cpu();
    } catch (const c10::Error& error) {
      out << error.what_without_backtrace();
    }
  });
  EXPECT_EQ(child.said,
            "CUDA error: an illegal memory access was encountered\n"
            "Search for `cudaErrorIllegalAddress' in "
            "https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html for more information.\n"
            "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace "
            "below might "
            "be incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\n"
            "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n");
}

TEST(SimDevice, HidesAStickyCodeBehindAMathLibrary) {
  const std::string text =
      "mul Error: CUDA error: CUBLAS_STATUS_EXECUTION_FAILED when calling `cublasSgemm( handle, opa, opb, m, "
      "n, k, "
      "&alpha, a, lda, b, ldb, &beta, c, ldc)`";
  EXPECT_EQ(walked("wrapped@mul"),
            "to ok, add ok, " + text + ", sub ok, relu ok, sync 710, exp 710, cpu 710");
  EXPECT_EQ(walked("wrapped@mul", kBlocking),
            "to ok, add ok, " + text + ", sub 710, relu 710, sync 710, exp 710, cpu 710");
}

TEST(SimDevice, RecoversFromWhatFailsBeforeAKernelStarts) {
  for (const Variables& mode : {kAsync, kBlocking}) {
    EXPECT_EQ(walked("oom@mul", mode),
              "to ok, add ok, mul out_of_memory, sub ok, relu ok, sync ok, exp ok, cpu ok");
    EXPECT_EQ(walked("9@mul", mode), "to ok, add ok, mul 9, sub ok, relu ok, sync ok, exp ok, cpu ok");
  }
}

Child hangs(const std::string& fault, const Variables& mode) {
  return in_child(with_fault(fault, mode), &walk, std::chrono::milliseconds(250));
}

TEST(SimDevice, Hangs) {
  Child child = hangs("hang_kernel@mul", kAsync);
  EXPECT_TRUE(child.hung);
  EXPECT_EQ(child.said, "to ok, add ok, mul ok, sub ok, relu ok, sync ");
  child = hangs("hang_kernel@mul", kBlocking);
  EXPECT_TRUE(child.hung);
  EXPECT_EQ(child.said, "to ok, add ok, mul ");
  for (const Variables& mode : {kAsync, kBlocking}) {
    child = hangs("hang_sync@mul", mode);
    EXPECT_TRUE(child.hung);
    EXPECT_EQ(child.said, "to ok, add ok, mul ok, sub ok, relu ok, sync ");
  }
}

TEST(SimDevice, EndsTheProcessWithoutAWord) {
  Child child = in_child(with_fault("abort@mul"), &walk);
  EXPECT_EQ(child.signal, SIGABRT);
  EXPECT_EQ(child.said, "to ok, add ok, mul ok, sub ok, relu ok, sync ");
  EXPECT_EQ(child.errors, "");
  child = in_child(with_fault("abort@mul", kBlocking), &walk);
  EXPECT_EQ(child.signal, SIGABRT);
  EXPECT_EQ(child.said, "to ok, add ok, mul ");
}

TEST(SimDevice, IsOffByOneElement) {
  const auto sum = [](const std::string& fault, const Variables& mode) {
    return in_child(with_fault(fault, mode),
                    [](std::ostream& out) {
                      const at::Tensor x = floats({3}).to(kSim);
                      out << values(x + x) << "| " << values(x + x) << "| " << outcome(&synchronize);
                    })
        .said;
  };
  for (const Variables& mode : {kAsync, kBlocking}) {
    EXPECT_EQ(sum("wrong_element@add", mode), "1 2 4 | 0 2 4 | ok");
    EXPECT_EQ(sum("wrong_element@add#2", mode), "0 2 4 | 1 2 4 | ok");
    EXPECT_EQ(sum("wrong_element@add#*", mode), "1 2 4 | 1 2 4 | ok");
  }
  EXPECT_EQ(sum("order@add", kAsync), "0 2 0 | 0 2 4 | ok");
  EXPECT_EQ(sum("order@add", kBlocking), "0 2 4 | 0 2 4 | ok");
}

TEST(SimDevice, IsSickFromTheStart) {
  const auto used = [](const std::string& fault) {
    return in_child(with_fault(fault),
                    [](std::ostream& out) {
                      out << "count " << static_cast<int>(at::accelerator::deviceCount());
                      out << ", to " << outcome([] { floats({3}).to(kSim); });
                      out << ", ones " << outcome([] { at::ones({2}, at::TensorOptions(kSim)); });
                      out << ", sync " << outcome(&synchronize);
                    })
        .said;
  };
  EXPECT_EQ(used("sick"), "count 1, to 214, ones 214, sync 214");
  EXPECT_EQ(used("sick:46"), "count 1, to 46, ones 46, sync 46");
}

TEST(SimDevice, PlacesAFaultByTheNameThatACaseUses) {
  const auto loss = [](const std::string& fault) {
    return in_child(with_fault(fault),
                    [](std::ostream& out) {
                      const at::Tensor x = floats({2, 3}).to(kSim);
                      const at::Tensor target = at::tensor({0, 1}, at::kLong).to(kSim);
                      out << "softmax " << outcome([&] { x.log_softmax(1).cpu(); });
                      out << ", loss " << outcome([&] { at::cross_entropy_loss(x, target).cpu(); });
                      out << ", select " << outcome([&] { at::embedding(x, target).cpu(); });
                    })
        .said;
  };
  EXPECT_EQ(loss("700@cross_entropy_loss"), "softmax ok, loss 700, select 700");
  EXPECT_EQ(loss("700@aten::nll_loss_forward"), "softmax ok, loss 700, select 700");
  EXPECT_EQ(loss("700@embedding"), "softmax ok, loss ok, select 700");
  EXPECT_EQ(loss("700@_log_softmax#2"), "softmax ok, loss 700, select 700");
  EXPECT_EQ(loss("700@index_select.out"), "softmax ok, loss ok, select ok");
  EXPECT_EQ(loss("oom@_log_softmax; 719@embedding"), "softmax out_of_memory, loss ok, select 719");
  EXPECT_EQ(loss("700"), "softmax 700, loss 700, select 700");
}

TEST(SimDevice, RefusesAnEnvironmentThatItCannotRead) {
  const auto refused = [](const std::string& fault) {
    return in_child(with_fault(fault),
                    [](std::ostream& out) { out << outcome([] { floats({1}).to(kSim); }); })
        .said;
  };
  const std::string kinds =
      "Error: RELAPSE_SIM_FAULT: expected assert, illegal_access, launch_failure, misaligned, wrapped, oom, "
      "hang_kernel, "
      "hang_sync, abort, wrong_element, order, sick, sick:CODE or a CUDA error code, got ";
  EXPECT_EQ(refused("asert@add"), kinds + "\"asert\"");
  EXPECT_EQ(refused("12345"), kinds + "\"12345\"");
  EXPECT_EQ(refused("sick:x"), kinds + "\"sick:x\"");
  EXPECT_EQ(refused("oom@"),
            "Error: RELAPSE_SIM_FAULT: expected the name of an operator behind @, got \"oom@\"");
  EXPECT_EQ(refused("oom@add#0"),
            "Error: RELAPSE_SIM_FAULT: expected a number from 1 or * behind #, got \"oom@add#0\"");
}

}  // namespace
}  // namespace sim_test
