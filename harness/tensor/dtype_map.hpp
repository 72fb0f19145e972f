#pragma once

// The case's dtypes and memory formats as c10's, and back.

#include <c10/core/MemoryFormat.h>
#include <c10/core/ScalarType.h>

#include <harness/case/dtype.hpp>
#include <optional>
#include <string>

namespace relapse {

c10::ScalarType to_scalar_type(DType dtype);
std::optional<DType> to_dtype(c10::ScalarType type);  ///< nothing: a type that the format has not
std::string dtype_name(
    c10::ScalarType type);  ///< `float32`; c10's own name for a type that the format has not
c10::MemoryFormat to_memory_format(MemoryFormat format);

}  // namespace relapse
