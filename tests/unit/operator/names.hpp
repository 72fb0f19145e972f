#pragma once

// Names with values, and expressions over them as text.

#include <ATen/core/Tensor.h>
#include <gtest/gtest.h>

#include <harness/operator/eval_error.hpp>
#include <harness/operator/evaluate.hpp>
#include <map>
#include <string>
#include <vector>

namespace relapse::test {

ExprPtr expr(const std::string& text);
/// Expressions over inputs without any name, for making tensors: `tensor("arange(6).reshape([2, 3])")`.
at::Tensor tensor(const std::string& text);

struct Names {
  std::map<std::string, Value, std::less<>> values, old;
  Symbols symbols;
  OverloadCache cache;
  bool cached = false;

  Names& set(const std::string& name, Value value);

  Scope scope();
  Value eval(const std::string& text);
  std::vector<Value> results(const std::string& text);
  at::Tensor tensor(const std::string& text);
  /// The value in words: `3`, `int64 [2] 1 2`, or `line:column message` of an EvalError, or `class text` of
  /// what an operator throws.
  std::string text(const std::string& text);
};

/// Names with the values of expressions, each of which may read those before it.
Names with(const std::vector<std::pair<std::string, std::string>>& texts);

/// `float32 [2, 2] 1 2 3 4`.
std::string text_of(const Value& value);
std::string text_of(const at::Tensor& tensor);

/// The same dtype, shape and bits.
testing::AssertionResult same(const at::Tensor& seen, const at::Tensor& due);

}  // namespace relapse::test
