#define XXH_INLINE_ALL
#include <xxhash.h>

#include <harness/tensor/dtype_map.hpp>
#include <harness/tensor/facts.hpp>
#include <harness/tensor/inputs.hpp>

namespace relapse {

namespace {

std::string hexadecimal(std::uint64_t value) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text(16, '0');
  for (std::size_t i = 16; i-- > 0; value >>= 4) text[i] = kDigits[value & 15];
  return text;
}

}  // namespace

std::string digest_of(const at::Tensor& tensor) {
  if (!tensor.defined()) return hexadecimal(0);
  const bool direct = tensor.device().is_cpu() && tensor.layout() == c10::Layout::Strided &&
                      !tensor.is_conj() && !tensor.is_neg() && tensor.is_contiguous();
  const at::Tensor dense = direct ? tensor : dense_tensor(tensor, false);
  const std::string head = dtype_name(dense.scalar_type()) + shape_text(dense.sizes().vec());
  const std::uint64_t seed = XXH3_64bits(head.data(), head.size());
  const std::size_t bytes = static_cast<std::size_t>(dense.numel()) * dense.itemsize();
  const void* data = bytes == 0 ? head.data() : dense.const_data_ptr();
  return hexadecimal(XXH3_64bits_withSeed(data, bytes, seed));
}

}  // namespace relapse
