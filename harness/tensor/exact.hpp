#pragma once

// One number of a form or clause, as exact as it was written, and how it becomes an element of a dtype.

#include <c10/core/ScalarType.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <harness/case/case.hpp>
#include <harness/tensor/form.hpp>
#include <string>

namespace relapse {

struct Exact {
  enum class Kind : std::uint8_t { integer, large, real, boolean };
  Kind kind = Kind::integer;
  std::int64_t integer = 0;  ///< also of a boolean
  std::uint64_t large = 0;   ///< above INT64_MAX
  double real = 0;

  bool whole() const { return kind != Kind::real; }
  double as_double() const;
};

Exact exact_of(const Number& number);

/// Evaluates over the dims of the context. The error starts with the input's name.
FormResult<Exact> exact_of(const Scalar& scalar, const FormContext& context, SourcePos pos);
FormResult<Exact> exact_of(const Expr& expr, const FormContext& context, SourcePos pos);

/// The number as it is written in a case file.
std::string exact_text(const Exact& value);

/// Why the dtype cannot hold the value: `300 does not fit uint8 (0 to 255)`. Empty when it can; floats may
/// round, but not to infinity.
std::string why_not(const Exact& value, c10::ScalarType dtype);

/// One element's bytes, rounded once. The value must fit.
struct ElementBytes {
  alignas(16) std::array<std::byte, 16> bytes{};
  std::size_t size = 0;
};
ElementBytes encode(const Exact& value, c10::ScalarType dtype);

/// The value rounded once to a float dtype, as a double.
double exact_as_double(const Exact& value, c10::ScalarType dtype);

/// A form error in the usual shape: the input's name, then what is wrong.
tl::unexpected<FormError> form_error(const FormContext& context, SourcePos pos, const std::string& message);

}  // namespace relapse
