#pragma once

// What the checks run on: failing, corrected, batches.

#include <harness/case/read_context.hpp>

namespace relapse {

void read_failing(ReadContext& context, const YamlNode& node, const Where& where,
                  std::vector<Failing>& target);
void read_corrected(ReadContext& context, const YamlNode& node, const Where& where,
                    std::vector<Scenario>& target);
void read_batches(ReadContext& context, const YamlNode& node, const Where& where, std::vector<Batch>& target);

Level failing_level();
Level corrected_level();
Level batch_level();

}  // namespace relapse
