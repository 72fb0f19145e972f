#pragma once

// A mistake in an expression that only shows when it is evaluated: an unknown name or operator, arguments
// that fit no overload, an integer overflow. It is the case's mistake and never counts as a rejection or a
// symptom.

#include <harness/support/diagnostic.hpp>
#include <stdexcept>
#include <string>

namespace relapse {

class EvalError : public std::runtime_error {
 public:
  EvalError(const std::string& message, SourcePos pos) : std::runtime_error(message), pos_(pos) {}
  SourcePos pos() const { return pos_; }

 private:
  SourcePos pos_;
};

}  // namespace relapse
