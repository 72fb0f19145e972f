// Names that a case gives to something and then never uses.

#include <fmt/format.h>

#include <harness/case/substance/all_rules.hpp>
#include <harness/case/substance/walk.hpp>
#include <harness/support/text.hpp>

namespace relapse {

namespace {

bool is_guard(const Expr& expr) {
  return expr.kind == ExprKind::call && expr.text == "guard";
}

void add_storage(const InputForm& form, NameSet& read) {
  if (!form.storage.empty()) read.insert(form.storage);
  for (const InputForm& item : form.list) add_storage(item, read);
}

/// Names that something computes with: steps, arguments, relations, clauses of other names, forms of other
/// inputs. A guard only looks, and a clause about the name itself is no use of it.
NameSet names_in_use(const Case& target) {
  NameSet read;
  for_each_expr(target, [&](ExprPlace place, std::string_view owner, const Expr& expr) {
    if (place == ExprPlace::step && is_guard(expr)) return;
    for (std::string& name : names_in(expr)) {
      if (name != owner) read.insert(std::move(name));
    }
  });
  for (const NamedInput& input : target.inputs) add_storage(input.form, read);
  for_each_scenario(target, [&](const Scenario& scenario) {
    for (const NamedInput& input : scenario.inputs) add_storage(input.form, read);
  });
  return read;
}

/// Where the file first speaks of an input.
SourcePos first_place(const Case& target, const std::string& name) {
  if (const NameContract* contract = target.contract.requires_.find(name)) return contract->pos;
  for (const NamedInput& input : target.inputs) {
    if (input.name == name) return input.pos;
  }
  SourcePos pos;
  for_each_scenario(target, [&](const Scenario& scenario) {
    for (const NamedInput& input : scenario.inputs) {
      if (input.name == name && (pos == SourcePos{} || input.pos < pos)) pos = input.pos;
    }
  });
  return pos;
}

void check_inputs(const LintView& view, std::vector<LintFinding>& findings) {
  // A command gets every input as a file; what it reads of them is not written here.
  if (view.kase.subject.kind == SubjectKind::command) return;
  const NameSet read = names_in_use(view.kase);
  for (const std::string& name : view.symbols.inputs) {
    if (read.count(name) > 0) continue;
    findings.push_back({first_place(view.kase, name), count_code_points(name), name,
                        fmt::format("the input \"{}\" is made and checked, but nothing uses it", name),
                        "hand it to a step, or take it out"});
  }
}

}  // namespace

const LintRule kUnusedInput = {
    "unused-input", Severity::warning, "An input that no step, no relation and no other input uses.",
    R"md(Its clauses are checked and then nothing depends on it, so the case does not test what it seems to. Often a step was
meant to take it, or was renamed.

```yaml
# wrong: `mask` never reaches the operator
subject: [guard(), y = softmax(x, 1)]
contract:
  requires: {x: {dtype: float32, shape: [N, C]}, mask: {dtype: bool, shape: [N, C]}}

# right
subject: [guard(), "y = softmax(masked_fill(x, mask, -inf), 1)"]
```
)md",
    check_inputs};

}  // namespace relapse
