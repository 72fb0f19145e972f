#pragma once

// What names mean while an expression is evaluated. Steps, relations, bounds and references each build their
// own.

#include <c10/core/Device.h>

#include <functional>
#include <harness/operator/call.hpp>
#include <harness/operator/value.hpp>
#include <harness/tensor/symbols.hpp>
#include <string_view>

namespace relapse {

struct Scope {
  /// The value of a bound name (`x`, `loss`, `x.grad`); null: not bound. The pointer lives as long as the
  /// scope.
  std::function<const Value*(std::string_view name)> find;
  /// The value of an input before the subject, for `old(x)`; null when there is none or old() is not allowed
  /// here.
  std::function<const Value*(std::string_view name)> find_old;
  const Symbols* symbols = nullptr;
  c10::Device device = c10::Device(c10::kCPU);
  OverloadCache* cache = nullptr;
  /// Steps may call operators that write to their arguments; relations, bounds and references only read, or
  /// they would change what is being checked.
  bool may_write = false;
};

}  // namespace relapse
