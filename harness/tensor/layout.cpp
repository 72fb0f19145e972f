#include <c10/core/MemoryFormat.h>

#include <cstring>
#include <harness/tensor/dtype_map.hpp>
#include <harness/tensor/elements.hpp>
#include <harness/tensor/exact.hpp>
#include <harness/tensor/facts.hpp>
#include <harness/tensor/inputs.hpp>
#include <harness/tensor/layout.hpp>
#include <harness/tensor/resolve.hpp>

namespace relapse {

namespace {

/// One dimension of a `set`: `count` elements from `start`, `step` apart.
struct Span {
  std::int64_t start = 0, count = 0, step = 1;
};

FormResult<Span> span_of(const SetIndex& at, std::int64_t dim, std::int64_t size, SourcePos pos,
                         const FormContext& context) {
  if (!at.is_slice) {
    const std::int64_t index = at.index < 0 ? at.index + size : at.index;
    if (index >= 0 && index < size) return Span{index, 1, 1};
    return form_error(context, pos,
                      "`set`: index " + std::to_string(at.index) + " is out of range for dimension " +
                          std::to_string(dim) + " of " + std::to_string(size));
  }
  const std::int64_t step = at.step.value_or(1);
  if (step < 1) return form_error(context, pos, "`set`: the step of a slice must be positive");
  // As in Python: from the end when negative, and cut to what there is.
  const auto clip = [&](std::int64_t value) {
    return std::clamp<std::int64_t>(value < 0 ? value + size : value, 0, size);
  };
  const std::int64_t start = clip(at.start.value_or(0)), stop = clip(at.stop.value_or(size));
  return Span{start, stop > start ? (stop - start + step - 1) / step : 0, step};
}

/// Copies elements in row-major order, `size` bytes each.
void copy_elements(const at::Tensor& from, at::Tensor& to) {
  const std::size_t size = from.itemsize();
  const std::byte* source = static_cast<const std::byte*>(from.const_data_ptr());
  std::byte* target = static_cast<std::byte*>(to.mutable_data_ptr());
  walk(to.sizes(), to.strides(), [&](std::int64_t offset) {
    std::memcpy(target + offset * static_cast<std::int64_t>(size), source, size);
    source += size;
  });
}

bool holds_the_same(const at::Tensor& dense, const at::Tensor& placed) {
  const std::size_t size = dense.itemsize();
  const std::byte* expected = static_cast<const std::byte*>(dense.const_data_ptr());
  const std::byte* there = static_cast<const std::byte*>(placed.const_data_ptr());
  bool same = true;
  walk(placed.sizes(), placed.strides(), [&](std::int64_t offset) {
    same = same && std::memcmp(there + offset * static_cast<std::int64_t>(size), expected, size) == 0;
    expected += size;
  });
  return same;
}

std::optional<Extents> strides_of_format(c10::MemoryFormat format, c10::IntArrayRef sizes) {
  const auto with = [](const auto& strides) { return Extents(strides.begin(), strides.end()); };
  if (format == c10::MemoryFormat::ChannelsLast && sizes.size() == 4)
    return with(c10::get_channels_last_strides_2d(sizes));
  if (format == c10::MemoryFormat::ChannelsLast3d && sizes.size() == 5)
    return with(c10::get_channels_last_strides_3d(sizes));
  return std::nullopt;
}

/// Elements of storage that the layout reaches over: `offset`, then from the first to the last element.
FormResult<std::int64_t> storage_length(c10::IntArrayRef sizes, const Extents& strides, std::int64_t offset,
                                        const InputForm& form, const FormContext& context) {
  std::optional<std::int64_t> length = checked_add(offset, 1);
  for (std::size_t d = 0; d < strides.size(); ++d) {
    if (sizes[d] == 0) return offset;
    const std::optional<std::int64_t> reach = checked_mul(sizes[d] - 1, strides[d]);
    length = length && reach ? checked_add(*length, *reach) : std::nullopt;
  }
  if (length && *length <= context.element_limit) return *length;
  return form_error(context, pos_of(form, context),
                    "strides " + shape_text(strides) + " reach over more elements than an input may have");
}

FormResult<at::Tensor> expanded(const at::Tensor& base, const InputForm& form, const FormContext& context) {
  FormResult<Extents> target = evaluate_extents(*form.expand, context, form.pos, "extent");
  if (!target) return tl::make_unexpected(target.error());
  const std::size_t rank = static_cast<std::size_t>(base.dim());
  const auto refuse = [&] {
    return form_error(context, form.pos,
                      "a tensor of shape " + shape_text(base.sizes().vec()) + " cannot be expanded to " +
                          shape_text(*target));
  };
  if (target->size() < rank) return refuse();
  const std::size_t lead = target->size() - rank;
  Extents strides(target->size(), 0);
  for (std::size_t d = 0; d < rank; ++d) {
    const std::int64_t size = base.sizes()[d];
    std::int64_t& extent = (*target)[lead + d];
    if (extent == -1) extent = size;
    if (extent == size) {
      strides[lead + d] = base.strides()[d];
    } else if (size != 1) {
      return refuse();
    }
  }
  const FormResult<std::int64_t> count = count_elements(*target, context, pos_of(form, context));
  if (!count) return tl::make_unexpected(count.error());
  at::Tensor view = base;
  view.unsafeGetTensorImpl()->set_sizes_and_strides(*target, strides, base.storage_offset());
  return view;
}

}  // namespace

FormResult<std::optional<Extents>> wanted_strides(const at::Tensor& dense, const InputForm& form,
                                                  const FormContext& context, bool inherit) {
  const std::size_t rank = static_cast<std::size_t>(dense.dim());
  if (form.strides) {
    FormResult<Extents> strides = evaluate_extents(*form.strides, context, form.pos, "stride");
    if (!strides) return tl::make_unexpected(strides.error());
    if (strides->size() != rank) {
      return form_error(context, form.pos,
                        "`strides` " + shape_text(*strides) + " for a tensor of shape " +
                            shape_text(dense.sizes().vec()) + ": one stride a dimension is needed");
    }
    return std::optional(std::move(*strides));
  }
  if (form.memory_format) {
    const c10::MemoryFormat format = to_memory_format(*form.memory_format);
    if (format == c10::MemoryFormat::Contiguous || format == c10::MemoryFormat::Preserve)
      return std::optional<Extents>();
    if (const auto strides = strides_of_format(format, dense.sizes())) return strides;
    return form_error(context, form.pos,
                      std::string(to_string(*form.memory_format)) + " needs " +
                          (format == c10::MemoryFormat::ChannelsLast ? "4" : "5") +
                          " dimensions, the shape is " + shape_text(dense.sizes().vec()));
  }
  if (!inherit || form.expand) return std::optional<Extents>();
  if (const Clause* clause = find_clause(context, ClauseKind::strides)) {
    FormResult<Extents> strides = evaluate_extents(clause->values, context, clause->value_pos, "stride");
    if (!strides) return tl::make_unexpected(strides.error());
    if (strides->size() == rank) return std::optional(std::move(*strides));
  }
  if (const Clause* clause = find_clause(context, ClauseKind::memory_format);
      clause && !clause->words.empty()) {
    if (const auto format = memory_format_from(clause->words.front()))
      return strides_of_format(to_memory_format(*format), dense.sizes());
  }
  return std::optional<Extents>();
}

FormResult<at::Tensor> apply_set(at::Tensor dense, const InputForm& form, const FormContext& context) {
  for (const SetItem& item : form.set) {
    if (item.at.size() > static_cast<std::size_t>(dense.dim())) {
      return form_error(context, item.pos,
                        "`set`: " + std::to_string(item.at.size()) + " indices for a tensor of shape " +
                            shape_text(dense.sizes().vec()));
    }
    const FormResult<Exact> value = exact_of(item.to, context, item.pos);
    if (!value) return tl::make_unexpected(value.error());
    if (const std::string why = why_not(*value, dense.scalar_type()); !why.empty())
      return form_error(context, item.pos, "`set`: " + why);
    const ElementBytes element = encode(*value, dense.scalar_type());

    Extents sizes = dense.sizes().vec(), strides = dense.strides().vec();
    std::int64_t first = 0;
    for (std::size_t d = 0; d < item.at.size(); ++d) {
      const FormResult<Span> span =
          span_of(item.at[d], static_cast<std::int64_t>(d), sizes[d], item.pos, context);
      if (!span) return tl::make_unexpected(span.error());
      first += span->start * strides[d];
      sizes[d] = span->count;
      strides[d] *= span->step;
    }
    std::byte* out = static_cast<std::byte*>(dense.mutable_data_ptr());
    walk(sizes, strides, [&](std::int64_t offset) {
      std::memcpy(out + (first + offset) * static_cast<std::int64_t>(element.size), element.bytes.data(),
                  element.size);
    });
  }
  return dense;
}

FormResult<at::Tensor> place(const at::Tensor& dense, const InputForm& form, const FormContext& context,
                             bool inherit) {
  const FormResult<std::optional<Extents>> strides = wanted_strides(dense, form, context, inherit);
  if (!strides) return tl::make_unexpected(strides.error());
  std::int64_t offset = 0;
  if (form.offset) {
    const FormResult<std::int64_t> value = evaluate_whole(*form.offset, context, form.pos, "offset");
    if (!value) return tl::make_unexpected(value.error());
    offset = *value;
  }
  if (offset < 0) return form_error(context, form.pos, "`offset` must not be negative");
  at::Tensor placed = dense;
  const bool moved = offset > 0 || (*strides && c10::IntArrayRef(**strides) != dense.strides());
  if (moved) {
    const Extents wanted = *strides ? **strides : dense.strides().vec();
    for (const std::int64_t stride : wanted) {
      if (stride < 0)
        return form_error(context, form.pos, "strides must not be negative, torch has none such");
    }
    const FormResult<std::int64_t> length = storage_length(dense.sizes(), wanted, offset, form, context);
    if (!length) return tl::make_unexpected(length.error());
    placed = empty_dense({*length}, dense.scalar_type());
    if (*length != dense.numel()) fill_with_poison(placed);
    placed.unsafeGetTensorImpl()->set_sizes_and_strides(dense.sizes(), wanted, offset);
    copy_elements(dense, placed);
    if (!holds_the_same(dense, placed)) {
      return form_error(
          context, form.pos,
          "strides " + shape_text(wanted) +
              " let elements share memory whose values differ; use `expand`, or values that agree");
    }
  }
  return form.expand ? expanded(placed, form, context) : placed;
}

}  // namespace relapse
