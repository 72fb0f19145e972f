#pragma once

// Reading single values: words, texts, numbers, sizes, versions, expressions. Each reports what it refuses
// and leaves its target as it was then.

#include <harness/case/read_context.hpp>
#include <optional>

namespace relapse {

std::optional<std::string> read_text(ReadContext& context, const YamlNode& node, const Where& where);
/// Text for people: an unquoted ` #` would cut it, which YAML does not tell.
void read_prose(ReadContext& context, const YamlNode& node, const Where& where, std::string& target);
/// One text, or several in a list.
void read_texts(ReadContext& context, const YamlNode& node, const Where& where,
                std::vector<std::string>& target);
/// A list of texts only.
void read_text_list(ReadContext& context, const YamlNode& node, const Where& where,
                    std::vector<std::string>& target);

std::optional<bool> read_bool(ReadContext& context, const YamlNode& node, const Where& where);
std::optional<std::int64_t> read_integer(ReadContext& context, const YamlNode& node, const Where& where,
                                         std::int64_t lowest);
std::optional<std::uint64_t> read_seed(ReadContext& context, const YamlNode& node, const Where& where);
/// A number that is not negative.
std::optional<double> read_tolerance(ReadContext& context, const YamlNode& node, const Where& where);
/// `6GiB`, `512 MiB`, `100` (bytes).
std::optional<std::uint64_t> read_size(ReadContext& context, const YamlNode& node, const Where& where);
void read_version_range(ReadContext& context, const YamlNode& node, const Where& where, VersionRange& target);

/// The position in `words`, or nothing (reported).
std::optional<std::size_t> read_choice(ReadContext& context, const YamlNode& node, const Where& where,
                                       const std::vector<std::string>& words);

/// Null where it is none (reported). `skip`: characters before it, such as the `=` of a computed input.
ExprPtr read_expression(ReadContext& context, const YamlNode& node, const Where& where, int skip = 0);
std::optional<Step> read_step(ReadContext& context, const YamlNode& node, const Where& where);
/// Refuses a list of more steps than any case has; false then.
bool expect_few_steps(ReadContext& context, const YamlNode& node, const Where& where);
/// A list of expressions; a lone one counts as a list of one where `lone` allows.
enum class Lone : bool { refused, allowed };
std::optional<std::vector<ExprPtr>> read_expressions(ReadContext& context, const YamlNode& node,
                                                     const Where& where, Lone lone);

std::optional<DTypeRef> read_dtype_ref(ReadContext& context, const YamlNode& node, const Where& where);

/// Likewise, of what an input is made of: not every dtype can be made yet.
std::optional<DTypeRef> read_input_dtype(ReadContext& context, const YamlNode& node, const Where& where);
void note_input_dtype(ReadContext& context, DType dtype, SourcePos pos);

/// A plain name: letters, digits and _; reports what is none.
bool is_plain_name(std::string_view text);
bool expect_plain_name(ReadContext& context, const YamlNode& node, const std::string& what);

/// Words that name a kind of device.
const std::vector<std::string>& device_words();

}  // namespace relapse
