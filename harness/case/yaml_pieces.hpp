#pragma once

// What yaml-cpp does not tell about a scalar: where it ends, and that a comma cut an expression in two.

#include <harness/case/yaml_tree.hpp>
#include <string_view>

namespace relapse {

/// The offset behind the last byte of a scalar; npos where nothing closes its quote.
std::size_t scalar_end(std::string_view source, const YamlNode& scalar);

/// The offset behind the bracket that closes the one at `offset`.
std::size_t flow_end(std::string_view source, std::size_t offset);

/// Finds texts such as `f(a` and `b)` that a comma of a flow collection cut apart, reports each once, and
/// marks the value as broken; the other pieces are dropped.
void report_split_pieces(YamlNode& collection, const ReportMistake& report);

}  // namespace relapse
