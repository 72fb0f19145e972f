#pragma once

// Calls an operator of the dispatcher by name: picks the overload that fits the arguments, converts them,
// fills defaults.

#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/Device.h>

#include <harness/operator/value.hpp>
#include <harness/support/diagnostic.hpp>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace relapse {

struct Arguments {
  std::vector<Value> positional;
  std::vector<std::pair<std::string, Value>> keywords;
};

/// An operator as written: `add`, `aten::add`, `add.Tensor`, `ns::add.Tensor`.
struct OperatorRef {
  std::string qualified;  ///< `aten::add`
  std::string overload;
  bool has_overload = false;
};
OperatorRef parse_operator(std::string_view written);

/// Overloads chosen earlier in this process, by place in the case and kinds of the arguments.
using OverloadCache = std::unordered_map<std::uint64_t, c10::OperatorHandle>;

/// From now on this process calls operators of LibTorch's own on values only, as `--data-only` asks: none of
/// another namespace, none that opens a file or speaks to other processes. A call of another is an EvalError.
void allow_only_plain_operators();

/// Calls and returns all results. Without an overload: of those that fit (no `out` variants) the one with the
/// fewest defaulted arguments, then by name. An operator that makes a tensor from none and is given no device
/// uses `device`. Throws EvalError when nothing fits or when it would write and may not, and whatever the
/// operator throws.
std::vector<Value> call_operator(const OperatorRef& op, const Arguments& arguments, c10::Device device,
                                 SourcePos pos, OverloadCache* cache = nullptr, std::uint64_t place = 0,
                                 bool may_write = true);

}  // namespace relapse
