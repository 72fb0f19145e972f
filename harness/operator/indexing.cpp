#include <ATen/ops/index.h>
#include <ATen/ops/select.h>
#include <ATen/ops/slice.h>
#include <ATen/ops/unsqueeze.h>
#include <fmt/format.h>

#include <harness/operator/eval_error.hpp>
#include <harness/operator/infix.hpp>

namespace relapse {
namespace {

/// Dimensions of the base that an index tensor takes the place of: a mask as many as it has, indices one.
std::int64_t consumed(const at::Tensor& index) {
  const bool mask =
      index.scalar_type() == c10::ScalarType::Bool || index.scalar_type() == c10::ScalarType::Byte;
  return mask ? index.dim() : 1;
}

}  // namespace

Value apply_index(const Value& base, const std::vector<IndexItem>& items, SourcePos pos) {
  if (base.is_list()) {
    if (items.size() != 1 || !items.front().value.is_integer()) {
      throw EvalError("a list is indexed by one integer", pos);
    }
    const auto size = static_cast<std::int64_t>(base.list().size());
    std::int64_t index = items.front().value.integer();
    if (index < 0) index += size;
    if (index < 0 || index >= size) {
      throw EvalError(fmt::format("index {} is beyond a list of {}", items.front().value.integer(), size),
                      pos);
    }
    return base.list()[static_cast<std::size_t>(index)];
  }
  if (!base.is_tensor())
    throw EvalError(fmt::format("only tensors and lists are indexed, not {}", kind_text(base)), pos);

  // As in torch: integers, slices and none change the view from left to right, tensors are gathered for one
  // index call.
  at::Tensor view = base.tensor();
  std::int64_t dim = 0;
  std::size_t entry =
      0;  // a mask is one entry of the list, though it stands for several dimensions of the view
  c10::List<std::optional<at::Tensor>> gathered;
  bool has_tensor = false;
  for (const IndexItem& item : items) {
    if (item.is_slice) {
      view = at::slice(view, dim, item.start, item.stop, item.step.value_or(1));
    } else if (item.value.is_none()) {
      view = at::unsqueeze(view, dim);
    } else if (item.value.is_integer()) {
      view = at::select(view, dim, item.value.integer());
      continue;
    } else if (item.value.is_tensor()) {
      at::Tensor index = item.value.tensor();
      if (index.dim() == 0 && consumed(index) == 0) {
        // A lone truth value, as torch has it: one more dimension, of which all or nothing is taken.
        view = at::unsqueeze(view, dim);
        index = index.unsqueeze(0);
      }
      while (gathered.size() < entry) gathered.push_back(std::optional<at::Tensor>());
      has_tensor = true;
      dim += consumed(index);
      gathered.push_back(std::move(index));
      ++entry;
      continue;
    } else {
      throw EvalError(
          fmt::format("an index is an integer, a slice, none or a tensor, not {}", kind_text(item.value)),
          pos);
    }
    ++dim;
    ++entry;
  }
  if (!has_tensor) return {view};
  return {at::index(view, gathered)};
}

}  // namespace relapse
