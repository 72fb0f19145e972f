#pragma once

// `set: [{at: [0, "2:5", -1], to: nan}]`: elements that are set after an input was made.

#include <harness/case/read_context.hpp>

namespace relapse {

void read_set(ReadContext& context, const YamlNode& node, const Where& where, std::vector<SetItem>& target);
Level set_item_level();

}  // namespace relapse
