#include <c10/core/GradMode.h>

#include <algorithm>
#include <harness/support/text.hpp>
#include <harness/tensor/exact.hpp>
#include <harness/tensor/inputs.hpp>
#include <harness/tensor/layout.hpp>
#include <harness/tensor/resolve.hpp>

namespace relapse {

namespace {

const InputForm kGenerated;

/// An input that is still to be made.
struct Pending {
  Input input;
  const InputForm* form = &kGenerated;
  const NameContract* clauses = nullptr;
  bool done = false;
};

const NamedInput* find_input(const std::vector<NamedInput>& inputs, std::string_view name) {
  for (const NamedInput& input : inputs) {
    if (input.name == name) return &input;
  }
  return nullptr;
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// `requires` may also speak of a result, for a later guard: a name that a step makes before any step reads
/// it.
bool is_step_result(const Subject& subject, std::string_view name) {
  if (subject.kind != SubjectKind::steps) return false;
  for (const Step& step : subject.steps) {
    if (step.expr && contains(names_in(*step.expr), name)) return false;
    if (contains(step.targets, name)) return true;
  }
  return false;
}

std::string folder_of(const std::string& file) {
  const std::size_t slash = file.rfind('/');
  return slash == std::string::npos ? std::string() : file.substr(0, slash);
}

class Maker {
 public:
  Maker(const Case& kase, const Scenario& scenario, const Evaluate& evaluate, Symbols symbols)
      : kase_(kase), scenario_(scenario), evaluate_(evaluate), symbols_(std::move(symbols)) {
    folder_ = folder_of(kase.file);
    list_names();
  }

  FormResult<Inputs> make() {
    // What must wait for another input, or for a dim that another input binds, is tried again after each
    // round in which something was made.
    for (bool progress = true; progress;) {
      progress = false;
      last_resort_ = false;
      for (Pending& pending : pending_) progress = try_to_make(pending) || progress;
      if (progress) continue;
      // Nothing binds the names that are still unknown: now their errors count.
      last_resort_ = true;
      for (Pending& pending : pending_) progress = try_to_make(pending) || progress;
    }
    if (error_) return tl::make_unexpected(*error_);
    for (const Pending& pending : pending_) {
      if (!pending.done) return circle(pending);
    }
    find_gaps();
    Inputs inputs;
    inputs.symbols = std::move(symbols_);
    for (Pending& pending : pending_) inputs.all.push_back(std::move(pending.input));
    return inputs;
  }

 private:
  void list_names() {
    for (const NameContract& contract : kase_.contract.requires_.names) {
      const bool given =
          find_input(scenario_.inputs, contract.name) || find_input(kase_.inputs, contract.name);
      if (given || !is_step_result(kase_.subject, contract.name)) add(contract.name, &contract);
    }
    for (const NamedInput& input : kase_.inputs) add(input.name, nullptr);
    for (const NamedInput& input : scenario_.inputs) add(input.name, nullptr);
  }

  void add(const std::string& name, const NameContract* contract) {
    if (find(name)) return;
    Pending pending;
    pending.input.name = name;
    pending.clauses = contract;
    const NamedInput* given = find_input(scenario_.inputs, name);
    if (!given) given = find_input(kase_.inputs, name);
    if (given) pending.form = &given->form;
    pending.input.pos = given ? given->pos : contract->pos;
    pending.input.on_host = stays_on_host(*pending.form, contract);
    has_computed_ = has_computed_ || pending.form->source == InputSource::computed;
    pending_.push_back(std::move(pending));
  }

  Pending* find(std::string_view name) {
    for (Pending& pending : pending_) {
      if (pending.input.name == name) return &pending;
    }
    return nullptr;
  }

  /// True when the input was made now. Keeps the first error of this round.
  bool try_to_make(Pending& pending) {
    if (pending.done) return false;
    if (waits(pending)) return false;
    FormContext context;
    context.name = pending.input.name;
    context.seed = scenario_.seed.value_or(0);
    context.clauses = pending.clauses;
    context.symbols = &symbols_;
    context.folder = folder_;
    FormResult<c10::IValue> value = value_of(pending, context);
    if (!value) {
      if (last_resort_ && !error_) error_ = value.error();
      return false;
    }
    pending.input.value = std::move(*value);
    pending.done = true;
    error_.reset();
    bind(pending);
    if (has_computed_) bound_.emplace(pending.input.name, pending.input.value);
    return true;
  }

  FormResult<c10::IValue> value_of(const Pending& pending, const FormContext& context) {
    switch (pending.form->source) {
      case InputSource::computed:
        return computed(*pending.form, context);
      case InputSource::storage:
        return storage_view(*pending.form, context);
      default:
        return make_form(*pending.form, context);
    }
  }

  /// The inputs that the form reads and that are not there yet, and names that an input may still bind.
  bool waits(const Pending& pending) {
    const InputForm& form = *pending.form;
    if (form.source == InputSource::storage) {
      const Pending* base = find(form.storage);
      return base && !base->done;
    }
    if (form.source != InputSource::computed) return false;
    for (const std::string& name : names_in(*form.expr)) {
      if (const Pending* input = find(name)) {
        if (!input->done) return true;
      } else if (!last_resort_ && !symbols_.dim(name) &&
                 symbols_.dtypes.find(name) == symbols_.dtypes.end()) {
        return true;
      }
    }
    return false;
  }

  FormResult<c10::IValue> computed(const InputForm& form, const FormContext& context) {
    std::string problem;
    try {
      const c10::NoGradGuard no_grad;
      const c10::IValue value = evaluate_(*form.expr, bound_, symbols_);
      if (!value.isTensor() || !value.toTensor().defined()) {
        return form_error(context, form.pos,
                          "`=" + to_string(*form.expr) + "` is no tensor; a number is written without `=`");
      }
      at::Tensor tensor = value.toTensor().detach();
      const auto dtype = form.dtype ? wanted_dtype(form, context) : std::optional<c10::ScalarType>();
      if (!dtype) return tl::make_unexpected(dtype.error());
      if (*dtype && **dtype != tensor.scalar_type()) tensor = tensor.to(**dtype);
      // Inputs share storage only where `storage` says so.
      if (shares_storage(tensor)) tensor = tensor.clone();
      FormResult<at::Tensor> placed = apply_layout(tensor, form, context);
      if (!placed) return tl::make_unexpected(placed.error());
      return c10::IValue(*placed);
    } catch (const c10::Error& error) {
      problem = error.what_without_backtrace();
    } catch (const std::exception& error) {
      problem = error.what();
    }
    return form_error(context, form.pos, "`=" + to_string(*form.expr) + "` cannot be computed: " + problem);
  }

  FormResult<c10::IValue> storage_view(const InputForm& form, const FormContext& context) {
    const Pending* base = find(form.storage);
    if (!base || !base->input.is_tensor()) {
      std::vector<std::string> names;
      for (const Pending& pending : pending_) names.push_back(pending.input.name);
      return form_error(context, form.pos,
                        "`storage` must name another input that is a tensor, got " +
                            relapse::quoted(form.storage) + did_you_mean(form.storage, names));
    }
    FormResult<at::Tensor> view = make_storage_view(base->input.value.toTensor(), form, context);
    if (!view) return tl::make_unexpected(view.error());
    return c10::IValue(*view);
  }

  bool shares_storage(const at::Tensor& tensor) const {
    if (!tensor.has_storage()) return false;
    for (const Pending& pending : pending_) {
      if (!pending.done || !pending.input.is_tensor()) continue;
      const at::Tensor& other = pending.input.value.toTensor();
      if (other.has_storage() && other.storage().is_alias_of(tensor.storage())) return true;
    }
    return false;
  }

  /// Dims that are not listed get their values from the shapes of the inputs, in order.
  void bind(const Pending& pending) {
    const Clause* clause = find_clause(pending.clauses, ClauseKind::shape);
    if (!clause || !pending.input.is_tensor()) return;
    const Extents sizes = pending.input.value.toTensor().sizes().vec();
    for (const std::vector<ExprPtr>& shape : clause->shapes) {
      const bool open = std::any_of(shape.begin(), shape.end(), [&](const ExprPtr& extent) {
        return extent->kind == ExprKind::name && !symbols_.dim(extent->text);
      });
      // An extent that differs is for the contract's `shape` clause to tell.
      if (open && bind_shape(shape, sizes, symbols_).empty()) return;
    }
  }

  /// The gaps of storages that a layout was made in; those of computed tensors hold no poison.
  void find_gaps() {
    for (Pending& owner : pending_) {
      const InputForm& form = *owner.form;
      if (!owner.input.is_tensor() || form.source == InputSource::storage) continue;
      if (form.source == InputSource::computed && !form.strides && !form.offset) continue;
      const at::Tensor& tensor = owner.input.value.toTensor();
      if (!tensor.has_storage() || tensor.layout() != c10::Layout::Strided) continue;
      std::vector<at::Tensor> sharing = {tensor};
      for (const Pending& other : pending_) {
        if (other.form->source != InputSource::storage || !other.input.is_tensor()) continue;
        if (other.input.value.toTensor().storage().is_alias_of(tensor.storage()))
          sharing.push_back(other.input.value.toTensor());
      }
      owner.input.gaps = gaps_of(sharing);
    }
  }

  tl::unexpected<FormError> circle(const Pending& start) {
    std::vector<std::string> path;
    const Pending* at = &start;
    while (at && !contains(path, at->input.name)) {
      path.push_back(at->input.name);
      const Pending* next = nullptr;
      const std::vector<std::string> read = at->form->source == InputSource::storage
                                                ? std::vector{at->form->storage}
                                                : names_in(*at->form->expr);
      for (const std::string& name : read) {
        const Pending* input = find(name);
        if (input && !input->done && !next) next = input;
      }
      at = next;
    }
    if (at) path.push_back(at->input.name);
    return tl::make_unexpected(FormError{
        start.input.name + ": inputs are computed from each other in a circle: " + join(path, " from "),
        start.form->pos});
  }

  const Case& kase_;
  const Scenario& scenario_;
  const Evaluate& evaluate_;
  Symbols symbols_;
  std::string folder_;
  std::vector<Pending> pending_;
  Bound bound_;
  bool has_computed_ = false;
  bool last_resort_ = false;
  std::optional<FormError> error_;
};

}  // namespace

FormResult<Inputs> make_inputs(const Case& kase, const Scenario& scenario, const Evaluate& evaluate) {
  Result<Symbols> symbols = symbols_of(kase, scenario);
  if (!symbols) return tl::make_unexpected(FormError{symbols.error().message, scenario.pos});
  return Maker(kase, scenario, evaluate, std::move(*symbols)).make();
}

}  // namespace relapse
