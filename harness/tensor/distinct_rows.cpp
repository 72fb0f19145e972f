#include <algorithm>
#include <harness/tensor/distinct_rows.hpp>
#include <harness/tensor/elements.hpp>
#include <harness/tensor/exact.hpp>
#include <harness/tensor/facts.hpp>
#include <numeric>

namespace relapse {

namespace {

bool is_increasing(const Clause& sorted) {
  return !sorted.words.empty() && sorted.words.front() == "increasing";
}

/// The dims within which values must differ, as positions from 0; false in the answer: no such clause.
FormResult<std::optional<std::vector<std::size_t>>> distinct_dims(const Extents& shape,
                                                                  const FormContext& context) {
  const std::int64_t rank = static_cast<std::int64_t>(shape.size());
  std::vector<std::size_t> dims(shape.size());
  std::iota(dims.begin(), dims.end(), std::size_t(0));
  const Clause* distinct = find_clause(context, ClauseKind::distinct);
  if (distinct && distinct->flag) {
    if (distinct->dims.empty()) return std::optional(dims);
    dims.clear();
    for (const std::int64_t dim : distinct->dims) {
      const std::int64_t from_front = dim < 0 ? dim + rank : dim;
      if (from_front < 0 || from_front >= rank) {
        return form_error(
            context, distinct->value_pos,
            "`distinct` within dimension " + std::to_string(dim) + ", but the shape is " + shape_text(shape));
      }
      dims.push_back(static_cast<std::size_t>(from_front));
    }
    std::sort(dims.begin(), dims.end());
    return std::optional(dims);
  }
  const Clause* sorted = find_clause(context, ClauseKind::sorted);
  if (!sorted || !is_increasing(*sorted)) return std::optional<std::vector<std::size_t>>();
  if (rank > 0) dims = {shape.size() - 1};
  return std::optional(dims);
}

}  // namespace

FormResult<std::vector<DistinctRow>> distinct_rows(const Extents& shape, const FormContext& context) {
  const auto within = distinct_dims(shape, context);
  if (!within) return tl::make_unexpected(within.error());
  std::vector<DistinctRow> rows;
  if (!*within) return rows;

  Extents inner_sizes, inner_strides, outer_sizes, outer_strides;
  std::int64_t stride = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    const bool inner = std::find((*within)->begin(), (*within)->end(), d) != (*within)->end();
    (inner ? inner_sizes : outer_sizes).insert((inner ? inner_sizes : outer_sizes).begin(), shape[d]);
    (inner ? inner_strides : outer_strides).insert((inner ? inner_strides : outer_strides).begin(), stride);
    stride *= shape[d];
  }
  walk(outer_sizes, outer_strides, [&](std::int64_t start) {
    DistinctRow row;
    walk(inner_sizes, inner_strides, [&](std::int64_t offset) { row.positions.push_back(start + offset); });
    rows.push_back(std::move(row));
  });
  for (std::size_t r = 0; r < rows.size(); ++r)
    rows[r].name = rows.size() == 1 ? context.name : context.name + "." + std::to_string(r);
  return rows;
}

}  // namespace relapse
