#pragma once

// The format's keys as data: what the reader's tables know, level by level, and the JSON Schema that editors
// use. The tables are the reader's own, so that a new key is one line there and appears here by itself.

#include <harness/case/read_context.hpp>
#include <string>
#include <vector>

namespace relapse {

/// Every level of the format with its keys, the top level (`case`) first.
std::vector<Level> format_levels();

/// JSON Schema (draft 2020-12) of case files: docs/case.schema.json.
std::string json_schema();

}  // namespace relapse
