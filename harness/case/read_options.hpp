#pragma once

// What surrounds a case: the incident, what it needs, its limits, how it runs, its labels.

#include <harness/case/read_context.hpp>

namespace relapse {

void read_incident(ReadContext& context, const YamlNode& node, const Where& where, Incident& target);
void read_labels(ReadContext& context, const YamlNode& node, const Where& where,
                 std::vector<std::string>& target);
void read_needs(ReadContext& context, const YamlNode& node, const Where& where, Needs& target);
void read_limits(ReadContext& context, const YamlNode& node, const Where& where, Limits& target);
void read_run(ReadContext& context, const YamlNode& node, const Where& where, RunOptions& target);
void read_boundaries(ReadContext& context, const YamlNode& node, const Where& where, Case& target);

Level incident_level();
Level needs_level();
Level limits_level();
Level run_level();

}  // namespace relapse
