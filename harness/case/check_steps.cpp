#include <fmt/format.h>

#include <harness/case/check_expressions.hpp>
#include <harness/support/text.hpp>

namespace relapse {

namespace {

bool is_name_argument(const ExprPtr& arg) {
  return arg->kind == ExprKind::name;
}

/// What is wrong with a built-in step's arguments and results, or nothing.
std::string builtin_mistake(const Step& step, const Case& target) {
  const std::vector<ExprPtr>& args = step.expr->args;
  const std::size_t results = step.targets.size();
  if (!step.expr->kwargs.empty()) return "takes no arguments by name";
  switch (step.builtin) {
    case Builtin::guard:
      if (results > 0) return "gives no result";
      for (const ExprPtr& arg : args) {
        if (!is_name_argument(arg)) return "takes names of the contract's requires";
        if (target.contract.requires_.find(arg->text) == nullptr) {
          return fmt::format("checks {}, of which requires says nothing", quoted(arg->text));
        }
      }
      return "";
    case Builtin::backward:
      if (results > 0) return "gives no result: the gradients are x.grad";
      return args.size() == 1 || args.size() == 2
                 ? ""
                 : "takes what to differentiate, and its gradient unless it is a scalar";
    case Builtin::data:
      return args.size() == 1 && results == 1 ? "" : "takes one tensor and gives one: y = data(x)";
    case Builtin::seed:
      if (results > 0) return "gives no result";
      return args.size() == 1 ? "" : "takes one integer";
    case Builtin::synchronize:
      if (results > 0) return "gives no result";
      return args.empty() ? "" : "takes nothing";
    case Builtin::none:
      return "";
  }
  return "";
}

}  // namespace

void check_step(ReadContext& context, const Symbols& symbols, const Case& target, const Step& step,
                const Where& where) {
  std::size_t from = 0;
  for (const std::string& name : step.targets) {
    const std::size_t at = step.text.find(name, from);
    from = at + name.size();
    const SourcePos pos{step.pos.line, step.pos.column + static_cast<int>(at)};
    const auto refuse = [&](const std::string& why) {
      context.error(pos, static_cast<int>(name.size()),
                    fmt::format("{}: {} {}", where.text(), quoted(name), why));
    };
    if (name == "_") continue;
    if (is_reserved_name(name) || is_reserved_for_results(name)) {
      refuse("is reserved and cannot be the name of a result");
    } else if (symbols.dims.count(name) + symbols.dtypes.count(name) > 0) {
      refuse("is the name of a dim or dtype and cannot be the name of a result");
    }
  }
  if (step.builtin == Builtin::none) return;
  const std::string mistake = builtin_mistake(step, target);
  if (!mistake.empty()) {
    context.error(step.expr->pos, static_cast<int>(step.expr->text.size()),
                  fmt::format("{}: {}() {}", where.text(), step.expr->text, mistake));
  }
}

}  // namespace relapse
