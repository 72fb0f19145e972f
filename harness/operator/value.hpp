#pragma once

// A value of the expression language: finer than c10::IValue, which holds dtypes, layouts and memory formats
// as plain integers, so that an integer could pass for a dtype.

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <c10/core/Layout.h>
#include <c10/core/MemoryFormat.h>
#include <c10/core/ScalarType.h>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace relapse {

struct NoneValue {};
struct Value;
using ValueList = std::vector<Value>;

struct Value {
  std::variant<NoneValue, bool, std::int64_t, double, std::string, c10::ScalarType, c10::Layout,
               c10::MemoryFormat, at::Tensor, ValueList, c10::IValue>
      held;

  bool is_none() const { return std::holds_alternative<NoneValue>(held); }
  bool is_bool() const { return std::holds_alternative<bool>(held); }
  bool is_integer() const { return std::holds_alternative<std::int64_t>(held); }
  bool is_real() const { return std::holds_alternative<double>(held); }
  bool is_number() const { return is_bool() || is_integer() || is_real(); }
  bool is_tensor() const { return std::holds_alternative<at::Tensor>(held); }
  bool is_list() const { return std::holds_alternative<ValueList>(held); }
  const at::Tensor& tensor() const { return std::get<at::Tensor>(held); }
  std::int64_t integer() const { return std::get<std::int64_t>(held); }
  const ValueList& list() const { return std::get<ValueList>(held); }
  /// Of a number, as double. Integers beyond 2^53 lose bits: compare those as integers.
  double as_double() const;
};

Value value_of(
    const c10::IValue& ivalue);  ///< lists become ValueList; what the language has not stays an IValue
c10::IValue to_ivalue(
    const Value& value);  ///< lists of tensors as Tensor[], of numbers as int[] or float[]; dtypes as int
at::Scalar to_scalar(const Value& value);  ///< of a number

/// `a tensor`, `an integer`, `a list of 2`: for messages.
std::string kind_text(const Value& value);
/// The value itself, short: `3`, `0.5`, `[2, 3]`, `float32 [4, 3]`.
std::string value_text(const Value& value);

}  // namespace relapse
