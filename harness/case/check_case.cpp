#include <harness/case/check_case.hpp>
#include <harness/case/check_clauses.hpp>
#include <harness/case/check_expressions.hpp>
#include <harness/case/check_inputs.hpp>

namespace relapse {

void check_case(ReadContext& context, const YamlNode& root, Case& target) {
  const Symbols symbols = collect_symbols(target);
  NameResolver resolver(context, symbols);
  check_expressions(context, symbols, resolver, target);
  check_bound_names(context, symbols, target);
  check_references(context, symbols, target);
  check_scenario_names(context, symbols, resolver.read_names(), target);
  check_parts(context, root, target);
  check_cycles(context, target);
  check_extents(context, target);
}

}  // namespace relapse
