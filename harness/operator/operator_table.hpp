#pragma once

// The installed operators by base name: a snapshot of the dispatcher's registry. Operators that only
// TorchScript knows are not in it (765 of 4,271 in 2.14: prim:: and list helpers), nor those without a
// schema.

#include <ATen/core/dispatch/Dispatcher.h>

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace relapse {

class OperatorTable {
 public:
  /// The registry as it is now. Taking it costs about 2 ms, so a zygote does it once; after loading a library
  /// it is taken again.
  static const OperatorTable& installed();
  static void refresh();

  /// Every overload of `aten::add`, in the order of overload names; empty: no such operator.
  const std::vector<c10::OperatorHandle>& overloads(const std::string& qualified_name) const;
  std::vector<std::string> nearest(
      std::string_view qualified_name) const;  ///< at most one, for "did you mean"

 private:
  void take();
  std::unordered_map<std::string, std::vector<c10::OperatorHandle>> by_name_;
};

}  // namespace relapse
