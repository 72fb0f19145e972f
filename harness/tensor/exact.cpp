#include <cmath>
#include <cstring>
#include <harness/tensor/dtype_map.hpp>
#include <harness/tensor/elements.hpp>
#include <harness/tensor/exact.hpp>
#include <harness/tensor/facts.hpp>

namespace relapse {

namespace {

using c10::ScalarType;

std::string whole_range_text(const WholeRange& range) {
  return std::to_string(range.low) + " to " + std::to_string(range.high);
}

bool in_range(const Exact& value, const WholeRange& range) {
  if (value.kind == Exact::Kind::large) return value.large <= range.high;
  if (value.kind == Exact::Kind::real) {
    // 2^63 and 2^64 are exact doubles, one above what the types hold.
    const double high = range.high == UINT64_MAX  ? 0x1p64
                        : range.high == INT64_MAX ? 0x1p63
                                                  : static_cast<double>(range.high) + 1;
    return value.real >= static_cast<double>(range.low) && value.real < high;
  }
  if (value.integer < 0) return value.integer >= range.low;
  return static_cast<std::uint64_t>(value.integer) <= range.high;
}

template <class T>
T whole_element(const Exact& value) {
  switch (value.kind) {
    case Exact::Kind::large:
      return static_cast<T>(value.large);
    case Exact::Kind::real:
      return value.real < 0 ? static_cast<T>(static_cast<std::int64_t>(value.real))
                            : static_cast<T>(static_cast<std::uint64_t>(value.real));
    default:
      return static_cast<T>(value.integer);
  }
}

/// Integers straight into the narrow floats: through float64 a 64-bit one would round twice.
template <class T>
T float_element(const Exact& value) {
  if constexpr (kIsComplex<T>) {
    return T(float_element<Part<T>>(value), rounded<Part<T>>(0));
  } else {
    if (value.kind == Exact::Kind::real) return rounded<T>(value.real);
    const bool negative = value.kind != Exact::Kind::large && value.integer < 0;
    const std::uint64_t size = value.kind == Exact::Kind::large ? value.large
                               : negative ? 0 - static_cast<std::uint64_t>(value.integer)
                                          : static_cast<std::uint64_t>(value.integer);
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
      return negative ? -static_cast<T>(size) : static_cast<T>(size);
    } else {
      T result;
      result.x = static_cast<decltype(result.x)>(
          encode_small(negative, size, 0, *small_float_of(c10::CppTypeToScalarType<T>::value)));
      return result;
    }
  }
}

}  // namespace

double Exact::as_double() const {
  switch (kind) {
    case Kind::real:
      return real;
    case Kind::large:
      return static_cast<double>(large);
    default:
      return static_cast<double>(integer);
  }
}

tl::unexpected<FormError> form_error(const FormContext& context, SourcePos pos, const std::string& message) {
  return tl::make_unexpected(FormError{context.name + ": " + message, pos});
}

Exact exact_of(const Number& number) {
  Exact value;
  value.integer = number.integer;
  value.real = number.real;
  value.kind = number.is_bool      ? Exact::Kind::boolean
               : number.is_integer ? Exact::Kind::integer
                                   : Exact::Kind::real;
  return value;
}

FormResult<Exact> exact_of(const Expr& expr, const FormContext& context, SourcePos pos) {
  const SourcePos at = expr.pos.line > 0 ? expr.pos : pos;
  Exact value;
  switch (expr.kind) {
    case ExprKind::integer:
      value.integer = expr.integer;
      return value;
    case ExprKind::real:
      value.kind = Exact::Kind::real;
      value.real = expr.real;
      return value;
    default:
      break;
  }
  static const Symbols kNone;
  const Symbols& symbols = context.symbols ? *context.symbols : kNone;
  const Result<Number> number = evaluate_number(expr, symbols.lookup(), symbols.dim_names());
  if (!number) return form_error(context, at, number.error().message);
  return exact_of(*number);
}

FormResult<Exact> exact_of(const Scalar& scalar, const FormContext& context, SourcePos pos) {
  Exact value;
  if (const auto* integer = std::get_if<std::int64_t>(&scalar)) {
    value.integer = *integer;
  } else if (const auto* large = std::get_if<std::uint64_t>(&scalar)) {
    value.kind = Exact::Kind::large;
    value.large = *large;
  } else if (const auto* real = std::get_if<double>(&scalar)) {
    value.kind = Exact::Kind::real;
    value.real = *real;
  } else if (const auto* boolean = std::get_if<bool>(&scalar)) {
    value.kind = Exact::Kind::boolean;
    value.integer = *boolean;
  } else {
    return exact_of(*std::get<ExprPtr>(scalar), context, pos);
  }
  return value;
}

std::string exact_text(const Exact& value) {
  switch (value.kind) {
    case Exact::Kind::boolean:
      return value.integer ? "true" : "false";
    case Exact::Kind::large:
      return std::to_string(value.large);
    case Exact::Kind::real:
      return number_text(value.real, ScalarType::Double);
    default:
      return std::to_string(value.integer);
  }
}

std::string why_not(const Exact& value, ScalarType dtype) {
  const auto refuse = [&](const std::string& why) {
    return exact_text(value) + " does not fit " + dtype_name(dtype) + " (" + why + ")";
  };
  if (const std::optional<WholeRange> range = whole_range(dtype)) {
    if (dtype == ScalarType::Bool)
      return in_range(value, *range) && std::trunc(value.as_double()) == value.as_double()
                 ? std::string()
                 : refuse("true or false, 0 or 1");
    if (value.kind == Exact::Kind::real &&
        !(std::trunc(value.real) == value.real && std::isfinite(value.real)))
      return refuse("whole numbers only");
    return in_range(value, *range) ? std::string() : refuse(whole_range_text(*range));
  }
  const double exact = value.as_double();
  if (std::isnan(exact)) return {};
  if (std::isinf(exact)) return has_infinity(dtype) ? std::string() : refuse("it has no infinity");
  const double stored = round_to_dtype(exact, dtype);
  return std::isfinite(stored)
             ? std::string()
             : refuse("largest " + number_text(largest_value(dtype), component_type(dtype)));
}

ElementBytes encode(const Exact& value, ScalarType dtype) {
  ElementBytes result;
  visit_dtype(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    T element;
    if constexpr (std::is_same_v<T, bool>) {
      element = value.as_double() != 0;
    } else if constexpr (kIsWhole<T>) {
      element = whole_element<T>(value);
    } else {
      element = float_element<T>(value);
    }
    result.size = sizeof(T);
    std::memcpy(result.bytes.data(), &element, sizeof(T));
  });
  return result;
}

double exact_as_double(const Exact& value, ScalarType dtype) {
  double result = value.as_double();
  visit_dtype(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (!kIsWhole<T> && !kIsComplex<T>) result = as_double(float_element<T>(value));
  });
  return result;
}

}  // namespace relapse
