#pragma once

// One input form -> one CPU tensor (or number, text, None, list). Knows shapes, dtypes, ranges and layouts;
// does not know which other inputs there are (inputs.hpp does) nor how expressions over tensors are evaluated
// (a callback does).

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <functional>
#include <harness/case/case.hpp>
#include <harness/tensor/symbols.hpp>
#include <map>
#include <optional>
#include <string>

namespace relapse {

/// Why an input cannot be made; becomes a case error at `pos`.
struct FormError {
  std::string message;
  SourcePos pos;
};
template <class T>
using FormResult = tl::expected<T, FormError>;

using Bound = std::map<std::string, c10::IValue, std::less<>>;
/// Evaluates an expression over bound values and symbols on the CPU; throws what LibTorch throws.
using Evaluate = std::function<c10::IValue(const Expr& expr, const Bound& bound, const Symbols& symbols)>;

/// What a form inherits and needs to know to become a tensor.
struct FormContext {
  std::string name;        ///< of the input: part of the generator's key
  std::uint64_t seed = 0;  ///< of the batch
  const NameContract* clauses =
      nullptr;  ///< of `requires`: dtype, shape, ranges, layout, requires_grad, device; may be null
  const Symbols* symbols = nullptr;
  std::string folder;                                      ///< of the case file, for `file`
  std::optional<std::vector<std::int64_t>> default_shape;  ///< of `equals` forms: the result's
  std::optional<c10::ScalarType> default_dtype;            ///< of `equals` forms: the result's
  std::int64_t element_limit = std::int64_t(1) << 36;
};

/// The value of every form but `computed` and `storage`, which need other inputs. A tensor has its final
/// dtype, layout and requires_grad. With strides, offset or gaps its storage is filled with poison first (see
/// poison.hpp).
FormResult<c10::IValue> make_form(const InputForm& form, const FormContext& context);

/// Gives a computed tensor the layout that the form asks for (strides, offset, memory_format, expand, set).
FormResult<at::Tensor> apply_layout(const at::Tensor& dense, const InputForm& form,
                                    const FormContext& context);

/// A bound of a clause as a value of the dtype: integers exact, floats rounded once. Used by generator and
/// clauses alike. Values of float16 and bfloat16 are rounded to them and held as double.
double round_to_dtype(double value, c10::ScalarType dtype);

/// The next representable value of the dtype in the direction of +infinity (up) or -infinity.
double next_value(double value, bool up, c10::ScalarType dtype);

}  // namespace relapse
