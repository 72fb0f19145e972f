#pragma once

// The contract: clauses by name, relations, and which other runs must agree.

#include <harness/case/read_context.hpp>

namespace relapse {

enum class Side : bool { requires_, ensures };

void read_contract(ReadContext& context, const YamlNode& node, const Where& where, Contract& target);
void read_side(ReadContext& context, const YamlNode& node, const Where& where, Side side,
               ContractSide& target);
/// One name's clauses, `except`, `nan` and `compare`.
void read_name_contract(ReadContext& context, const YamlNode& node, const Where& where, Side side,
                        NameContract& target);
void read_compare(ReadContext& context, const YamlNode& node, const Where& where,
                  std::optional<Compare>& target);
void read_agrees(ReadContext& context, const YamlNode& node, const Where& where,
                 std::vector<Agreement>& target);

Level contract_level();
Level clauses_level();
Level sums_to_level();
Level range_level();
Level distinct_level();
Level compare_level();
Level agreement_level();
Level agrees_level();
Level log_level();

}  // namespace relapse
