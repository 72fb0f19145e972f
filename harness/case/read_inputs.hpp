#pragma once

// The forms of an input.

#include <harness/case/read_context.hpp>

namespace relapse {

/// What a lone number means: an argument that is not a tensor, or (in `equals`) a 0-d tensor.
enum class LoneNumber : bool { argument, tensor };

InputForm read_input_form(ReadContext& context, const YamlNode& node, const Where& where,
                          LoneNumber lone = LoneNumber::argument);
void read_inputs(ReadContext& context, const YamlNode& node, const Where& where,
                 std::vector<NamedInput>& target);

/// `{N: 4}` and `{F: float16}`.
void read_dims(ReadContext& context, const YamlNode& node, const Where& where, std::vector<DimValue>& target);
void read_dtypes(ReadContext& context, const YamlNode& node, const Where& where,
                 std::vector<DTypeValue>& target);

Level input_form_level();
Level text_form_level();

}  // namespace relapse
