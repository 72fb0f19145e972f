#include "builders.hpp"

#include <harness/tensor/facts.hpp>

namespace relapse::test {

std::string text_of(const at::Tensor& tensor) {
  std::string text;
  for (std::int64_t i = 0; i < tensor.numel(); ++i) {
    if (i > 0) text += " ";
    text += element_text(tensor, i);
  }
  return text;
}

}  // namespace relapse::test
