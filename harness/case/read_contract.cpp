#include <fmt/format.h>

#include <harness/case/read_contract.hpp>
#include <harness/case/read_leaves.hpp>
#include <harness/support/text.hpp>

namespace relapse {

namespace {

constexpr std::array<Field<LogClause>, 2> kLogFields = {{
    {{"absent", {}, "texts", "parts that the output must not have"},
     [](auto& c, auto& n, auto& w, auto& log) { read_texts(c, n, w, log.absent); }},
    {{"present", {}, "texts", "parts that the output must have"},
     [](auto& c, auto& n, auto& w, auto& log) { read_texts(c, n, w, log.present); }},
}};

constexpr std::array<Field<Contract>, 3> kContractFields = {{
    {{"requires", Presence::needed, "side", "what holds before the subject"},
     [](auto& c, auto& n, auto& w, auto& contract) {
       read_side(c, n, w, Side::requires_, contract.requires_);
     }},
    {{"ensures", Presence::needed, "side", "what holds after it"},
     [](ReadContext& c, const YamlNode& n, const Where& w, Contract& contract) {
       read_side(c, n, w, Side::ensures, contract.ensures);
       // `log` stands among the names, since it looks at what all of the subject printed.
       const YamlNode* log = n.is_map() ? n.find("log") : nullptr;
       if (log == nullptr || log->is_broken()) return;
       contract.log.emplace();
       contract.log->pos = log->pos;
       read_fields(c, *log, Where{&w, "log"}, kLogFields, *contract.log);
       c.unsupported("`log`", log->pos);
     }},
    {{"agrees", {}, "agrees", "which other runs give the same results"},
     [](auto& c, auto& n, auto& w, auto& contract) { read_agrees(c, n, w, contract.agrees); }},
}};

void read_relations(ReadContext& context, const YamlNode& node, const Where& where,
                    std::vector<Relation>& target) {
  if (!expect_map(context, node, where)) return;
  for (std::size_t i = 0; i < node.entries(); ++i) {
    const YamlNode& value = node.value(i);
    if (!expect_plain_name(context, node.key(i), "a relation") || value.is_broken()) continue;
    Relation relation;
    relation.label = node.key(i).text;
    relation.pos = node.key(i).pos;
    relation.text = flow_text(value);
    relation.expr = read_expression(context, value, Where{&where, relation.label});
    target.push_back(std::move(relation));
  }
}

/// `x` or, in ensures, `x.grad`.
bool expect_contract_name(ReadContext& context, const YamlNode& key, Side side) {
  std::string_view name = key.text;
  if (side == Side::ensures && name.ends_with(".grad")) name.remove_suffix(5);
  if (!is_plain_name(name)) return expect_plain_name(context, key, "an input or a result");
  if (!is_reserved_name(name)) return true;
  context.error(key, quoted(name) + " is reserved and cannot be the name of an input or a result");
  return false;
}

}  // namespace

void read_contract(ReadContext& context, const YamlNode& node, const Where& where, Contract& target) {
  read_fields(context, node, where, kContractFields, target);
}

void read_side(ReadContext& context, const YamlNode& node, const Where& where, Side side,
               ContractSide& target) {
  if (!expect_map(context, node, where)) return context.lost().add_everything();
  for (std::size_t i = 0; i < node.entries(); ++i) {
    const YamlNode& key = node.key(i);
    const YamlNode& value = node.value(i);
    const Where inner{&where, key.text};
    if (value.is_broken()) {
      context.lost().add_name(key.text);
      continue;
    }
    if (key.text == "where") {
      read_relations(context, value, inner, target.where);
    } else if (key.text == "log" && where.text() == "contract.ensures") {
      continue;  // read by the contract itself
    } else if (key.text == "log") {
      context.error(key, "log can only stand in contract.ensures");
    } else if (expect_contract_name(context, key, side)) {
      NameContract name;
      name.name = key.text;
      name.pos = key.pos;
      read_name_contract(context, value, inner, side, name);
      target.names.push_back(std::move(name));
    }
  }
}

Level contract_level() {
  return level_of("contract", kContractFields);
}
Level log_level() {
  return level_of("log", kLogFields);
}

}  // namespace relapse
