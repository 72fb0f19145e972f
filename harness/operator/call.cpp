#include <ATen/core/jit_type.h>
#include <fmt/format.h>

#include <algorithm>
#include <harness/operator/arguments.hpp>
#include <harness/operator/call.hpp>
#include <harness/operator/eval_error.hpp>
#include <harness/operator/operator_table.hpp>

namespace relapse {
namespace {

struct Fit {
  std::vector<c10::IValue> stack;
  int defaulted = 0;
};

bool has_out_argument(const c10::FunctionSchema& schema) {
  return std::any_of(schema.arguments().begin(), schema.arguments().end(),
                     [](const c10::Argument& argument) { return argument.is_out(); });
}

const Value* keyword(const Arguments& arguments, const std::string& name) {
  for (const auto& [key, value] : arguments.keywords) {
    if (key == name) return &value;
  }
  return nullptr;
}

/// Fits the arguments to one schema, or says why they do not fit. Surplus positional values never flow into
/// keyword-only arguments (LibTorch's own normalisation lets them: `arange(0, 5)` would take 5 for a dtype).
bool fit(const c10::FunctionSchema& schema, const Arguments& given, Fit& out, std::string& why) {
  const std::vector<c10::Argument>& arguments = schema.arguments();
  std::size_t positions = 0;
  for (const c10::Argument& argument : arguments) positions += argument.kwarg_only() ? 0 : 1;
  if (given.positional.size() > positions) {
    why = fmt::format("takes at most {} positional arguments, got {}", positions, given.positional.size());
    return false;
  }
  for (const auto& [key, value] : given.keywords) {
    const auto found =
        std::find_if(arguments.begin(), arguments.end(),
                     [&key = key](const c10::Argument& argument) { return argument.name() == key; });
    if (found == arguments.end()) {
      why = fmt::format("has no argument {}", key);
      return false;
    }
    if (static_cast<std::size_t>(found - arguments.begin()) < given.positional.size()) {
      why = fmt::format("got {} twice", key);
      return false;
    }
  }
  out.stack.reserve(arguments.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const c10::Argument& argument = arguments[i];
    const Value* value = i < given.positional.size() ? &given.positional[i] : keyword(given, argument.name());
    if (!value) {
      if (!argument.default_value()) {
        why = fmt::format("needs {}", argument.name());
        return false;
      }
      out.stack.push_back(*argument.default_value());
      ++out.defaulted;
      continue;
    }
    c10::IValue converted;
    if (!convert_argument(*value, argument, converted, why)) return false;
    out.stack.push_back(std::move(converted));
  }
  return true;
}

bool takes_tensor(const std::vector<c10::IValue>& stack) {
  return std::any_of(stack.begin(), stack.end(),
                     [](const c10::IValue& value) { return value.isTensor() || value.isTensorList(); });
}

void place_on_device(const c10::FunctionSchema& schema, c10::Device device, std::vector<c10::IValue>& stack) {
  if (device.is_cpu() || takes_tensor(stack)) return;
  for (std::size_t i = 0; i < schema.arguments().size(); ++i) {
    if (schema.arguments()[i].name() == "device" && stack[i].isNone()) stack[i] = device;
  }
}

std::vector<Value> invoke(const c10::OperatorHandle& handle, std::vector<c10::IValue> stack,
                          c10::Device device) {
  place_on_device(handle.schema(), device, stack);
  handle.callBoxed(&stack);
  std::vector<Value> results;
  results.reserve(stack.size());
  for (const c10::IValue& value : stack) results.push_back(value_of(value));
  return results;
}

/// FNV over the kinds of values: two calls at one place with equal kinds choose the same overload.
void mix_kind(const Value& value, std::uint64_t& hash) {
  hash = (hash ^ value.held.index()) * 1099511628211ull;
  if (const auto* list = std::get_if<ValueList>(&value.held)) {
    for (const Value& entry : *list) mix_kind(entry, hash);
    hash = (hash ^ 0xff) * 1099511628211ull;
  }
}

[[noreturn]] void fail_unknown(const OperatorRef& op, SourcePos pos) {
  const std::vector<std::string> near = OperatorTable::installed().nearest(op.qualified);
  throw EvalError(fmt::format("unknown operator {}{}", op.qualified,
                              near.empty() ? "" : fmt::format("; did you mean \"{}\"?", near.front())),
                  pos);
}

std::string written(const OperatorRef& op) {
  return op.has_overload ? op.qualified + "." + op.overload : op.qualified;
}

[[noreturn]] void fail_unfit(const OperatorRef& op, const std::vector<std::string>& reasons, SourcePos pos) {
  std::string message = fmt::format("no overload of {} fits: ", op.qualified);
  if (reasons.size() == 1) message = fmt::format("{} does not fit: ", written(op));
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    if (i > 0) message += "; ";
    if (i == 6) {
      message += fmt::format("and {} more (relapse show {})", reasons.size() - i, op.qualified);
      break;
    }
    message += reasons[i];
  }
  throw EvalError(message, pos);
}

bool only_plain = false;

/// Operators of aten that reach beyond their arguments: files (from_file), memory of other processes.
constexpr std::string_view kReachOut[] = {"aten::from_file", "aten::_share_memory",
                                          "aten::_new_shared_filename_cpu", "aten::_save_to_state",
                                          "aten::save"};

void refuse_if_not_plain(const OperatorRef& op, SourcePos pos) {
  if (!only_plain) return;
  const bool other = op.qualified.rfind("aten::", 0) != 0;
  const bool reaches =
      std::find(std::begin(kReachOut), std::end(kReachOut), op.qualified) != std::end(kReachOut);
  if (other || reaches) {
    throw EvalError(
        fmt::format("{} is refused by --data-only: {}", op.qualified,
                    other ? "only operators of aten are called" : "it reaches beyond its arguments"),
        pos);
  }
}

}  // namespace

OperatorRef parse_operator(std::string_view written_name) {
  OperatorRef op;
  std::string_view base = written_name;
  std::string_view space = "aten";
  if (const std::size_t colons = base.find("::"); colons != std::string_view::npos) {
    space = base.substr(0, colons);
    base = base.substr(colons + 2);
  }
  if (const std::size_t dot = base.find('.'); dot != std::string_view::npos) {
    op.overload = std::string(base.substr(dot + 1));
    op.has_overload = true;
    base = base.substr(0, dot);
  }
  op.qualified = fmt::format("{}::{}", space, base);
  return op;
}

void allow_only_plain_operators() {
  only_plain = true;
}

std::vector<Value> call_operator(const OperatorRef& op, const Arguments& arguments, c10::Device device,
                                 SourcePos pos, OverloadCache* cache, std::uint64_t place, bool may_write) {
  refuse_if_not_plain(op, pos);
  std::uint64_t key = place;
  if (cache) {
    for (const Value& value : arguments.positional) mix_kind(value, key);
    for (const auto& [name, value] : arguments.keywords) mix_kind(value, key);
    if (const auto found = cache->find(key); found != cache->end()) {
      Fit fitted;
      std::string why;
      if (fit(found->second.schema(), arguments, fitted, why))
        return invoke(found->second, std::move(fitted.stack), device);
    }
  }

  const std::vector<c10::OperatorHandle>& overloads = OperatorTable::installed().overloads(op.qualified);
  if (overloads.empty()) fail_unknown(op, pos);
  const c10::OperatorHandle* best = nullptr;
  Fit best_fit;
  std::vector<std::string> reasons;
  bool known_overload = false;
  for (const c10::OperatorHandle& handle : overloads) {
    const c10::FunctionSchema& schema = handle.schema();
    if (op.has_overload ? schema.overload_name() != op.overload : has_out_argument(schema)) continue;
    known_overload = true;
    Fit fitted;
    std::string why;
    if (!fit(schema, arguments, fitted, why)) {
      const std::string label = schema.overload_name().empty() ? "" : "." + schema.overload_name() + " ";
      reasons.push_back(overloads.size() > 1 && !op.has_overload ? label + why : why);
      continue;
    }
    if (!best || fitted.defaulted < best_fit.defaulted) {
      best = &handle;
      best_fit = std::move(fitted);
    }
  }
  if (!known_overload && op.has_overload) {
    std::vector<std::string> names;
    for (const c10::OperatorHandle& handle : overloads)
      names.push_back("\"" + handle.schema().overload_name() + "\"");
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
    throw EvalError(fmt::format("{} has no overload \"{}\"; it has {}", op.qualified, op.overload, list),
                    pos);
  }
  if (!best) fail_unfit(op, reasons, pos);
  if (!may_write && best->schema().is_mutable()) {
    throw EvalError(fmt::format("{} writes to its arguments; only steps of the subject may", written(op)),
                    pos);
  }
  if (cache) cache->insert_or_assign(key, *best);
  return invoke(*best, std::move(best_fit.stack), device);
}

}  // namespace relapse
