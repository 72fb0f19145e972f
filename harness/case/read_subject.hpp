#pragma once

// The code under contract, the code before the fix, and plausible wrong fixes.

#include <harness/case/read_context.hpp>

namespace relapse {

void read_subject(ReadContext& context, const YamlNode& node, const Where& where, Subject& target);
void read_unfixed(ReadContext& context, const YamlNode& node, const Where& where, Unfixed& target);
void read_mutants(ReadContext& context, const YamlNode& node, const Where& where,
                  std::vector<Mutant>& target);

Level python_level();
Level python_call_level();
Level command_level();
Level script_level();
Level package_level();
Level unfixed_libraries_level();
Level unfixed_none_level();
Level mutant_level();

}  // namespace relapse
