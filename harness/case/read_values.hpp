#pragma once

// Nested lists of numbers, and lone numbers, as exact as they were written.

#include <harness/case/read_context.hpp>
#include <optional>

namespace relapse {

/// A number, `nan`, `inf`, `true`, `false`, or an expression over dims; nothing where it is none (reported).
std::optional<Scalar> read_scalar(ReadContext& context, const YamlNode& node, const Where& where);

/// A nested list whose rows are equally long. Its shape is checked before its elements are read.
std::optional<Values> read_values(ReadContext& context, const YamlNode& node, const Where& where);

}  // namespace relapse
