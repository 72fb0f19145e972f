#pragma once

// What the device is told by the process's environment. README.md is the manual of the variables.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sim {

enum class FaultKind {
  code,           ///< a CUDA error code: late and sticky, or at once where the code is recoverable
  wrapped,        ///< a math library's own text, which hides a sticky 710
  oom,            ///< this allocation fails, the next does not
  hang_kernel,    ///< the kernel never ends
  hang_sync,      ///< the kernel ends; waiting for the device never does
  abort,          ///< the runtime ends the process, without a word
  wrong_element,  ///< one element of the first result is off
  order,          ///< the last element of the first result is stale, unless launches are blocking
  sick,           ///< every operation fails, from the first
};

struct Fault {
  FaultKind kind = FaultKind::code;
  /// For `code` and `sick`.
  int code = 0;
  /// `index_select`, `index_select.out`, `aten::index_select`; empty: any launch.
  std::string operator_name;
  /// Which call of the operator, from 1; 0: every one.
  std::int64_t nth = 1;
};

struct Environment {
  int devices = 1;
  std::size_t memory = std::size_t{16} << 30;  ///< of each device, in bytes
  bool blocking = false;
  std::vector<Fault> faults;
};

/// Throws std::invalid_argument, which says what was expected and what was seen.
std::vector<Fault> parse_faults(std::string_view text);
int parse_devices(std::string_view text);
std::size_t parse_memory(std::string_view text);

/// Reads the four variables. Throws like the parsers.
Environment read_environment();

/// Whether a pattern of `@OPERATOR` means this operator. A pattern without a namespace means any, one without
/// an overload means all.
bool matches(std::string_view pattern, std::string_view name, std::string_view overload);

}  // namespace sim
