// Operators that give the same on the device as on the CPU: results, what they write to, shapes, strides,
// dtypes; floats to the last digits. Counted are base names of the namespace aten: `add`, `add.Tensor` and
// `add.Scalar` are one; `add_` is another; a name that begins with `_` is none. An operator counts when some
// arguments were found that the CPU takes and the device gave the same for every one of them.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "in_child.hpp"
#include "operator_samples.hpp"

namespace sim_test {
namespace {

using torch::jit::Stack;

const c10::Device kSim(at::kPrivateUse1, 0);

/// They read files, change how autograd sees a tensor, or believe that their arguments fit each other.
const std::set<std::string> kLeftOut = {"from_file",         "set_data",
                                        "retain_grad",       "requires_grad_",
                                        "rename_",           "sparse_csr_tensor",
                                        "sparse_csc_tensor", "sparse_bsr_tensor",
                                        "sparse_bsc_tensor", "sparse_compressed_tensor",
                                        "native_batch_norm"};

/// Overloads by base name.
std::map<std::string, std::vector<c10::OperatorHandle>> operators() {
  std::map<std::string, std::vector<c10::OperatorHandle>> all;
  for (const c10::OperatorName& name : c10::Dispatcher::singleton().getAllOpNames()) {
    if (name.name.rfind("aten::", 0) != 0) continue;
    const std::string base = name.name.substr(6);
    if (base.front() == '_' || kLeftOut.count(base) != 0) continue;
    const auto op = c10::Dispatcher::singleton().findSchema(name);
    // The numbers of random operators differ, as they do between a CPU and a GPU.
    if (!op || op->hasTag(at::Tag::nondeterministic_seeded)) continue;
    const auto& arguments = op->schema().arguments();
    const bool writes_out =
        std::any_of(arguments.begin(), arguments.end(), [](auto& it) { return it.is_out(); });
    if (!writes_out) all[base].push_back(*op);
  }
  return all;
}

at::Tensor moved(const at::Tensor& tensor, const c10::Device& device) {
  return tensor.defined() ? tensor.to(device) : tensor;
}

Stack moved(const c10::FunctionSchema& schema, const Stack& stack, const c10::Device& device) {
  Stack result;
  for (std::size_t i = 0; i < stack.size(); ++i) {
    const c10::IValue& value = stack[i];
    if (value.isTensor()) {
      result.emplace_back(moved(value.toTensor(), device));
    } else if (value.isTensorList()) {
      c10::List<at::Tensor> list;
      for (const at::Tensor& tensor : value.toTensorVector()) list.push_back(moved(tensor, device));
      result.emplace_back(list);
    } else if (value.isOptionalTensorList()) {
      c10::List<std::optional<at::Tensor>> list;
      for (const auto& tensor : value.toOptionalTensorVector()) list.push_back(moved(*tensor, device));
      result.emplace_back(list);
    } else if (value.isNone() && schema.arguments()[i].name() == "device") {
      result.emplace_back(device);
    } else {
      result.push_back(value);
    }
  }
  return result;
}

std::vector<at::Tensor> tensors(const Stack& stack) {
  std::vector<at::Tensor> all;
  for (const c10::IValue& value : stack) {
    if (value.isTensor() && value.toTensor().defined()) all.push_back(value.toTensor());
    if (value.isTensorList()) {
      for (const at::Tensor& tensor : value.toTensorVector()) all.push_back(tensor);
    }
  }
  return all;
}

bool same(const at::Tensor& a, const at::Tensor& b) {
  if (a.layout() != b.layout() || a.scalar_type() != b.scalar_type() || a.sizes() != b.sizes()) return false;
  if (a.layout() != at::kStrided) return same(a.to_dense(), b.to_dense());
  if (a.strides() != b.strides()) return false;
  const at::Tensor x = a.resolve_conj().resolve_neg();
  const at::Tensor y = b.cpu().resolve_conj().resolve_neg();
  // The same kernel, but what it adds first may depend on where memory begins.
  if (x.is_floating_point() || x.is_complex()) return at::allclose(x, y, 1e-5, 1e-6, /*equal_nan=*/true);
  return at::equal(x, y);
}

bool same(const Stack& a, const Stack& b) {
  const auto x = tensors(a);
  const auto y = tensors(b);
  if (x.size() != y.size() || a.size() != b.size()) return false;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!same(x[i], y[i])) return false;
  }
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].isScalar() && a[i] != b[i]) return false;
  }
  return true;
}

bool has_elements(const Stack& stack) {
  for (const at::Tensor& tensor : tensors(stack)) {
    if (tensor.numel() > 0) return true;
  }
  return false;
}

/// The results behind the arguments as the call left them.
Stack call(const c10::OperatorHandle& op, Stack arguments) {
  Stack stack = arguments;
  op.callBoxed(&stack);
  for (c10::IValue& result : stack) arguments.push_back(std::move(result));
  return arguments;
}

using Make = std::function<std::optional<Stack>(std::uint64_t seed)>;

constexpr const char* kAgrees = "agrees";
constexpr const char* kNoArguments = "no arguments";

/// kAgrees, kNoArguments, or what differs.
std::string compare(const c10::OperatorHandle& op, const Make& make, std::uint64_t seed) {
  if (!make(seed)) return kNoArguments;
  const c10::NoGradGuard no_grad;
  const auto copies = [&](const c10::Device& device) { return moved(op.schema(), *make(seed), device); };
  Stack expected;
  try {
    expected = call(op, copies(at::kCPU));
    const auto arguments = static_cast<std::ptrdiff_t>(op.schema().arguments().size());
    const Stack results(expected.begin() + arguments, expected.end());
    if (!tensors(results).empty() && !has_elements(results)) return kNoArguments;
    // Not defined by its arguments: empty and its kind.
    if (!same(expected, call(op, copies(at::kCPU)))) return kNoArguments;
  } catch (const std::exception&) {
    return kNoArguments;
  }
  try {
    return same(expected, call(op, copies(kSim))) ? kAgrees : "other values";
  } catch (const std::exception& error) {
    const std::string text = error.what();
    return "threw " + text.substr(0, text.find('\n'));
  }
}

/// With two sets of values.
std::string compare(const c10::OperatorHandle& op, const Make& make) {
  const std::string first = compare(op, make, 1);
  if (first != kAgrees) return first;
  const std::string second = compare(op, make, 2);
  return second == kNoArguments ? first : second;
}

/// Up to three recipes that the CPU takes for each overload.
std::string compare(const std::vector<c10::OperatorHandle>& overloads) {
  constexpr int kEnough = 3;
  bool any = false;
  for (const c10::OperatorHandle& op : overloads) {
    int found = 0;
    for (const Recipe& recipe : recipes()) {
      if (found == kEnough) break;
      const std::string answer =
          compare(op, [&](std::uint64_t seed) { return arguments_for(op.schema(), recipe, seed); });
      if (answer == kNoArguments) continue;
      if (answer != kAgrees) return answer + " (" + op.operator_name().overload_name + ")";
      ++found;
      any = true;
    }
  }
  return any ? kAgrees : kNoArguments;
}

/// With the arguments that are written down for it. Here the CPU must take them.
std::string compare(const Written& written) {
  const std::string name = written.op;
  const std::size_t dot = name.find('.');
  const std::string overload = dot == std::string::npos ? "" : name.substr(dot + 1);
  const auto op = c10::Dispatcher::singleton().findSchemaOrThrow(("aten::" + name.substr(0, dot)).c_str(),
                                                                 overload.c_str());
  const std::string answer = compare(op, [&](std::uint64_t seed) {
    Stack stack = written.arguments(seed);
    op.schema().checkAndNormalizeInputs(stack, {});
    return std::optional<Stack>(stack);
  });
  return answer == kNoArguments ? "the CPU refuses what is written down for it" : answer;
}

/// Each operator's answer. Made-up arguments may end a process: the operator under way then has no answer,
/// and the rest is asked in another.
std::map<std::string, std::string> compare_all() {
  const auto all = operators();
  std::map<std::string, std::string> answers;
  auto next = all.begin();
  while (next != all.end()) {
    const Child child = in_child(
        {},
        [&](std::ostream& out) {
          for (auto it = next; it != all.end(); ++it) {
            out << it->first << "\t" << std::flush;
            out << compare(it->second) << "\n" << std::flush;
          }
        },
        std::chrono::seconds(60));
    if (child.said.empty()) break;
    std::istringstream lines(child.said);
    std::string line;
    while (std::getline(lines, line)) {
      const std::size_t tab = line.find('\t');
      const std::string answer = line.substr(tab + 1);
      answers[line.substr(0, tab)] = answer.empty() ? "ended the process" : answer;
      ++next;
    }
  }
  return answers;
}

/// Not the same, and for a reason.
const std::set<std::string> kDiffer = {
    // Say what lies in memory, or where.
    "empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided", "get_device",
    // oneDNN's own operators and layout are the CPU's.
    "mkldnn_convolution", "mkldnn_rnn_layer", "to_mkldnn",
    // Read memory of the host whatever they are given.
    "choose_qparams_optimized", "fbgemm_linear_quantize_weight",
    // Wants its second tensor on the host, also with CUDA.
    "tensor_split"};

TEST(SimDevice, AgreesWithTheCpuOnSixHundredOperators) {
  std::set<std::string> agree;
  int without_arguments = 0;
  const bool list = std::getenv("RELAPSE_SIM_LIST") != nullptr;
  std::map<std::string, std::string> answers = compare_all();
  const Child child = in_child({}, [&](std::ostream& out) {
    for (const Written& written : written_samples())
      out << written.op << "\t" << compare(written) << "\n" << std::flush;
  });
  std::istringstream lines(child.said);
  std::string line;
  std::size_t read = 0;
  for (; std::getline(lines, line); ++read) {
    const std::size_t tab = line.find('\t');
    const std::string name = line.substr(0, std::min(tab, line.find('.')));
    std::string& answer = answers[name];
    if (answer.empty() || answer == kNoArguments || answer == kAgrees) answer = line.substr(tab + 1);
  }
  EXPECT_EQ(read, written_samples().size()) << "ended at " << line;
  for (const auto& [name, answer] : answers) {
    if (list) std::printf("%s\t%s\n", name.c_str(), answer.c_str());
    if (answer == kAgrees) {
      agree.insert(name);
    } else if (answer == kNoArguments) {
      ++without_arguments;
    } else {
      EXPECT_EQ(kDiffer.count(name), 1U) << name << ": " << answer;
    }
  }
  std::printf("%zu operators agree, for %d no arguments were found\n", agree.size(), without_arguments);
  EXPECT_GE(agree.size(), 600U);
}

}  // namespace
}  // namespace sim_test
