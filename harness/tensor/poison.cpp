#include <cstring>
#include <harness/tensor/elements.hpp>
#include <harness/tensor/facts.hpp>
#include <harness/tensor/inputs.hpp>
#include <harness/tensor/poison.hpp>

namespace relapse {

namespace {

/// Whole numbers: out of range of anything they could index, also as a negative one. Floats: a NaN that no
/// operation makes, so that whatever reads it shows it.
std::byte poison_byte(c10::ScalarType dtype) {
  return is_float_type(dtype) || c10::isComplexType(dtype) ? std::byte(0xFF) : std::byte(0x7B);
}

std::int64_t storage_elements(const at::Tensor& tensor) {
  return static_cast<std::int64_t>(tensor.storage().nbytes() / tensor.itemsize());
}

void mark(const at::Tensor& tensor, std::vector<bool>& covered) {
  const std::int64_t offset = tensor.storage_offset();
  // An expanded dimension repeats the same elements: once is enough.
  std::vector<std::int64_t> sizes = tensor.sizes().vec();
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (tensor.strides()[d] == 0 && sizes[d] > 1) sizes[d] = 1;
  }
  walk(sizes, tensor.strides(), [&](std::int64_t at) {
    const std::size_t position = static_cast<std::size_t>(offset + at);
    if (position < covered.size()) covered[position] = true;
  });
}

/// The whole storage as one row on the host.
at::Tensor host_storage(const at::Tensor& tensor) {
  c10::intrusive_ptr<c10::TensorImpl> row =
      tensor.unsafeGetTensorImpl()->shallow_copy_and_detach(c10::VariableVersion(0), true);
  if (tensor.is_conj()) row->_set_conj(false);
  if (tensor.is_neg()) row->_set_neg(false);
  row->set_storage_offset(0);
  row->set_sizes_contiguous(c10::IntArrayRef({storage_elements(tensor)}));
  at::Tensor whole(std::move(row));
  return whole.device().is_cpu() ? whole : whole.cpu();
}

}  // namespace

void fill_with_poison(at::Tensor& whole_storage_view) {
  std::memset(whole_storage_view.mutable_data_ptr(),
              static_cast<int>(poison_byte(whole_storage_view.scalar_type())),
              static_cast<std::size_t>(whole_storage_view.numel()) * whole_storage_view.itemsize());
}

Gaps gaps_of(const std::vector<at::Tensor>& tensors) {
  Gaps gaps;
  if (tensors.empty()) return gaps;
  const at::Tensor& first = tensors.front();
  if (tensors.size() == 1 && first.storage_offset() == 0 && first.is_non_overlapping_and_dense() &&
      first.numel() == storage_elements(first)) {
    return gaps;
  }
  std::vector<bool> covered(static_cast<std::size_t>(storage_elements(first)));
  for (const at::Tensor& tensor : tensors) {
    if (tensor.itemsize() != first.itemsize()) return {};
    mark(tensor, covered);
  }
  for (std::size_t i = 0; i < covered.size(); ++i) {
    if (covered[i]) continue;
    const std::int64_t at = static_cast<std::int64_t>(i);
    if (!gaps.empty() && gaps.back().end == at) {
      ++gaps.back().end;
    } else {
      gaps.push_back({at, at + 1});
    }
  }
  return gaps;
}

std::string find_damaged_poison(const at::Tensor& tensor, const Gaps& gaps) {
  if (gaps.empty()) return {};
  const at::Tensor whole = host_storage(tensor);
  const std::byte poison = poison_byte(tensor.scalar_type());
  const std::size_t size = tensor.itemsize();
  const std::byte* bytes = static_cast<const std::byte*>(whole.const_data_ptr());
  std::int64_t damaged = 0, first = -1;
  for (const Gap& gap : gaps) {
    for (std::int64_t i = gap.begin; i < gap.end && i < whole.numel(); ++i) {
      bool intact = true;
      for (std::size_t b = 0; b < size; ++b)
        intact = intact && bytes[static_cast<std::size_t>(i) * size + b] == poison;
      if (intact) continue;
      if (damaged++ == 0) first = i;
    }
  }
  if (damaged == 0) return {};
  const std::string where = "element " + std::to_string(first) +
                            " of the storage, between the tensor's own, holds " + element_text(whole, first);
  if (damaged == 1) return where + "; it was not to be written";
  return where + "; " + std::to_string(damaged) + " such elements were written and were not to be";
}

std::string find_damaged_poison(const Input& input) {
  return input.is_tensor() ? find_damaged_poison(input.value.toTensor(), input.gaps) : std::string();
}

std::string find_damaged_poison(const at::Tensor& tensor) {
  return find_damaged_poison(tensor, gaps_of({tensor}));
}

}  // namespace relapse
