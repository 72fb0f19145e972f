#include <harness/case/check_case.hpp>
#include <harness/case/check_clauses.hpp>
#include <harness/case/check_expressions.hpp>
#include <harness/case/check_inputs.hpp>

namespace relapse {

void check_case(ReadContext& context, const YamlNode& root, Case& target) {
  // Without one of these the rest of the file has names that nothing seems to bind.
  const YamlNode* contract = root.find("contract");
  const bool complete = root.find("subject") != nullptr && contract != nullptr &&
                        contract->find("requires") != nullptr && contract->find("ensures") != nullptr;
  if (!complete) context.lost().add_everything();
  const Symbols symbols = collect_symbols(target);
  NameResolver resolver(context, symbols);
  check_expressions(context, symbols, resolver, target);
  check_bound_names(context, symbols, target);
  check_references(context, symbols, target);
  check_scenario_names(context, symbols, resolver.read_names(), target);
  check_parts(context, root, target);
  check_cycles(context, target);
  check_extents(context, symbols, target);
}

}  // namespace relapse
