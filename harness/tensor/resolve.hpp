#pragma once

// What a form leaves out, taken from the clauses of `requires`: dtype, shape, layout, gradient. One question,
// one function; all of them answer "nothing" where nothing says so.

#include <ATen/core/Tensor.h>

#include <harness/tensor/form.hpp>
#include <optional>
#include <vector>

namespace relapse {

using Extents = std::vector<std::int64_t>;

const Clause* find_clause(const NameContract* contract, ClauseKind kind);
inline const Clause* find_clause(const FormContext& context, ClauseKind kind) {
  return find_clause(context.clauses, kind);
}

/// The place to blame: the form's, or that of the contract which makes it.
SourcePos pos_of(const InputForm& form, const FormContext& context);

/// What the form or `requires` says; of several dtypes the first.
FormResult<std::optional<c10::ScalarType>> wanted_dtype(const InputForm& form, const FormContext& context);
/// The same with the default where nothing says so.
FormResult<c10::ScalarType> dtype_or(const InputForm& form, const FormContext& context,
                                     c10::ScalarType fallback);

/// Only what the form itself says; what else there is (`requires`, the result of an `equals`) if it does not.
FormResult<std::optional<Extents>> own_shape(const InputForm& form, const FormContext& context);
FormResult<std::optional<Extents>> wanted_shape(const InputForm& form, const FormContext& context);
/// The shape of a form whose elements do not say it; an error where nothing does. Counts the elements.
FormResult<Extents> needed_shape(const InputForm& form, const FormContext& context);

FormResult<Extents> evaluate_extents(const std::vector<ExprPtr>& exprs, const FormContext& context,
                                     SourcePos pos, const char* what);
FormResult<std::int64_t> evaluate_whole(const Expr& expr, const FormContext& context, SourcePos pos,
                                        const char* what);

/// The number of elements; an error when it overflows, passes the limit or an extent is negative.
FormResult<std::int64_t> count_elements(const Extents& shape, const FormContext& context, SourcePos pos);

/// Sets requires_grad where the form or `requires` asks for it.
FormResult<at::Tensor> with_gradient(at::Tensor tensor, const InputForm& form, const FormContext& context);

/// `device: cpu` in the form or, alone, in `requires`.
bool stays_on_host(const InputForm& form, const NameContract* contract);

}  // namespace relapse
