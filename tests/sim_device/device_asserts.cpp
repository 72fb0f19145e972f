#include "device_asserts.hpp"

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

namespace sim {

namespace {

/// One check. Files, functions and conditions are those of PyTorch's sources (aten/src/ATen/native/cuda).
struct Assertion {
  /// Base names that share it, between blanks.
  std::string_view operators;
  /// Part of what the CPU says.
  std::string_view text;
  std::string_view file;
  int line;
  std::string_view function;
  std::string_view condition;
};

constexpr std::array<Assertion, 19> kAssertions = {{
    {" index_select ", "index out of range in self", "Indexing.cu", 1553, "indexSelectLargeIndex",
     "srcIndex < srcSelectDimSize"},
    {" index_add index_add_ ", "out of ", "Indexing.cu", 1199, "indexFuncLargeIndex",
     "dstIndex < dstAddDimSize"},
    {" gather scatter scatter_ scatter_add scatter_add_ scatter_reduce scatter_reduce_ ", "out of bounds",
     "ScatterGatherKernel.cu", 163, "operator()",
     "idx_dim >= 0 && idx_dim < index_size && \"index out of bounds\""},
    {" index index_put index_put_ _index_put_impl_ ", "is out of bounds for dimension", "IndexKernelUtils.cu",
     16, "vectorized_gather_kernel", "ind >=0 && ind < ind_dim_size && \"index out of bounds\""},
    {" take put put_ ", "out of range", "IndexKernel.cu", 299, "operator()",
     "idx < numel && idx >= -numel && \"cuda_take_put_kernel() index out of bounds\""},
    {" index_copy index_copy_ ", "out of bounds", "IndexKernel.cu", 226, "operator()",
     "idx >= 0 && idx < self_dim_size && \"index_copy_(): index out of bounds\""},
    {" index_fill_ ", "out of bounds", "IndexKernel.cu", 201, "operator()",
     "idx >= -self_dim_size && idx < self_dim_size && \"index out of bounds\""},
    {" nll_loss_forward nll_loss_backward ", "is out of bounds", "Loss.cu", 245,
     "nll_loss_forward_reduce_cuda_kernel_2d", "t >= 0 && t < n_classes"},
    {" nll_loss2d_forward nll_loss2d_backward ", "is out of bounds", "NLLLoss2d.cu", 104,
     "nll_loss2d_forward_kernel", "t >= 0 && t < n_classes"},
    {" multi_margin_loss multi_margin_loss_backward ", "target out of range", "MultiMarginLoss.cu", 34,
     "MultiMarginLoss_forward_kernel",
     "target_k >= 0 && target_k < dim && \"target index is out of bounds\""},
    {" multilabel_margin_loss_forward multilabel_margin_loss_backward ", "out of range",
     "MultiLabelMarginCriterion.cu", 51, "multilabel_margin_loss_forward_kernel", "target_idx < dim"},
    {" binary_cross_entropy binary_cross_entropy_backward ", "between 0 and 1", "Loss.cu", 90, "operator()",
     "input_val >= zero && input_val <= one"},
    {" bernoulli_ bernoulli ", "p_in >= 0 && p_in <= 1", "DistributionTemplates.h", 603, "operator()",
     "0 <= p4 && p4 <= 1"},
    {" max_unpool2d max_unpool3d ", "invalid max index", "MaxUnpooling.cu", 49,
     "max_unpooling2d_forward_kernel", "maxind >= 0 && maxind < outputImageSize"},
    {" _embedding_bag _embedding_bag_forward_only ", "idx < num_embeddings", "EmbeddingBag.cu", 138,
     "EmbeddingBag_updateOutputKernel_sum_mean", "input[emb] < numRows"},
    {" _embedding_bag _embedding_bag_forward_only ", "not in the valid range", "EmbeddingBag.cu", 138,
     "EmbeddingBag_updateOutputKernel_sum_mean", "input[emb] < numRows"},
    {" _assert_async ", "", "TensorCompare.cu", 112, "_assert_async_cuda_kernel", "input[0] != 0"},
    {" multinomial ", "probability tensor contains", "MultinomialKernel.cu", 112, "renormRowsL1",
     "!(val < zero)"},
    {" embedding_renorm_ ", "out of range", "Embedding.cu", 185, "renorm_kernel", "*indices >= 0"},
}};

/// What is said before a kernel is launched, by the CPU and by CUDA alike.
constexpr std::array<std::string_view, 8> kHostChecks = {
    "Dimension out of range",  "Dimension specified as", "shape mismatch",        "too many indices",
    "tensors used as indices", "dimension with size 0",  "The shape of the mask", "supported",
};

std::string line(std::string_view file, int number, std::string_view function, std::int64_t thread,
                 std::string_view condition) {
  constexpr std::int64_t kBlock = 128;
  return "/pytorch/aten/src/ATen/native/cuda/" + std::string(file) + ":" + std::to_string(number) + ": " +
         std::string(function) + ": block: [" + std::to_string(thread / kBlock) + ",0,0], thread: [" +
         std::to_string(thread % kBlock) + ",0,0] Assertion `" + std::string(condition) + "` failed.";
}

/// The number behind the last of these words, as in "index 7 is out of bounds for dimension 0 with size 3".
std::optional<std::int64_t> number_behind(std::string_view text, std::string_view words) {
  const std::size_t at = text.rfind(words);
  if (at == std::string_view::npos) return std::nullopt;
  std::int64_t number = 0;
  const char* from = text.data() + at + words.size();
  const auto [stop, error] = std::from_chars(from, text.data() + text.size(), number);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

/// Each element is a thread's: those that are outside 0 .. size - 1 where the CPU says the size, else the
/// first.
std::vector<std::int64_t> failing_threads(std::string_view text, c10::ArrayRef<c10::IValue> arguments) {
  const std::optional<std::int64_t> size = number_behind(text, "with size ");
  std::vector<std::int64_t> threads;
  for (const c10::IValue& argument : arguments) {
    if (!size || !argument.isTensor()) continue;
    const at::Tensor& tensor = argument.toTensor();
    if (!tensor.defined() || tensor.scalar_type() != at::kLong || tensor.layout() != at::kStrided) continue;
    const at::Tensor flat = tensor.contiguous().view(-1);
    const auto* elements = flat.const_data_ptr<std::int64_t>();
    for (std::int64_t i = 0; i < flat.numel(); ++i) {
      if (elements[i] < 0 || elements[i] >= *size) threads.push_back(i);
    }
    if (!threads.empty()) break;
  }
  if (threads.empty()) threads.push_back(0);
  return threads;
}

}  // namespace

std::optional<AssertLines> device_assert(std::string_view operator_name, std::string_view text,
                                         bool is_index_error, c10::ArrayRef<c10::IValue> host_arguments) {
  const std::string padded = " " + std::string(operator_name) + " ";
  const Assertion* found = nullptr;
  for (const Assertion& known : kAssertions) {
    if (known.operators.find(padded) == std::string_view::npos) continue;
    if (text.find(known.text) == std::string_view::npos) continue;
    found = &known;
    break;
  }
  const bool host_says_it = std::any_of(kHostChecks.begin(), kHostChecks.end(), [&](std::string_view words) {
    return text.find(words) != std::string_view::npos;
  });
  if (host_says_it || (found == nullptr && !is_index_error)) return std::nullopt;
  if (found == nullptr) return played_assert(operator_name);
  AssertLines lines;
  for (const std::int64_t thread : failing_threads(text, host_arguments)) {
    lines.push_back(line(found->file, found->line, found->function, thread, found->condition));
  }
  return lines;
}

AssertLines played_assert(std::string_view operator_name) {
  AssertLines lines;
  const std::string function = std::string(operator_name) + "_kernel";
  for (std::int64_t thread = 0; thread < 3; ++thread) {
    lines.push_back(line("Simulated.cu", 42, function, thread, "index >= 0 && index < size"));
  }
  return lines;
}

}  // namespace sim
