#include <harness/case/check_symbols.hpp>
#include <harness/case/substance/walk.hpp>

namespace relapse {

namespace {

class Walker {
 public:
  explicit Walker(const VisitExpr& visit) : visit_(visit) {}

  void walk(const Case& target) {
    dims(target.dims);
    forms(target.inputs);
    subject(target.subject, ExprPlace::step, ExprPlace::argument);
    subject(target.unfixed.subject, ExprPlace::unfixed, ExprPlace::unfixed);
    rebinds(target.unfixed.rebind, ExprPlace::unfixed);
    side(target.contract.requires_, ExprPlace::requires_);
    side(target.contract.ensures, ExprPlace::ensures);
    for_each_scenario(target, [&](const Scenario& scenario) {
      dims(scenario.dims);
      forms(scenario.inputs);
      side(scenario.ensures, ExprPlace::ensures);
    });
    for (const Batch& batch : target.batches) {
      for (const auto& [name, values] : batch.dim_lists) dims(values);
    }
    for (const Mutant& mutant : target.mutants) rebinds(mutant.rebind, ExprPlace::mutant);
  }

 private:
  void see(const ExprPtr& expr, ExprPlace place, std::string_view owner) {
    if (expr != nullptr) visit_(place, owner, *expr);
  }
  void see_all(const std::vector<ExprPtr>& exprs, ExprPlace place, std::string_view owner) {
    for (const ExprPtr& expr : exprs) see(expr, place, owner);
  }

  void dims(const std::vector<DimValue>& dims) {
    for (const DimValue& dim : dims) see(dim.value, ExprPlace::dims, dim.name);
  }

  void forms(const std::vector<NamedInput>& inputs) {
    for (const NamedInput& input : inputs) form(input.form, ExprPlace::form, input.name);
  }

  void form(const InputForm& form, ExprPlace place, std::string_view owner) {
    see(form.expr, place, owner);
    for (const auto* exprs : {&form.shape, &form.strides, &form.expand}) {
      if (*exprs) see_all(**exprs, place, owner);
    }
    see(form.offset, place, owner);
    const Random& random = form.random;
    for (const ExprPtr& expr : {random.mean, random.std, random.low, random.high, random.p, random.seed})
      see(expr, place, owner);
    for (const Scalar& one : form.values.flat) scalar(one, place, owner);
    if (form.full) scalar(*form.full, place, owner);
    for (const SetItem& item : form.set) scalar(item.to, place, owner);
    for (const InputForm& item : form.list) this->form(item, place, owner);
    if (form.indices) this->form(*form.indices, place, owner);
    if (form.content) this->form(*form.content, place, owner);
  }

  void scalar(const Scalar& one, ExprPlace place, std::string_view owner) {
    if (const ExprPtr* expr = std::get_if<ExprPtr>(&one)) see(*expr, place, owner);
  }

  void subject(const Subject& subject, ExprPlace steps, ExprPlace arguments) {
    for (const Step& step : subject.steps) see(step.expr, steps, "");
    const auto all = [&](const std::vector<SubjectArg>& args) {
      for (const SubjectArg& arg : args) form(arg.form, arguments, "");
    };
    all(subject.args);
    all(subject.init);
    for (const PythonCall& call : subject.calls) all(call.args);
  }

  void rebinds(const std::vector<Rebinding>& rebinds, ExprPlace place) {
    for (const Rebinding& rebind : rebinds) see(rebind.expr, place, rebind.name);
  }

  void side(const ContractSide& side, ExprPlace place) {
    for (const NameContract& contract : side.names) {
      for (const Clause& clause : contract.clauses) this->clause(clause, place, contract.name);
      see_all(contract.except, place, contract.name);
    }
    for (const Relation& relation : side.where) see(relation.expr, place, "");
  }

  void clause(const Clause& clause, ExprPlace place, std::string_view owner) {
    for (const std::vector<ExprPtr>& shape : clause.shapes) see_all(shape, place, owner);
    see_all(clause.values, place, owner);
    for (const ExprPtr& expr : {clause.at_least, clause.at_most, clause.sum, clause.sum_dim})
      see(expr, place, owner);
    if (clause.expected) form(*clause.expected, place, owner);
    for (const Step& step : clause.reference) see(step.expr, place, owner);
  }

  const VisitExpr& visit_;
};

}  // namespace

void for_each_expr(const Case& target, const VisitExpr& visit) {
  Walker(visit).walk(target);
}

}  // namespace relapse
