#include <fmt/format.h>

#include <algorithm>
#include <harness/case/check_inputs.hpp>
#include <harness/support/text.hpp>
#include <map>

namespace relapse {

namespace {

void check_inputs(ReadContext& context, const Symbols& symbols, const NameSet& read_names, const Case& target,
                  const std::vector<NamedInput>& inputs, const Where& where) {
  NameSet known;
  for (const NameContract& contract : target.contract.requires_.names) known.insert(contract.name);
  for (const NamedInput& input : inputs) {
    if (known.count(input.name) + read_names.count(input.name) > 0) continue;
    if (context.lost().may_read(input.name)) continue;
    NameSet others = symbols.inputs;
    others.erase(input.name);
    context.error(input.pos, count_code_points(input.name),
                  fmt::format("{}: nothing reads an input called {}{}", where.text(), quoted(input.name),
                              did_you_mean(input.name, to_vector(others))));
  }
}

void check_symbol(ReadContext& context, const NameSet& known, const Where& where, std::string_view what,
                  const std::string& name, SourcePos pos, const std::vector<std::string>& also) {
  if (known.count(name) > 0) return;
  std::vector<std::string> candidates = to_vector(known);
  candidates.insert(candidates.end(), also.begin(), also.end());
  context.error(
      pos, count_code_points(name),
      fmt::format("{}: unknown {} {}{}", where.text(), what, quoted(name), did_you_mean(name, candidates)),
      "list it in the case's own, or use it in a clause");
}

NameSet dtypes_of_the_case(const Symbols& symbols, const Case& target) {
  NameSet known = symbols.dtypes_asked;
  for (const DTypeValue& dtype : target.dtypes) known.insert(dtype.name);
  return known;
}

/// What one form waits for.
std::vector<std::string> needed_inputs(const InputForm& form) {
  std::vector<std::string> needed;
  if (form.source == InputSource::computed && form.expr != nullptr) needed = names_in(*form.expr);
  if (!form.storage.empty()) needed.push_back(form.storage);
  for (const InputForm& item : form.list) {
    const std::vector<std::string> more = needed_inputs(item);
    needed.insert(needed.end(), more.begin(), more.end());
  }
  return needed;
}

/// Walks the inputs depth first; a name met again on its own path closes a cycle.
class CycleFinder {
 public:
  CycleFinder(ReadContext& context, const Case& target, const std::vector<NamedInput>& overlay)
      : context_(context) {
    for (const NamedInput& input : target.inputs) forms_[input.name] = &input;
    for (const NamedInput& input : overlay) forms_[input.name] = &input;
  }

  void run() {
    for (const auto& [name, input] : forms_) visit(name);
  }

 private:
  void visit(const std::string& name) {
    const auto form = forms_.find(name);
    if (form == forms_.end() || done_.count(name) > 0) return;
    const auto again = std::find(path_.begin(), path_.end(), name);
    if (again != path_.end()) {
      std::vector<std::string> cycle(again, path_.end());
      cycle.push_back(name);
      context_.error(
          form->second->form.pos, 1,
          fmt::format("the input {} is computed from itself: {}", quoted(name), join(cycle, " from ")));
      return;
    }
    path_.push_back(name);
    for (const std::string& needed : needed_inputs(form->second->form)) visit(needed);
    path_.pop_back();
    done_.insert(name);
  }

  ReadContext& context_;
  std::map<std::string, const NamedInput*> forms_;
  std::vector<std::string> path_;
  NameSet done_;
};

}  // namespace

void check_scenario_names(ReadContext& context, const Symbols& symbols, const NameSet& read_names,
                          const Case& target) {
  const NameSet& dims = symbols.dims;
  const NameSet dtypes = dtypes_of_the_case(symbols, target);
  // A command gets every input, whether or not the contract says something of it.
  const bool all_are_read = target.subject.kind == SubjectKind::command;
  if (!all_are_read)
    check_inputs(context, symbols, read_names, target, target.inputs, Where{nullptr, "inputs"});
  const auto check = [&](const Scenario& scenario, const std::vector<std::string>& also) {
    const Where where{nullptr, scenario.name};
    if (!all_are_read)
      check_inputs(context, symbols, read_names, target, scenario.inputs, Where{&where, "inputs"});
    for (const DimValue& dim : scenario.dims)
      check_symbol(context, dims, where, "dim", dim.name, dim.pos, also);
    for (const DTypeValue& dtype : scenario.dtypes) {
      check_symbol(context, dtypes, where, "dtype symbol", dtype.name, dtype.pos, also);
    }
  };
  for (const Failing& failing : target.failing) check(failing.scenario, {});
  for (const Scenario& corrected : target.corrected) check(corrected, {});
  for (const Batch& batch : target.batches) {
    const std::vector<std::string> keys = {"seed", "inputs", "ensures", "name", "needs"};
    check(batch.scenario, keys);
    const Where where{nullptr, batch.scenario.name};
    for (const auto& [name, values] : batch.dim_lists) {
      check_symbol(context, dims, where, "dim", name, values.front().pos, keys);
    }
    for (const auto& [name, values] : batch.dtype_lists) {
      check_symbol(context, dtypes, where, "dtype symbol", name, values.front().pos, keys);
    }
  }
}

void check_cycles(ReadContext& context, const Case& target) {
  CycleFinder(context, target, {}).run();
  for_each_scenario(target,
                    [&](const Scenario& scenario) { CycleFinder(context, target, scenario.inputs).run(); });
}

}  // namespace relapse
