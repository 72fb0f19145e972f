#include <fmt/format.h>

#include <algorithm>
#include <harness/contract/side.hpp>
#include <harness/device/errors.hpp>
#include <harness/operator/eval_error.hpp>
#include <harness/operator/evaluate.hpp>
#include <harness/support/text.hpp>
#include <harness/tensor/facts.hpp>

namespace relapse {
namespace {

/// One line of the side: a clause of a name, or a relation.
struct Item {
  SourcePos pos;
  const NameContract* contract = nullptr;
  const Clause* clause = nullptr;
  const Relation* relation = nullptr;
};

std::vector<Item> in_file_order(const ContractSide& side) {
  std::vector<Item> items;
  for (const NameContract& contract : side.names) {
    for (const Clause& clause : contract.clauses) items.push_back({clause.pos, &contract, &clause, nullptr});
  }
  for (const Relation& relation : side.where) items.push_back({relation.pos, nullptr, nullptr, &relation});
  std::stable_sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.pos < b.pos; });
  return items;
}

Breach breach_of(const Item& item, const ClauseResult& result) {
  Breach breach;
  breach.pos = item.pos;
  breach.seen = result.seen;
  breach.details = result.details;
  breach.picture = result.picture;
  if (item.relation) {
    breach.clause = "where." + item.relation->label;
    breach.promised = breach.clause + ": " + item.relation->text;
    return breach;
  }
  breach.clause = item.contract->name + "." + std::string(to_string(item.clause->kind));
  breach.promised = breach.clause + ": " + item.clause->text;
  if (!result.value.empty() && result.value != item.clause->text) breach.promised += " = " + result.value;
  return breach;
}

ClauseResult check_relation(const Relation& relation, const Scope& scope) {
  try {
    const RelationResult found = evaluate_relation(*relation.expr, scope);
    if (found.holds) return holds();
    if (found.first_false < 0 || found.shape.empty()) return broken("it is false");
    return broken(fmt::format("false at {} ({} of {} elements)", index_text(found.shape, found.first_false),
                              with_thousands(found.false_count), with_thousands(found.total)));
  } catch (const EvalError&) {
    throw;
  } catch (...) {
    const Raised raised = classify(std::current_exception());
    return broken(
        fmt::format("the relation raised {}: {}", to_string(raised.error), relapse::quoted(raised.text)));
  }
}

/// What a bound or a sum throws is the case's mistake: in guard() it must never pass for an error of the
/// subject. A lost device is nobody's mistake and goes on.
ClauseResult check_clause(const Item& item, const Value& value, ClauseContext& context) {
  try {
    return check_of(item.clause->kind)(*item.clause, *item.contract, value, context);
  } catch (const EvalError&) {
    throw;
  } catch (...) {
    const Raised raised = classify(std::current_exception());
    if (raised.code) throw;
    throw EvalError(
        fmt::format("{}.{} cannot be evaluated, {}: {}", item.contract->name, to_string(item.clause->kind),
                    to_string(raised.error), relapse::quoted(raised.text)),
        item.pos);
  }
}

/// `float64` in `x.to(float64)` is read like a name but stands for itself.
bool stands_for_itself(const std::string& name) {
  return dtype_from(name) || memory_format_from(name);
}

/// A relation belongs to guard(a, b) when every tensor that it reads is named.
bool reads_only(const Relation& relation, const std::set<std::string>& names, const SideContext& context) {
  for (const std::string& name : names_in(*relation.expr)) {
    const Value* value = context.find(name);
    const bool is_symbol = !value && (context.symbols->dim(name) || context.symbols->dtypes.count(name));
    if (is_symbol || stands_for_itself(name) || (value && value->is_number())) continue;
    if (!names.count(name)) return false;
  }
  return true;
}

bool reads_unbound(const Relation& relation, const SideContext& context) {
  for (const std::string& name : names_in(*relation.expr)) {
    if (stands_for_itself(name)) continue;
    if (!context.find(name) && !context.symbols->dim(name) && !context.symbols->dtypes.count(name))
      return true;
  }
  return false;
}

bool counts(const Item& item, const SideContext& context, const SideFilter& filter) {
  if (item.relation) {
    if (filter.only_unchanged) return false;
    if (filter.skip_unbound && reads_unbound(*item.relation, context)) return false;
    return filter.names.empty() || reads_only(*item.relation, filter.names, context);
  }
  if (filter.only_unchanged && item.clause->kind != ClauseKind::unchanged) return false;
  if (!filter.names.empty() && !filter.names.count(item.contract->name)) return false;
  return !filter.skip_unbound || context.find(item.contract->name) != nullptr;
}

}  // namespace

SideResult check_side(const ContractSide& side, const SideContext& context, const SideFilter& filter,
                      Stop stop) {
  SideResult result;
  for (const Item& item : in_file_order(side)) {
    if (!counts(item, context, filter)) continue;
    ++result.evaluated;
    ClauseResult found;
    if (item.relation) {
      found = check_relation(*item.relation, *context.scope);
    } else if (const Value* value = context.find(item.contract->name)) {
      ClauseContext clause_context;
      clause_context.scope = context.scope;
      clause_context.symbols = context.symbols;
      clause_context.before = context.before ? context.before(item.contract->name) : nullptr;
      clause_context.placed = context.placed ? context.placed(item.contract->name) : nullptr;
      clause_context.references = context.references;
      clause_context.folder = context.folder;
      found = check_clause(item, *value, clause_context);
    } else {
      found = broken(fmt::format("{} has no value", item.contract->name));
    }
    if (found.holds) continue;
    result.broken.push_back(breach_of(item, found));
    if (stop == Stop::at_first) break;
  }
  return result;
}

}  // namespace relapse
