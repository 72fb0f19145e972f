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

/// Walks the inputs depth first; a name met again on its own path closes a cycle. Without recursion: a chain
/// may be as long as a file has inputs.
class CycleFinder {
 public:
  using Forms = std::map<std::string_view, const NamedInput*>;

  CycleFinder(ReadContext& context, const Case& target) : context_(context) {
    for (const NamedInput& input : target.inputs) defaults_[input.name] = &input;
  }

  void run() { run_from(defaults_, {}); }
  /// A cycle that is not among the defaults goes through an input of the scenario.
  void run(const Scenario& scenario) {
    Forms own;
    for (const NamedInput& input : scenario.inputs) own[input.name] = &input;
    run_from(own, own);
  }

 private:
  struct Visit {
    const NamedInput* input;
    std::vector<std::string> needed;
    std::size_t next = 0;
  };

  void run_from(const Forms& starts, const Forms& own) {
    states_.clear();
    for (const auto& [name, input] : starts) walk(*input, own);
  }

  const NamedInput* find(const Forms& own, std::string_view name) const {
    for (const Forms* forms : {&own, &defaults_}) {
      const auto found = forms->find(name);
      if (found != forms->end()) return found->second;
    }
    return nullptr;
  }

  void walk(const NamedInput& start, const Forms& own) {
    if (states_.count(start.name) > 0) return;
    std::vector<Visit> path;
    const auto enter = [&](const NamedInput& input) {
      states_[input.name] = State::on_path;
      path.push_back({&input, needed_inputs(input.form)});
    };
    enter(start);
    while (!path.empty()) {
      Visit& last = path.back();
      if (last.next == last.needed.size()) {
        states_[last.input->name] = State::done;
        path.pop_back();
        continue;
      }
      const NamedInput* next = find(own, last.needed[last.next++]);
      if (next == nullptr) continue;
      const auto state = states_.find(next->name);
      if (state == states_.end()) {
        enter(*next);
      } else if (state->second == State::on_path) {
        report(path, *next);
      }
    }
  }

  void report(const std::vector<Visit>& path, const NamedInput& again) {
    constexpr std::size_t kMostShown = 8;
    const auto first =
        std::find_if(path.begin(), path.end(), [&](const Visit& v) { return v.input == &again; });
    std::vector<std::string> cycle;
    for (auto at = first; at != path.end() && cycle.size() < kMostShown; ++at)
      cycle.push_back(at->input->name);
    if (static_cast<std::size_t>(path.end() - first) > kMostShown) cycle.emplace_back("...");
    cycle.push_back(again.name);
    context_.error(
        again.form.pos, 1,
        fmt::format("the input {} is computed from itself: {}", quoted(again.name), join(cycle, " from ")));
  }

  enum class State : bool { on_path, done };
  ReadContext& context_;
  Forms defaults_;
  std::map<std::string_view, State> states_;
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
  CycleFinder finder(context, target);
  finder.run();
  for_each_scenario(target, [&](const Scenario& scenario) { finder.run(scenario); });
}

}  // namespace relapse
