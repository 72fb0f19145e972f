#pragma once

// The precompiled header of relapse_torch: the narrow part of ATen that most of its files need. Operators are
// called through the dispatcher or their own ATen/ops header, so that torch/torch.h (28 s a file) is nowhere.

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>
#include <c10/core/ScalarType.h>
#include <c10/util/Exception.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>
