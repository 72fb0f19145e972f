#pragma once

// One value -> the IValue that a schema's argument wants, or why not. By real_type(), since type() shows
// dtypes, layouts and symbolic integers as plain int.

#include <ATen/core/function_schema.h>
#include <ATen/core/ivalue.h>

#include <harness/operator/value.hpp>
#include <string>

namespace relapse {

/// Converts; on failure `why` says what the argument expects and what it got.
bool convert_argument(const Value& value, const c10::Argument& argument, c10::IValue& out, std::string& why);

}  // namespace relapse
