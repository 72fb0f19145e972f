#pragma once

// Which texts of a case are expressions, and their canonical spelling.

#include <harness/case/yaml_tree.hpp>
#include <string_view>

namespace relapse {

/// Replaces the text of every expression and step of a whole case by its canonical spelling.
void spell_expressions(YamlNode& root);

}  // namespace relapse
