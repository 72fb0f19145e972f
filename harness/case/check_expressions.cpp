#include <fmt/format.h>

#include <harness/case/check_expressions.hpp>
#include <harness/support/text.hpp>

namespace relapse {

namespace {

class CaseWalker {
 public:
  CaseWalker(ReadContext& context, const Symbols& symbols, NameResolver& resolver, Case& target)
      : context_(context), symbols_(symbols), resolver_(resolver), target_(target) {
    dims_.only_dims = true;
    inputs_.values = symbols.inputs;
    after_.values = symbols.inputs;
    after_.values.insert(symbols.results.begin(), symbols.results.end());
    after_.gradients = true;
  }

  void walk() {
    const Where dims{nullptr, "dims"};
    for (DimValue& dim : target_.dims) resolver_.resolve(dim.value, dims_, Where{&dims, dim.name});
    walk_inputs(target_.inputs, Where{nullptr, "inputs"});
    walk_subject(target_.subject, Where{nullptr, "subject"});
    if (target_.unfixed.kind == UnfixedKind::subject)
      walk_subject(target_.unfixed.subject, Where{nullptr, "unfixed"});
    walk_rebinds(target_.unfixed.rebind, Where{nullptr, "unfixed"});
    int number = 0;
    for (Mutant& mutant : target_.mutants) walk_rebinds(mutant.rebind, Where{nullptr, "mutant", ++number});
    const Where contract{nullptr, "contract"};
    walk_side(target_.contract.requires_, Where{&contract, "requires"});
    walk_side(target_.contract.ensures, Where{&contract, "ensures"});
    for_each_scenario(target_, [&](Scenario& scenario) { walk_scenario(scenario); });
    for (Batch& batch : target_.batches) {
      const Where where{nullptr, batch.scenario.name};
      for (auto& [name, values] : batch.dim_lists) {
        for (DimValue& value : values) resolver_.resolve(value.value, dims_, Where{&where, name});
      }
    }
  }

 private:
  void walk_scenario(Scenario& scenario) {
    const Where where{nullptr, scenario.name};
    for (DimValue& dim : scenario.dims) resolver_.resolve(dim.value, dims_, Where{&where, dim.name});
    walk_inputs(scenario.inputs, Where{&where, "inputs"});
    walk_side(scenario.ensures, Where{&where, "ensures"});
  }

  void walk_inputs(std::vector<NamedInput>& inputs, const Where& where) {
    for (NamedInput& input : inputs) walk_form(input.form, inputs_, Where{&where, input.name});
  }

  /// `scope`: of a computed form; all else of a form is made of dims.
  void walk_form(InputForm& form, const NameScope& scope, const Where& where) {
    const bool is_value = form.source == InputSource::number;
    if (form.dtype) check_dtype(*form.dtype, where);
    resolver_.resolve(form.expr, is_value ? dims_ : scope, where);
    for (auto* exprs : {&form.shape, &form.strides, &form.expand}) {
      if (*exprs) resolver_.resolve_all(**exprs, dims_, where);
    }
    resolver_.resolve(form.offset, dims_, where);
    Random& random = form.random;
    for (ExprPtr* expr : {&random.mean, &random.std, &random.low, &random.high, &random.p, &random.seed}) {
      resolver_.resolve(*expr, dims_, where);
    }
    for (Scalar& scalar : form.values.flat) walk_scalar(scalar, where);
    if (form.full) walk_scalar(*form.full, where);
    for (SetItem& item : form.set) walk_scalar(item.to, where);
    for (InputForm& item : form.list) walk_form(item, scope, where);
    walk_shared(form.indices, scope, where);
    walk_shared(form.content, scope, where);
    if (!form.storage.empty()) resolver_.note_read(form.storage);
  }

  void walk_scalar(Scalar& scalar, const Where& where) {
    if (ExprPtr* expr = std::get_if<ExprPtr>(&scalar)) resolver_.resolve(*expr, dims_, where);
  }

  void walk_shared(std::shared_ptr<const InputForm>& form, const NameScope& scope, const Where& where) {
    if (form == nullptr) return;
    auto copy = std::make_shared<InputForm>(*form);
    walk_form(*copy, scope, where);
    form = std::move(copy);
  }

  void check_dtype(const DTypeRef& ref, const Where& where) {
    if (ref.dtype || symbols_.dtypes.count(ref.symbol) > 0) return;
    std::vector<std::string> known = to_vector(symbols_.dtypes);
    known.insert(known.end(), dtype_names().begin(), dtype_names().end());
    context_.error(ref.pos, static_cast<int>(ref.symbol.size()),
                   fmt::format("{}: unknown dtype {}{}", where.text(), quoted(ref.symbol),
                               did_you_mean(ref.symbol, known)));
  }

  void walk_subject(Subject& subject, const Where& where) {
    NameScope scope = inputs_;
    for (Step& step : subject.steps) {
      const Where inner{&where, "step", step.number};
      walk_step(step, scope, inner);
      check_step(context_, symbols_, target_, step, inner);
    }
    // Arguments of other subjects: a bare name is an input, handed over as it is.
    const auto walk_args = [&](std::vector<SubjectArg>& args) {
      for (SubjectArg& arg : args) {
        NameScope names = inputs_;
        if (arg.form.source == InputSource::number) {
          resolver_.resolve(arg.form.expr, names, where);
        } else {
          walk_form(arg.form, names, where);
        }
      }
    };
    walk_args(subject.args);
    walk_args(subject.init);
    for (PythonCall& call : subject.calls) walk_args(call.args);
  }

  /// What the step binds is in scope behind it.
  void walk_step(Step& step, NameScope& scope, const Where& where) {
    if (step.builtin == Builtin::none) {
      resolver_.resolve(step.expr, scope, where);
    } else {
      auto call = std::make_shared<Expr>(*step.expr);
      resolver_.resolve_all(call->args, scope, where);
      for (auto& [key, value] : call->kwargs) resolver_.resolve(value, scope, where);
      step.expr = std::move(call);
    }
    scope.gradients = scope.gradients || step.builtin == Builtin::backward;
    for (const std::string& name : step.targets) {
      if (name != "_") scope.values.insert(name);
    }
  }

  /// A name is rebound behind the last step that writes it, so later results are not there yet.
  void walk_rebinds(std::vector<Rebinding>& rebinds, const Where& where) {
    for (Rebinding& rebind : rebinds) {
      NameScope scope = inputs_;
      std::size_t last = 0;
      const std::vector<Step>& steps = target_.subject.steps;
      const bool gradient = rebind.name.ends_with(".grad");
      for (std::size_t i = 0; i < steps.size(); ++i) {
        const std::vector<std::string>& names = steps[i].targets;
        const bool writes = std::find(names.begin(), names.end(), rebind.name) != names.end();
        if (writes || (gradient && steps[i].builtin == Builtin::backward)) last = i + 1;
      }
      const bool unknown = last == 0 && symbols_.inputs.count(without_grad(rebind.name)) == 0;
      if (unknown) scope = after_;  // reported elsewhere
      for (std::size_t i = 0; i < last; ++i) {
        scope.values.insert(steps[i].targets.begin(), steps[i].targets.end());
        scope.gradients = scope.gradients || steps[i].builtin == Builtin::backward;
      }
      resolver_.resolve(rebind.expr, scope, Where{&where, rebind.name});
    }
  }

  void walk_side(ContractSide& side, const Where& where) {
    for (NameContract& contract : side.names) {
      const Where inner{&where, contract.name};
      for (Clause& clause : contract.clauses) walk_clause(clause, Where{&inner, to_string(clause.kind)});
      resolver_.resolve_all(contract.except, after_, Where{&inner, "except"});
    }
    const Where relations{&where, "where"};
    for (Relation& relation : side.where)
      resolver_.resolve(relation.expr, after_, Where{&relations, relation.label});
  }

  void walk_clause(Clause& clause, const Where& where) {
    for (const DTypeRef& ref : clause.dtypes) check_dtype(ref, where);
    for (std::vector<ExprPtr>& shape : clause.shapes) resolver_.resolve_all(shape, dims_, where);
    const bool integers = clause.kind == ClauseKind::rank || clause.kind == ClauseKind::numel ||
                          clause.kind == ClauseKind::strides;
    resolver_.resolve_all(clause.values, integers ? dims_ : after_, where);
    resolver_.resolve(clause.at_least, dims_, where);
    resolver_.resolve(clause.at_most, dims_, where);
    resolver_.resolve(clause.sum, after_, where);
    resolver_.resolve(clause.sum_dim, dims_, where);
    walk_shared(clause.expected, after_, where);
    NameScope scope = after_;
    for (Step& step : clause.reference) walk_step(step, scope, where);
    for (const Step& step : clause.reference) {
      if (step.builtin == Builtin::guard)
        context_.error(step.pos, 5, where.text() + ": guard() has no meaning in a reference");
    }
  }

  ReadContext& context_;
  const Symbols& symbols_;
  NameResolver& resolver_;
  Case& target_;
  NameScope dims_, inputs_, after_;
};

}  // namespace

void check_expressions(ReadContext& context, const Symbols& symbols, NameResolver& resolver, Case& target) {
  CaseWalker(context, symbols, resolver, target).walk();
}

}  // namespace relapse
