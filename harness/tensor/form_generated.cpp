#include <algorithm>
#include <cmath>
#include <cstring>
#include <harness/tensor/distinct_rows.hpp>
#include <harness/tensor/dtype_map.hpp>
#include <harness/tensor/elements.hpp>
#include <harness/tensor/exact.hpp>
#include <harness/tensor/facts.hpp>
#include <harness/tensor/form_kinds.hpp>
#include <harness/tensor/generator.hpp>
#include <harness/tensor/range.hpp>
#include <set>

namespace relapse {

namespace {

using c10::ScalarType;

/// How often a float may repeat before its range counts as too narrow for distinct values.
constexpr std::uint64_t kTriesPerValue = 64;

struct Job {
  const InputForm& form;
  const FormContext& context;
  at::Tensor tensor;
  std::vector<DistinctRow> rows;  ///< empty: every element is drawn for itself

  SourcePos pos() const { return pos_of(form, context); }
  ScalarType dtype() const { return tensor.scalar_type(); }
  PhiloxKey key() const { return philox_key(context.seed, context.name); }
};

using Done = FormResult<void>;

/// Whole numbers of [low, high] given to `write(position, number)`.
template <class Write>
Done draw_whole(const Job& job, std::int64_t low, std::int64_t high, Write&& write) {
  if (job.rows.empty()) {
    const PhiloxKey key = job.key();
    const std::int64_t count = job.tensor.numel();
    for (std::int64_t i = 0; i < count; ++i)
      write(i, integer_at(key, static_cast<std::uint64_t>(i), low, high));
    return {};
  }
  const std::uint64_t width = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
  for (const DistinctRow& row : job.rows) {
    const std::int64_t count = static_cast<std::int64_t>(row.positions.size());
    if (width != 0 && static_cast<std::uint64_t>(count) > width) {
      return form_error(job.context, job.pos(),
                        std::to_string(count) + " distinct values are needed, but there are only " +
                            std::to_string(width) +
                            "; widen the range in `requires` or give the input a form");
    }
    const std::vector<std::int64_t> values =
        distinct(philox_key(job.context.seed, row.name), count, low, high);
    for (std::size_t i = 0; i < values.size(); ++i) write(row.positions[i], values[i]);
  }
  return {};
}

Done fill_one_of(const Job& job, const Clause& clause) {
  const FormResult<std::vector<Exact>> values = listed_values(clause.values, job.context, clause.value_pos);
  if (!values) return tl::make_unexpected(values.error());
  if (values->empty()) {
    if (job.tensor.numel() == 0) return {};
    return form_error(job.context, clause.pos, "`one_of` is empty, so no value can be drawn");
  }
  std::vector<ElementBytes> table;
  for (const Exact& value : *values) {
    if (const std::string why = why_not(value, job.dtype()); !why.empty())
      return form_error(job.context, clause.value_pos, "`one_of`: " + why);
    table.push_back(encode(value, job.dtype()));
  }
  std::byte* out = static_cast<std::byte*>(job.tensor.mutable_data_ptr());
  return draw_whole(
      job, 0, static_cast<std::int64_t>(table.size()) - 1, [&](std::int64_t at, std::int64_t chosen) {
        const ElementBytes& element = table[static_cast<std::size_t>(chosen)];
        std::memcpy(out + static_cast<std::size_t>(at) * element.size, element.bytes.data(), element.size);
      });
}

Done fill_whole(const Job& job) {
  FormResult<WholeBounds> bounds = whole_bounds(job.context, job.dtype());
  if (!bounds) return tl::make_unexpected(bounds.error());
  if (job.dtype() == ScalarType::Bool) {
    bounds->low = bounds->low.value_or(0);
    bounds->high = bounds->high.value_or(1);
  }
  if (job.tensor.numel() == 0) return {};
  if (!bounds->low || !bounds->high) {
    return form_error(
        job.context, job.pos(),
        dtype_name(job.dtype()) +
            " values need both bounds to be generated; add `min` and `max` to `requires`, or give "
            "the input a form such as `zeros`");
  }
  if (*bounds->low > *bounds->high) {
    return form_error(job.context, job.pos(),
                      "no value lies between " + std::to_string(*bounds->low) + " and " +
                          std::to_string(*bounds->high) + ", the bounds in `requires`");
  }
  Done done;
  visit_dtype(job.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (kIsWhole<T>) {
      T* out = elements_of<T>(job.tensor);
      done = draw_whole(job, *bounds->low, *bounds->high,
                        [&](std::int64_t at, std::int64_t value) { out[at] = static_cast<T>(value); });
    }
  });
  return done;
}

/// One float from the range: two bounds uniform, one a half-normal from it, none normal.
template <class T>
T real_at(PhiloxKey key, std::uint64_t index, const RealBounds& bounds, ScalarType dtype) {
  double value;
  if (bounds.low && bounds.high) {
    // The product may round a hair past the upper bound.
    value = std::min(uniform_at(key, index, *bounds.low, *bounds.high), *bounds.high);
  } else if (bounds.low) {
    value = *bounds.low + std::fabs(normal_at(key, index));
  } else if (bounds.high) {
    value = *bounds.high - std::fabs(normal_at(key, index));
  } else {
    value = normal_at(key, index);
  }
  const T element = rounded<T>(value);
  const double stored = as_double(element);
  if (bounds.low_open && stored == *bounds.low) return rounded<T>(next_value(stored, true, dtype));
  if (bounds.high_open && stored == *bounds.high) return rounded<T>(next_value(stored, false, dtype));
  return element;
}

template <class T>
Done fill_real(const Job& job, const RealBounds& bounds) {
  T* out = elements_of<T>(job.tensor);
  if (job.rows.empty()) {
    const PhiloxKey key = job.key();
    const std::int64_t count = job.tensor.numel();
    for (std::int64_t i = 0; i < count; ++i)
      out[i] = real_at<T>(key, static_cast<std::uint64_t>(i), bounds, job.dtype());
    return {};
  }
  for (const DistinctRow& row : job.rows) {
    const PhiloxKey key = philox_key(job.context.seed, row.name);
    std::set<double> seen;
    const std::uint64_t tries = kTriesPerValue * (row.positions.size() + 1);
    std::size_t made = 0;
    for (std::uint64_t index = 0; made < row.positions.size(); ++index) {
      if (index > tries) {
        return form_error(job.context, job.pos(),
                          std::to_string(row.positions.size()) + " distinct " + dtype_name(job.dtype()) +
                              " values were not found in the range of `requires`; give the input a form");
      }
      const T value = real_at<T>(key, index, bounds, job.dtype());
      if (seen.insert(as_double(value)).second) out[row.positions[made++]] = value;
    }
  }
  return {};
}

Done fill_floats(const Job& job) {
  const FormResult<RealBounds> bounds = real_bounds(job.context, job.dtype());
  if (!bounds) return tl::make_unexpected(bounds.error());
  if (bounds->low && bounds->high) {
    const bool open = bounds->low_open || bounds->high_open;
    if (*bounds->low > *bounds->high || (open && *bounds->low == *bounds->high)) {
      return form_error(job.context, job.pos(),
                        "no value lies between " + number_text(*bounds->low, job.dtype()) + " and " +
                            number_text(*bounds->high, job.dtype()) + ", the bounds in `requires`");
    }
  }
  Done done;
  visit_dtype(job.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (!kIsWhole<T> && !kIsComplex<T>) done = fill_real<T>(job, *bounds);
  });
  return done;
}

Done fill_complex(const Job& job) {
  const PhiloxKey real = job.key();
  const PhiloxKey imaginary = philox_key(job.context.seed, job.context.name + ".imag");
  visit_dtype(job.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (kIsComplex<T>) {
      T* out = elements_of<T>(job.tensor);
      const std::int64_t count = job.tensor.numel();
      for (std::int64_t i = 0; i < count; ++i) {
        const std::uint64_t index = static_cast<std::uint64_t>(i);
        out[i] = T(rounded<Part<T>>(normal_at(real, index)), rounded<Part<T>>(normal_at(imaginary, index)));
      }
    }
  });
  return {};
}

/// One element in eight becomes a value that `except` allows besides the range.
Done mix_in_exceptions(const Job& job) {
  if (!job.context.clauses || job.context.clauses->except.empty()) return {};
  const NameContract& contract = *job.context.clauses;
  const FormResult<std::vector<Exact>> values =
      listed_values(contract.except, job.context, contract.except_pos);
  if (!values) return tl::make_unexpected(values.error());
  std::vector<ElementBytes> table;
  for (const Exact& value : *values) {
    if (const std::string why = why_not(value, job.dtype()); !why.empty())
      return form_error(job.context, contract.except_pos, "`except`: " + why);
    table.push_back(encode(value, job.dtype()));
  }
  const PhiloxKey key = job.key();
  std::byte* out = static_cast<std::byte*>(job.tensor.mutable_data_ptr());
  const std::int64_t count = job.tensor.numel();
  for (std::int64_t i = 0; i < count; ++i) {
    const auto chosen = exception_at(key, static_cast<std::uint64_t>(i), table.size());
    if (!chosen) continue;
    const ElementBytes& element = table[*chosen];
    std::memcpy(out + static_cast<std::size_t>(i) * element.size, element.bytes.data(), element.size);
  }
  return {};
}

void sort_rows(const Job& job) {
  const std::int64_t count = job.tensor.numel();
  const std::int64_t length = job.tensor.dim() > 0 ? job.tensor.size(-1) : 1;
  if (count == 0) return;
  visit_dtype(job.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (!kIsComplex<T>) {
      T* out = elements_of<T>(job.tensor);
      for (std::int64_t start = 0; start < count; start += length) {
        if constexpr (kIsWhole<T>) {
          std::sort(out + start, out + start + length);
        } else {
          std::sort(out + start, out + start + length, [](T a, T b) { return as_double(a) < as_double(b); });
        }
      }
    }
  });
}

}  // namespace

FormResult<at::Tensor> make_generated(const InputForm& form, const FormContext& context) {
  const FormResult<Extents> shape = needed_shape(form, context);
  if (!shape) return tl::make_unexpected(shape.error());
  const FormResult<ScalarType> dtype = dtype_or(form, context, ScalarType::Float);
  if (!dtype) return tl::make_unexpected(dtype.error());
  FormResult<std::vector<DistinctRow>> rows = distinct_rows(*shape, context);
  if (!rows) return tl::make_unexpected(rows.error());
  const Job job{form, context, empty_dense(*shape, *dtype), std::move(*rows)};

  Done done;
  if (const Clause* one_of = find_clause(context, ClauseKind::one_of)) {
    done = fill_one_of(job, *one_of);
  } else if (whole_range(*dtype)) {
    done = fill_whole(job);
  } else if (c10::isComplexType(*dtype)) {
    done = fill_complex(job);
  } else {
    done = fill_floats(job);
  }
  // Distinct values stay as drawn: the few values of `except` would repeat.
  if (done && job.rows.empty()) done = mix_in_exceptions(job);
  if (!done) return tl::make_unexpected(done.error());
  if (find_clause(context, ClauseKind::sorted)) sort_rows(job);
  return job.tensor;
}

}  // namespace relapse
