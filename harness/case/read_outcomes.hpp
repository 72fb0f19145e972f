#pragma once

// What a failing input did (`symptom`) and what must happen now (`expect`).

#include <harness/case/read_context.hpp>

namespace relapse {

using Symptoms = std::map<std::string, std::vector<Symptom>>;

void read_symptoms(ReadContext& context, const YamlNode& node, const Where& where, Symptoms& target);
void read_expectation(ReadContext& context, const YamlNode& node, const Where& where, Expectation& target);

Level symptom_level();
Level rejected_level();
Level raises_level();
Level any_of_level();

}  // namespace relapse
