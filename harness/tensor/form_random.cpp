#include <cmath>
#include <harness/support/text.hpp>
#include <harness/tensor/dtype_map.hpp>
#include <harness/tensor/elements.hpp>
#include <harness/tensor/exact.hpp>
#include <harness/tensor/form_kinds.hpp>
#include <harness/tensor/generator.hpp>
#include <harness/tensor/range.hpp>
#include <harness/tensor/resolve.hpp>

namespace relapse {

namespace {

using c10::ScalarType;

/// An optional parameter of `random`; `fallback` where it was not written.
FormResult<double> parameter(const ExprPtr& expr, double fallback, const InputForm& form,
                             const FormContext& context) {
  if (!expr) return fallback;
  const FormResult<Exact> value = exact_of(*expr, context, form.random.pos);
  if (!value) return tl::make_unexpected(value.error());
  return value->as_double();
}

FormResult<std::uint64_t> seed_of(const InputForm& form, const FormContext& context) {
  if (!form.random.seed) return context.seed;
  const FormResult<Exact> seed = exact_of(*form.random.seed, context, form.random.pos);
  if (!seed) return tl::make_unexpected(seed.error());
  if (seed->kind == Exact::Kind::large) return seed->large;
  if (seed->kind == Exact::Kind::integer && seed->integer >= 0)
    return static_cast<std::uint64_t>(seed->integer);
  return form_error(context, form.random.pos, "expected a seed of 64 bits, got " + exact_text(*seed));
}

/// Fills every element with `draw(index)`, rounded once to the dtype.
template <class Draw>
void fill_real(at::Tensor& tensor, Draw&& draw) {
  visit_dtype(tensor.scalar_type(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* out = elements_of<T>(tensor);
    const std::int64_t count = tensor.numel();
    for (std::int64_t i = 0; i < count; ++i) out[i] = rounded<T>(draw(static_cast<std::uint64_t>(i)));
  });
}

void fill_normal(at::Tensor& tensor, std::uint64_t seed, const std::string& name, double mean, double std) {
  const PhiloxKey key = philox_key(seed, name);
  if (!c10::isComplexType(tensor.scalar_type())) {
    fill_real(tensor, [&](std::uint64_t i) { return normal_at(key, i, mean, std); });
    return;
  }
  const PhiloxKey imaginary = philox_key(seed, name + ".imag");
  visit_dtype(tensor.scalar_type(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (kIsComplex<T>) {
      T* out = elements_of<T>(tensor);
      const std::int64_t count = tensor.numel();
      for (std::int64_t i = 0; i < count; ++i) {
        const std::uint64_t index = static_cast<std::uint64_t>(i);
        out[i] = T(rounded<Part<T>>(normal_at(key, index, mean, std)),
                   rounded<Part<T>>(normal_at(imaginary, index, mean, std)));
      }
    }
  });
}

FormResult<at::Tensor> target_of(const InputForm& form, const FormContext& context, ScalarType fallback) {
  const FormResult<Extents> shape = needed_shape(form, context);
  if (!shape) return tl::make_unexpected(shape.error());
  const FormResult<ScalarType> dtype = dtype_or(form, context, fallback);
  if (!dtype) return tl::make_unexpected(dtype.error());
  return empty_dense(*shape, *dtype);
}

tl::unexpected<FormError> wrong_dtype(const char* kind, const at::Tensor& tensor, const InputForm& form,
                                      const FormContext& context) {
  return form_error(context, form.random.pos,
                    std::string("`random: ") + kind + "` needs a floating dtype, not " +
                        dtype_name(tensor.scalar_type()) +
                        "; use `random: integers` or give the form a dtype");
}

FormResult<at::Tensor> make_normal(const InputForm& form, const FormContext& context, std::uint64_t seed) {
  FormResult<at::Tensor> tensor = target_of(form, context, ScalarType::Float);
  if (!tensor) return tensor;
  if (whole_range(tensor->scalar_type())) return wrong_dtype("normal", *tensor, form, context);
  const FormResult<double> mean = parameter(form.random.mean, 0, form, context);
  if (!mean) return tl::make_unexpected(mean.error());
  const FormResult<double> std = parameter(form.random.std, 1, form, context);
  if (!std) return tl::make_unexpected(std.error());
  fill_normal(*tensor, seed, context.name, *mean, *std);
  return tensor;
}

FormResult<at::Tensor> make_uniform(const InputForm& form, const FormContext& context, std::uint64_t seed) {
  FormResult<at::Tensor> tensor = target_of(form, context, ScalarType::Float);
  if (!tensor) return tensor;
  if (!is_float_type(tensor->scalar_type())) return wrong_dtype("uniform", *tensor, form, context);
  const FormResult<double> low = parameter(form.random.low, 0, form, context);
  if (!low) return tl::make_unexpected(low.error());
  const FormResult<double> high = parameter(form.random.high, 1, form, context);
  if (!high) return tl::make_unexpected(high.error());
  if (!(*low <= *high)) return form_error(context, form.random.pos, "`low` must not be above `high`");
  const PhiloxKey key = philox_key(seed, context.name);
  fill_real(*tensor, [&](std::uint64_t i) { return uniform_at(key, i, *low, *high); });
  return tensor;
}

/// `low` or `high` of integers, rounded inwards by the caller's rule; the range of `requires` where not
/// given.
FormResult<std::int64_t> whole_bound(const ExprPtr& expr, const std::optional<std::int64_t>& inherited,
                                     const char* what, const InputForm& form, const FormContext& context) {
  if (expr) return evaluate_whole(*expr, context, form.random.pos, what);
  if (inherited) return *inherited;
  return form_error(
      context, form.random.pos,
      std::string("`random: integers` needs `") + what + "`; nothing in `requires` gives it either");
}

FormResult<at::Tensor> make_integers(const InputForm& form, const FormContext& context, std::uint64_t seed) {
  FormResult<at::Tensor> tensor = target_of(form, context, ScalarType::Long);
  if (!tensor) return tensor;
  const FormResult<WholeBounds> inherited = whole_bounds(context, ScalarType::Long);
  if (!inherited) return tl::make_unexpected(inherited.error());
  const auto low = whole_bound(form.random.low, inherited->low, "low", form, context);
  if (!low) return tl::make_unexpected(low.error());
  const auto high = whole_bound(form.random.high, inherited->high, "high", form, context);
  if (!high) return tl::make_unexpected(high.error());
  if (*low > *high) {
    return form_error(context, form.random.pos,
                      "`low` " + std::to_string(*low) + " is above `high` " + std::to_string(*high));
  }
  for (const std::int64_t end : {*low, *high}) {
    Exact value;
    value.integer = end;
    if (const std::string why = why_not(value, tensor->scalar_type()); !why.empty())
      return form_error(context, form.random.pos, why);
  }
  const PhiloxKey key = philox_key(seed, context.name);
  visit_dtype(tensor->scalar_type(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* out = elements_of<T>(*tensor);
    const std::int64_t count = tensor->numel();
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t value = integer_at(key, static_cast<std::uint64_t>(i), *low, *high);
      if constexpr (kIsWhole<T>) {
        out[i] = static_cast<T>(value);
      } else {
        out[i] = rounded<T>(static_cast<double>(value));
      }
    }
  });
  return tensor;
}

FormResult<at::Tensor> make_bernoulli(const InputForm& form, const FormContext& context, std::uint64_t seed) {
  FormResult<at::Tensor> tensor = target_of(form, context, ScalarType::Float);
  if (!tensor) return tensor;
  const FormResult<double> p = parameter(form.random.p, 0.5, form, context);
  if (!p) return tl::make_unexpected(p.error());
  if (!(*p >= 0 && *p <= 1)) return form_error(context, form.random.pos, "`p` must be from 0 to 1");
  const PhiloxKey key = philox_key(seed, context.name);
  fill_real(*tensor, [&](std::uint64_t i) { return bernoulli_at(key, i, *p) ? 1.0 : 0.0; });
  return tensor;
}

FormResult<at::Tensor> make_permutation(const InputForm& form, const FormContext& context,
                                        std::uint64_t seed) {
  FormResult<at::Tensor> tensor = target_of(form, context, ScalarType::Long);
  if (!tensor) return tensor;
  Exact last;
  last.integer = tensor->numel() - 1;
  if (const std::string why = why_not(last, tensor->scalar_type()); tensor->numel() > 0 && !why.empty())
    return form_error(context, form.random.pos, "the permutation holds " + why);
  const std::vector<std::int64_t> order = permutation(philox_key(seed, context.name), tensor->numel());
  fill_real(*tensor, [&](std::uint64_t i) { return static_cast<double>(order[i]); });
  return tensor;
}

}  // namespace

FormResult<at::Tensor> make_random(const InputForm& form, const FormContext& context) {
  const FormResult<std::uint64_t> seed = seed_of(form, context);
  if (!seed) return tl::make_unexpected(seed.error());
  switch (form.random.kind) {
    case RandomKind::normal:
      return make_normal(form, context, *seed);
    case RandomKind::uniform:
      return make_uniform(form, context, *seed);
    case RandomKind::integers:
      return make_integers(form, context, *seed);
    case RandomKind::bernoulli:
      return make_bernoulli(form, context, *seed);
    case RandomKind::permutation:
      return make_permutation(form, context, *seed);
  }
  return form_error(context, form.random.pos, "unknown kind of random");
}

}  // namespace relapse
