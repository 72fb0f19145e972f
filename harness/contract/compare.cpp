#include <fmt/format.h>

#include <cmath>
#include <harness/contract/compare.hpp>
#include <harness/contract/mismatch.hpp>
#include <harness/support/text.hpp>
#include <harness/tensor/convert.hpp>
#include <harness/tensor/dtype_map.hpp>
#include <harness/tensor/elements.hpp>
#include <harness/tensor/exact.hpp>
#include <harness/tensor/facts.hpp>
#include <harness/tensor/inputs.hpp>
#include <harness/tensor/ulp.hpp>
#include <limits>

namespace relapse {

namespace {

using c10::ScalarType;
using ComplexDouble = c10::complex<double>;
__extension__ using Wide = __int128;

constexpr double kNever = std::numeric_limits<double>::infinity();

/// How two elements compare, once for a whole tensor.
struct Rule {
  CompareMode mode = CompareMode::exact;
  double rtol = 0, atol = 0;
  std::uint64_t ulp = 0;
  bool nan_same_places = false, signed_zero = false;
};

bool is_exact_type(ScalarType dtype) {
  return whole_range(dtype).has_value();
}

Rule rule_of(const Compare& compare, ScalarType dtype, CompareTable table) {
  Rule rule;
  rule.mode = compare.mode;
  if (rule.mode == CompareMode::automatic) {
    const bool tolerant = compare.rtol || compare.atol || !is_exact_type(dtype);
    rule.mode = tolerant ? CompareMode::close : CompareMode::exact;
  }
  if (rule.mode == CompareMode::close) {
    const Tolerance defaults = default_tolerance(dtype, table);
    rule.rtol = compare.rtol.value_or(defaults.rtol);
    rule.atol = compare.atol.value_or(defaults.atol);
  }
  rule.ulp = static_cast<std::uint64_t>(std::max<std::int64_t>(compare.ulp, 0));
  rule.nan_same_places = compare.nan_same_places;
  rule.signed_zero = compare.signed_zero;
  return rule;
}

std::string rule_text(const Rule& rule, const Compare& compare, ScalarType dtype) {
  std::string text = "exact";
  if (rule.mode == CompareMode::close)
    text = fmt::format("close, {}: rtol {:g}, atol {:g}", dtype_name(dtype), rule.rtol, rule.atol);
  if (rule.mode == CompareMode::ulp) text = fmt::format("ulp, {}: {}", dtype_name(dtype), rule.ulp);
  if (rule.nan_same_places) text += ", NaN in the same places";
  if (rule.signed_zero) text += ", signed zeros";
  if (compare.mismatch) text += fmt::format(", up to {:g} % may differ", *compare.mismatch * 100);
  return text;
}

/// What the differing elements need, gathered in one pass.
struct Tally {
  std::int64_t differing = 0, worst = -1;
  double worst_abs = 0, worst_rtol = 0;
  MismatchCounter where;

  /// `rtol`: the smallest relative tolerance that would pass the element; kNever: none.
  void add(std::int64_t position, double abs, double rtol) {
    ++differing;
    where.add(position, abs);
    const bool worse = worst < 0 || rtol > worst_rtol || (rtol == worst_rtol && abs > worst_abs);
    if (!worse) return;
    worst = position;
    worst_abs = abs;
    worst_rtol = rtol;
  }
};

double needed_rtol(double abs, double expected, const Rule& rule) {
  if (!std::isfinite(abs) || expected == 0 || !std::isfinite(expected)) return kNever;
  return std::max(abs - rule.atol, 0.0) / std::fabs(expected);
}

/// One float against what was due, as torch.isclose has it: infinities are equal to themselves only.
template <class T>
bool float_differs(T seen, double due, const Rule& rule) {
  const double actual = as_double(seen);
  if (actual == due) return rule.signed_zero && actual == 0 && std::signbit(actual) != std::signbit(due);
  if (std::isnan(actual) || std::isnan(due))
    return !(rule.nan_same_places && std::isnan(actual) && std::isnan(due));
  const double abs = std::fabs(actual - due);
  switch (rule.mode) {
    case CompareMode::close:
      return !(std::isfinite(abs) && abs <= rule.atol + rule.rtol * std::fabs(due));
    case CompareMode::ulp:
      return std::isinf(actual) || std::isinf(due) || ulp_distance(seen, rounded<T>(due)) > rule.ulp;
    default:
      return true;
  }
}

bool rounds_first(const Rule& rule) {
  return rule.mode != CompareMode::close;
}

/// `E` is double, or T itself: two runs of one computation are compared without a copy.
template <class T, class E>
void compare_floats(const T* seen, const E* due, std::int64_t count, const Rule& rule, Tally& tally) {
  const bool round = rounds_first(rule) && !std::is_same_v<T, E>;
  for (std::int64_t i = 0; i < count; ++i) {
    const double exact = as_double(due[i]);
    const double expected = round ? as_double(rounded<T>(exact)) : exact;
    if (!float_differs(seen[i], expected, rule)) continue;
    const double abs = std::fabs(as_double(seen[i]) - expected);
    tally.add(i, abs, needed_rtol(abs, expected, rule));
  }
}

/// Complex numbers as their parts: both must hold.
template <class P>
void compare_complex(const c10::complex<P>* seen, const ComplexDouble* due, std::int64_t count,
                     const Rule& rule, Tally& tally) {
  const bool round = rounds_first(rule);
  for (std::int64_t i = 0; i < count; ++i) {
    bool differs = false;
    double abs = 0, rtol = 0;
    for (int part = 0; part < 2; ++part) {
      const P actual = part == 0 ? seen[i].real() : seen[i].imag();
      const double exact = part == 0 ? due[i].real() : due[i].imag();
      const double expected = round ? as_double(rounded<P>(exact)) : exact;
      if (!float_differs(actual, expected, rule)) continue;
      differs = true;
      const double off = std::fabs(as_double(actual) - expected);
      abs = std::isnan(off) ? off : std::max(abs, off);
      rtol = std::max(rtol, needed_rtol(off, expected, rule));
    }
    if (differs) tally.add(i, abs, rtol);
  }
}

/// Whole numbers exactly, whatever their size; `E` is int64, uint64 or double. A fraction or an infinity that
/// was due is never what an integer holds, but may be within a tolerance.
template <class T, class E>
void compare_whole(const T* seen, const E* due, std::int64_t count, const Rule& rule, Tally& tally) {
  for (std::int64_t i = 0; i < count; ++i) {
    const Wide actual = static_cast<Wide>(seen[i]);
    long double abs, size;
    if constexpr (std::is_same_v<E, double>) {
      const double expected = due[i];
      if (std::isnan(expected) || std::isinf(expected)) {
        tally.add(i, std::fabs(expected), kNever);
        continue;
      }
      abs = std::fabs(static_cast<long double>(actual) - static_cast<long double>(expected));
      size = std::fabs(expected);
    } else {
      const Wide expected = static_cast<Wide>(due[i]);
      const Wide off = actual > expected ? actual - expected : expected - actual;
      abs = static_cast<long double>(off);
      size = static_cast<long double>(expected < 0 ? -expected : expected);
    }
    if (abs == 0) continue;
    if (rule.mode == CompareMode::close && abs <= rule.atol + rule.rtol * size) continue;
    if (rule.mode == CompareMode::ulp && abs <= static_cast<long double>(rule.ulp)) continue;
    const double rtol = rule.mode == CompareMode::close
                            ? needed_rtol(static_cast<double>(abs), static_cast<double>(size), rule)
                            : 0.0;
    tally.add(i, static_cast<double>(abs), rtol);
  }
}

/// A dense CPU tensor; the tensor itself where it is that already.
at::Tensor dense(const at::Tensor& tensor) {
  const bool is_dense = tensor.device().is_cpu() && tensor.layout() == c10::Layout::Strided &&
                        !tensor.is_conj() && !tensor.is_neg() && tensor.is_contiguous();
  return is_dense ? tensor : dense_tensor(tensor, false);
}

/// Dense elements as another of the four types that things are compared in. Whole numbers become the doubles
/// next to them, or, when the rule rounds to `target` first, those that `target` has for them.
at::Tensor as_doubles(const at::Tensor& tensor, ScalarType target, bool round) {
  if (!is_exact_type(tensor.scalar_type())) return dense_copy(tensor, widened(tensor.scalar_type()));
  at::Tensor result = empty_dense(tensor.sizes(), ScalarType::Double);
  double* out = elements_of<double>(result);
  const ScalarType part = round ? component_type(target) : ScalarType::Double;
  visit_dtype(tensor.scalar_type(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (kIsWhole<T>) {
      const T* source = elements_of<T>(tensor);
      const std::int64_t count = tensor.numel();
      for (std::int64_t i = 0; i < count; ++i) {
        Exact value;
        value.kind = std::is_same_v<T, std::uint64_t> ? Exact::Kind::large : Exact::Kind::integer;
        value.large = static_cast<std::uint64_t>(source[i]);
        value.integer = static_cast<std::int64_t>(source[i]);
        out[i] = exact_as_double(value, part);
      }
    }
  });
  return result;
}

at::Tensor as_complex(const at::Tensor& tensor, ScalarType target, bool round) {
  if (c10::isComplexType(tensor.scalar_type())) return dense_copy(tensor, ScalarType::ComplexDouble);
  const at::Tensor real = as_doubles(tensor, target, round);
  at::Tensor result = empty_dense(tensor.sizes(), ScalarType::ComplexDouble);
  ComplexDouble* out = elements_of<ComplexDouble>(result);
  const std::int64_t count = tensor.numel();
  for (std::int64_t i = 0; i < count; ++i) out[i] = ComplexDouble(elements_of<double>(real)[i], 0);
  return result;
}

at::Tensor as_int64(const at::Tensor& tensor) {
  if (tensor.scalar_type() == ScalarType::Long || tensor.scalar_type() == ScalarType::UInt64) return tensor;
  at::Tensor result = empty_dense(tensor.sizes(), ScalarType::Long);
  visit_dtype(tensor.scalar_type(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (kIsWhole<T>) {
      const std::int64_t count = tensor.numel();
      for (std::int64_t i = 0; i < count; ++i)
        elements_of<std::int64_t>(result)[i] = static_cast<std::int64_t>(elements_of<T>(tensor)[i]);
    }
  });
  return result;
}

/// Both sides in types that the loops know; `due` fits what `seen` is.
void tally_all(const at::Tensor& seen, const at::Tensor& due, const Rule& rule, Tally& tally) {
  const std::int64_t count = seen.numel();
  visit_dtype(seen.scalar_type(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* actual = elements_of<T>(seen);
    if constexpr (kIsComplex<T>) {
      compare_complex(actual, elements_of<ComplexDouble>(due), count, rule, tally);
    } else if constexpr (!kIsWhole<T>) {
      if (due.scalar_type() == seen.scalar_type()) {
        compare_floats(actual, elements_of<T>(due), count, rule, tally);
      } else {
        compare_floats(actual, elements_of<double>(due), count, rule, tally);
      }
    } else if (due.scalar_type() == ScalarType::Long) {
      compare_whole(actual, elements_of<std::int64_t>(due), count, rule, tally);
    } else if (due.scalar_type() == ScalarType::UInt64) {
      compare_whole(actual, elements_of<std::uint64_t>(due), count, rule, tally);
    } else {
      compare_whole(actual, elements_of<double>(due), count, rule, tally);
    }
  });
}

at::Tensor comparable(const at::Tensor& expected, ScalarType dtype, const Rule& rule) {
  if (c10::isComplexType(dtype)) return as_complex(expected, dtype, rounds_first(rule));
  const bool whole = is_exact_type(expected.scalar_type());
  if (is_exact_type(dtype) && whole) return as_int64(expected);
  if (expected.scalar_type() == ScalarType::Double || expected.scalar_type() == dtype) return expected;
  return as_doubles(expected, dtype, rounds_first(rule));
}

/// The worst element in words, with the number that was due in the digits of the result's dtype, or in all of
/// its own where these would not tell the two apart.
void describe_worst(const at::Tensor& seen, const at::Tensor& expected, const at::Tensor& due,
                    const Rule& rule, Comparison& result) {
  result.seen = element_text(seen, result.worst);
  const ScalarType dtype = seen.scalar_type();
  if (!is_float_type(due.scalar_type())) {
    result.due = element_text(expected, result.worst);
    if (dtype == ScalarType::Bool && (result.due == "0" || result.due == "1"))
      result.due = result.due == "1" ? "true" : "false";
    return;
  }
  double exact = 0;
  visit_dtype(due.scalar_type(), [&](auto tag) {
    using E = typename decltype(tag)::type;
    if constexpr (!kIsComplex<E>) exact = as_double(elements_of<E>(due)[result.worst]);
  });
  const double size = std::fabs(exact);
  if (std::isfinite(size) && size > 0) result.worst_rel = result.worst_abs / size;
  result.due = number_text(is_exact_type(dtype) ? exact : round_to_dtype(exact, dtype), dtype);
  if (result.due == result.seen && !rounds_first(rule)) result.due = number_text(exact, ScalarType::Double);
  visit_dtype(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (!kIsWhole<T> && !kIsComplex<T>) {
      const T actual = elements_of<T>(seen)[result.worst];
      if (std::isfinite(as_double(actual)) && std::isfinite(exact))
        result.worst_ulp = ulp_distance(actual, rounded<T>(exact));
    }
  });
}

/// `6.6 %`, two digits.
std::string percent(double fraction) {
  // Two digits, and never as a power of ten: 6.6 %, 127 %.
  const double value = fraction * 100;
  return value < 10 ? fmt::format("{:.2g} %", value) : fmt::format("{:.0f} %", value);
}

/// Rounded up to three digits, so that the number passes as printed.
std::string rounded_up(double value) {
  if (!(value > 0)) return "0";
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - 2);
  return fmt::format("{:.3g}", std::ceil(value / unit * (1 - 1e-12)) * unit);
}

}  // namespace

Tolerance default_tolerance(ScalarType dtype, CompareTable table) {
  struct Row {
    Tolerance float64, float32, float16, bfloat16;
  };
  constexpr Row kEquals{{1e-7, 1e-7}, {1.3e-6, 1e-5}, {1e-3, 1e-5}, {1.6e-2, 1e-5}};
  constexpr Row kSameAs{{1e-7, 1e-7}, {1e-4, 1e-5}, {5e-3, 1e-3}, {3e-2, 1e-2}};
  constexpr Row kAgrees{{1e-7, 1e-7}, {1e-3, 1e-3}, {1e-2, 1e-2}, {5e-2, 5e-2}};
  const Row& row = table == CompareTable::equals    ? kEquals
                   : table == CompareTable::same_as ? kSameAs
                                                    : kAgrees;
  switch (component_type(dtype)) {
    case ScalarType::Double:
      return row.float64;
    case ScalarType::Float:
      return row.float32;
    case ScalarType::Half:
      return row.float16;
    case ScalarType::BFloat16:
      return row.bfloat16;
    default:
      return is_float_type(dtype) ? Tolerance{10 * row.bfloat16.rtol, 10 * row.bfloat16.atol} : Tolerance{};
  }
}

Comparison compare_tensors(const at::Tensor& actual, const at::Tensor& expected, const Compare& compare,
                           CompareTable table) {
  at::Tensor seen = dense(actual);
  const at::Tensor wanted = dense(expected);
  const ScalarType dtype = seen.scalar_type();
  const Rule rule = rule_of(compare, dtype, table);
  Comparison result;
  result.rule = rule_text(rule, compare, dtype);
  result.total = seen.numel();
  // A real result of which a complex number was due is compared as one.
  if (c10::isComplexType(wanted.scalar_type()) && !c10::isComplexType(dtype))
    seen = as_complex(seen, dtype, false);
  const at::Tensor due = comparable(wanted, seen.scalar_type(), rule);

  Tally tally;
  tally.where = MismatchCounter(seen.sizes().vec());
  tally_all(seen, due, rule, tally);
  result.differing = tally.differing;
  result.worst = tally.worst;
  if (tally.differing == 0) return result;
  const double allowed = compare.mismatch ? *compare.mismatch * static_cast<double>(result.total) : 0;
  result.equal = static_cast<double>(tally.differing) <= allowed;
  result.worst_abs = tally.worst_abs;
  if (result.total > 1) result.picture = tally.where.picture();
  describe_worst(seen, wanted, due, rule, result);
  if (rule.mode == CompareMode::close && tally.worst_rtol < kNever)
    result.would_pass_at_rtol = tally.worst_rtol;
  return result;
}

std::vector<std::string> Comparison::lines(const std::vector<std::int64_t>& shape) const {
  if (differing == 0) return {};
  std::string off;
  if (std::isfinite(worst_abs) && worst_abs > 0) {
    // Beyond ten times the value a percentage says less than the distance itself.
    const bool relative = worst_rel > 0 && worst_rel < 10 && worst_ulp;
    off = " (off by " + (relative ? percent(worst_rel) : fmt::format("{:.6g}", worst_abs));
    constexpr std::uint64_t kCountable = 1'000'000;
    if (worst_ulp && *worst_ulp > 0 && *worst_ulp < kCountable)
      off += ", " + with_thousands(static_cast<std::int64_t>(*worst_ulp)) + " ulp";
    off += ")";
  }
  const std::string numbers = seen + " where " + due + " was due" + off;
  std::vector<std::string> lines;
  if (shape.empty()) {
    lines.push_back(numbers);
  } else if (total == 1) {
    lines.push_back("the only element differs: " + numbers);
  } else {
    lines.push_back(fmt::format("{} of {} elements {}; worst at {}: {}", with_thousands(differing),
                                with_thousands(total), differing == 1 ? "differs" : "differ",
                                index_text(shape, worst), numbers));
  }
  if (would_pass_at_rtol) lines.push_back("it would have passed at rtol " + rounded_up(*would_pass_at_rtol));
  return lines;
}

}  // namespace relapse
