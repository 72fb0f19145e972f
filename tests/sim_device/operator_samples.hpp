#pragma once

// Arguments for operators of which only the schema is known: shapes, dtypes and numbers are tried until the
// CPU takes them.

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace sim_test {

/// What the tensors of one attempt are like. `by_name`: integers for index, target and the like, truth values
/// for masks, floats for the rest.
enum class Elements { floats, integers, truth, complex, by_name };

struct Recipe {
  std::vector<std::int64_t> shape;
  Elements elements;
  std::int64_t number;             ///< for int arguments
  std::vector<std::int64_t> list;  ///< for int[] arguments of no fixed length
};

/// All recipes, those that fit most operators first.
const std::vector<Recipe>& recipes();

/// Arguments for this schema; nothing where it has one that no recipe makes. `seed` gives other values, not
/// other shapes.
std::optional<torch::jit::Stack> arguments_for(const c10::FunctionSchema& schema, const Recipe& recipe,
                                               std::uint64_t seed);

/// Arguments written down for operators whose arguments must fit each other, by `name` or `name.overload`;
/// the trailing ones that have a default may be missing.
struct Written {
  const char* op;
  torch::jit::Stack (*arguments)(std::uint64_t& state);
};
const std::vector<Written>& written_samples();

}  // namespace sim_test
