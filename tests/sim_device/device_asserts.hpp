#pragma once

// Which checks of the CPU's kernels are assertions in CUDA's. The CPU throws; a GPU prints a line for every
// thread that failed, and the host hears of it later.

#include <ATen/core/dispatch/OperatorEntry.h>
#include <ATen/core/ivalue.h>
#include <c10/util/ArrayRef.h>

#include <optional>
#include <string_view>

#include "context.hpp"

namespace sim {

/// The lines that CUDA's kernel of this operator would print where the CPU's says `text`; nothing where
/// CUDA's host code refuses such arguments as well. `is_index_error`: the CPU threw a c10::IndexError.
std::optional<AssertLines> device_assert(std::string_view operator_name, std::string_view text,
                                         bool is_index_error, c10::ArrayRef<c10::IValue> host_arguments);

/// The lines of an assertion that is only played.
AssertLines played_assert(std::string_view operator_name);

}  // namespace sim
