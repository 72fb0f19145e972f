#pragma once

// What can be said about a tensor without changing it. CPU tensors are read; others only when told to
// (reading a device tensor synchronises).

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <harness/plan/observation.hpp>
#include <string>

namespace relapse {

TensorFacts facts_of(const std::string& name, const at::Tensor& tensor, bool read_values = true);
TensorFacts facts_of(const std::string& name, const c10::IValue& value, bool read_values = true);

/// 16 hexadecimal digits over dtype, shape and elements in row-major order (bits, so that -0 and NaN payloads
/// count).
std::string digest_of(const at::Tensor& tensor);

/// One element in words: `3`, `-0.5`, `nan`, `true`, `(1+2j)`; floats with the digits that tell neighbours of
/// the dtype apart.
std::string element_text(const at::Tensor& tensor, std::int64_t flat_index);
std::string number_text(double value, c10::ScalarType dtype);

/// `[2, 17]` for a row-major position.
std::string index_text(const std::vector<std::int64_t>& shape, std::int64_t flat_index);
std::string shape_text(const std::vector<std::int64_t>& shape);

}  // namespace relapse
