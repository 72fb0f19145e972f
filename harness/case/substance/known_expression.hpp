#pragma once

// Relations, bounds and computed inputs over what is known of tensors, for the part of the operators that
// relations are made of. Nothing where an operand or an operator is not known, where 64 bits overflow, or
// where rounding could turn the answer.

#include <functional>
#include <harness/case/substance/known_tensor.hpp>
#include <string_view>

namespace relapse {

/// What a name stands for; null: nothing is known of it. Dims and numbers are tensors without dimensions.
using KnownLookup = std::function<const KnownTensor*(std::string_view)>;

std::optional<KnownTensor> evaluate_known(const Expr& expr, const KnownLookup& find);

/// The lone number that an expression gives.
std::optional<Number> known_number(const Expr& expr, const KnownLookup& find);

/// Whether a relation holds for every element.
std::optional<bool> known_relation(const Expr& expr, const KnownLookup& find);

/// `a < b`, `a <= b`, ... where rounding to any dtype cannot turn it.
std::optional<bool> known_order(Op op, const Number& a, const Number& b);

}  // namespace relapse
