#pragma once

#include <harness/case/read_context.hpp>

namespace relapse {

/// `lint: {unused-input: why, mutant loss.off: why}`: a rule, perhaps what it is about, and the reason.
void read_silences(ReadContext& context, const YamlNode& node, const Where& where,
                   std::vector<Silence>& target);

}  // namespace relapse
