#include <harness/case/check_symbols.hpp>

namespace relapse {

namespace {

/// Names that a step reads before any step has written them: inputs, even where a later step binds them anew.
NameSet read_before_written(const Subject& subject) {
  NameSet read, written;
  for (const Step& step : subject.steps) {
    for (std::string& name : names_in(*step.expr)) {
      if (written.count(name) == 0) read.insert(std::move(name));
    }
    written.insert(step.targets.begin(), step.targets.end());
  }
  return read;
}

void collect_results(const Subject& subject, Symbols& symbols) {
  for (const Step& step : subject.steps) {
    for (const std::string& name : step.targets) {
      if (name != "_") symbols.results.insert(name);
    }
    symbols.has_backward = symbols.has_backward || step.builtin == Builtin::backward;
  }
  const auto add = [&](const std::vector<std::string>& outputs) {
    for (const std::string& name : outputs) {
      if (name.ends_with(".grad")) symbols.has_backward = true;
      if (!name.ends_with(".grad")) symbols.results.insert(name);
    }
  };
  add(subject.outputs);
  for (const PythonCall& call : subject.calls) add(call.outputs);
}

/// Bare names of shapes bind an extent where nothing else gave them a value.
void collect_shape_dims(const ContractSide& side, Symbols& symbols) {
  for (const NameContract& contract : side.names) {
    for (const Clause& clause : contract.clauses) {
      for (const std::vector<ExprPtr>& shape : clause.shapes) {
        for (const ExprPtr& extent : shape) {
          if (extent->kind == ExprKind::name && !symbols.is_bound(extent->text))
            symbols.dims.insert(extent->text);
        }
      }
    }
  }
}

void collect_asked_dtypes(const ContractSide& side, Symbols& symbols) {
  for (const NameContract& contract : side.names) {
    for (const Clause& clause : contract.clauses) {
      for (const DTypeRef& ref : clause.dtypes) {
        if (!ref.dtype) symbols.dtypes_asked.insert(ref.symbol);
      }
    }
  }
}

void collect_forms(const std::vector<NamedInput>& inputs, const NameSet& read, Symbols& symbols) {
  for (const NamedInput& input : inputs) {
    if (symbols.results.count(input.name) == 0 || read.count(input.name) > 0)
      symbols.inputs.insert(input.name);
    if (input.form.requires_grad.value_or(false)) symbols.gradients.insert(input.name);
  }
}

}  // namespace

Symbols collect_symbols(const Case& target) {
  Symbols symbols;
  collect_results(target.subject, symbols);
  const NameSet read = read_before_written(target.subject);
  for (const NameContract& contract : target.contract.requires_.names) {
    // An input that a step writes in place or binds anew is both; a form or the contract makes it an input
    // first.
    if (symbols.results.count(contract.name) == 0) symbols.inputs.insert(contract.name);
    for (const Clause& clause : contract.clauses) {
      if (clause.kind == ClauseKind::requires_grad && clause.flag) symbols.gradients.insert(contract.name);
    }
  }
  collect_forms(target.inputs, read, symbols);
  for (const DimValue& dim : target.dims) symbols.dims.insert(dim.name);
  for (const DTypeValue& dtype : target.dtypes) symbols.dtypes.insert(dtype.name);
  collect_asked_dtypes(target.contract.requires_, symbols);
  collect_asked_dtypes(target.contract.ensures, symbols);
  for_each_scenario(target, [&](const Scenario& scenario) {
    collect_forms(scenario.inputs, read, symbols);
    collect_asked_dtypes(scenario.ensures, symbols);
    for (const DTypeValue& dtype : scenario.dtypes) symbols.dtypes.insert(dtype.name);
  });
  for (const Batch& batch : target.batches) {
    for (const auto& [name, values] : batch.dtype_lists) symbols.dtypes.insert(name);
  }
  // Last, so that no name of something else is taken for a dim.
  collect_shape_dims(target.contract.requires_, symbols);
  collect_shape_dims(target.contract.ensures, symbols);
  for_each_scenario(target, [&](const Scenario& scenario) { collect_shape_dims(scenario.ensures, symbols); });
  return symbols;
}

void for_each_scenario(Case& target, const std::function<void(Scenario&)>& visit) {
  for (Failing& failing : target.failing) visit(failing.scenario);
  for (Scenario& corrected : target.corrected) visit(corrected);
  for (Batch& batch : target.batches) visit(batch.scenario);
}

void for_each_scenario(const Case& target, const std::function<void(const Scenario&)>& visit) {
  for (const Failing& failing : target.failing) visit(failing.scenario);
  for (const Scenario& corrected : target.corrected) visit(corrected);
  for (const Batch& batch : target.batches) visit(batch.scenario);
}

std::string_view without_grad(std::string_view name) {
  if (name.ends_with(".grad")) name.remove_suffix(5);
  return name;
}

std::vector<std::string> to_vector(const NameSet& names) {
  return {names.begin(), names.end()};
}

}  // namespace relapse
