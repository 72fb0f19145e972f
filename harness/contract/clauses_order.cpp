#include <ATen/ops/movedim.h>
#include <fmt/format.h>

#include <algorithm>
#include <harness/contract/clause.hpp>
#include <harness/contract/elements.hpp>
#include <harness/support/text.hpp>
#include <harness/tensor/facts.hpp>

namespace relapse {

ClauseResult check_sorted(const Clause& clause, const NameContract& contract, const Value& value,
                          ClauseContext&) {
  const at::Tensor tensor = tensor_of(value);
  if (!tensor.defined()) return broken(fmt::format("{} where a tensor is due", kind_text(value)));
  if (tensor.dim() == 0 || tensor.numel() == 0) return holds();
  const bool strictly = !clause.words.empty() && clause.words.front() == "increasing";
  const at::Tensor dense = dense_cpu(tensor);
  const std::int64_t row = dense.size(-1);
  ClauseResult result = holds();
  const bool known = visit_elements(dense, [&](const auto* elements) {
    for (std::int64_t i = 1; i < dense.numel(); ++i) {
      if (i % row == 0) continue;
      // Written so that a NaN is out of order on either side.
      const bool ordered = strictly ? elements[i - 1] < elements[i] : elements[i - 1] <= elements[i];
      if (ordered) continue;
      const std::vector<std::int64_t> shape = dense.sizes().vec();
      result = broken(fmt::format("{}{} = {} after {}", contract.name, index_text(shape, i),
                                  element_text(dense, i), element_text(dense, i - 1)));
      return;
    }
  });
  if (!known) return broken("a dtype without an order");
  return result;
}

ClauseResult check_distinct(const Clause& clause, const NameContract& contract, const Value& value,
                            ClauseContext&) {
  const at::Tensor tensor = tensor_of(value);
  if (!tensor.defined()) return broken(fmt::format("{} where a tensor is due", kind_text(value)));
  if (!clause.flag || tensor.numel() < 2) return holds();
  // The dims within which values must differ go last, so that each group is one run of memory.
  std::vector<std::int64_t> within = clause.dims;
  at::Tensor ordered = tensor.detach();
  std::int64_t group = tensor.numel();
  if (!within.empty()) {
    group = 1;
    std::vector<std::int64_t> last;
    for (std::size_t i = 0; i < within.size(); ++i) {
      if (within[i] < -tensor.dim() || within[i] >= tensor.dim()) {
        return broken(fmt::format("rank {}, so there is no dim {}", tensor.dim(), within[i]));
      }
      group *= tensor.size(within[i]);
      last.push_back(static_cast<std::int64_t>(i) - static_cast<std::int64_t>(within.size()));
    }
    ordered = at::movedim(ordered, within, last);
  }
  if (group == 0) return holds();
  const at::Tensor dense = dense_cpu(ordered);
  ClauseResult result = holds();
  const bool known = visit_elements(dense, [&](const auto* elements) {
    using T = std::remove_cv_t<std::remove_pointer_t<decltype(elements)>>;
    // char rather than bool, since std::vector<bool> has no elements to point at.
    std::vector<std::conditional_t<std::is_same_v<T, bool>, char, T>> sorted(static_cast<std::size_t>(group));
    for (std::int64_t start = 0; start < dense.numel(); start += group) {
      std::copy(elements + start, elements + start + group, sorted.begin());
      std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
        if constexpr (is_float_element<T>()) {
          // NaN goes last: std::sort needs an order of everything.
          return static_cast<double>(a) < static_cast<double>(b) || (b != b && a == a);
        } else {
          return a < b;
        }
      });
      const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
      if constexpr (is_float_element<T>()) {
        // No NaN equals another one, but a result full of them is not distinct.
        if (twice == sorted.end() && group > 1 && !contract.nan_allowed &&
            sorted[sorted.size() - 2] != sorted[sorted.size() - 2]) {
          result = broken(fmt::format("nan stands twice in {}", contract.name));
          return;
        }
      }
      if (twice == sorted.end()) continue;
      const auto* first = std::find(elements + start, elements + start + group, static_cast<T>(*twice));
      result =
          broken(fmt::format("{} stands twice in {}", element_text(dense, first - elements), contract.name));
      return;
    }
  });
  if (!known) return broken("a dtype without an order");
  return result;
}

}  // namespace relapse
