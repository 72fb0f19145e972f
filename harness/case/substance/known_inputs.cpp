#include <algorithm>
#include <cmath>
#include <harness/case/substance/known_inputs.hpp>

namespace relapse {

namespace {

const Clause* find_clause(const NameContract* contract, ClauseKind kind) {
  if (contract == nullptr) return nullptr;
  for (const Clause& clause : contract->clauses) {
    if (clause.kind == kind) return &clause;
  }
  return nullptr;
}

const NamedInput* find_form(const std::vector<NamedInput>& inputs, std::string_view name) {
  for (const NamedInput& input : inputs) {
    if (input.name == name) return &input;
  }
  return nullptr;
}

/// Places along one dimension that an entry of `at` means; nothing where it lies outside.
std::optional<std::vector<std::int64_t>> places_of(const SetIndex& at, std::int64_t extent) {
  std::vector<std::int64_t> places;
  if (!at.is_slice) {
    const std::int64_t place = at.index < 0 ? at.index + extent : at.index;
    if (place < 0 || place >= extent) return std::nullopt;
    return std::vector<std::int64_t>{place};
  }
  const auto wrapped = [&](std::int64_t place) {
    return std::clamp<std::int64_t>(place < 0 ? place + extent : place, 0, extent);
  };
  const std::int64_t step = at.step.value_or(1);
  if (step < 1) return std::nullopt;
  for (std::int64_t i = wrapped(at.start.value_or(0)); i < wrapped(at.stop.value_or(extent)); i += step)
    places.push_back(i);
  return places;
}

/// Writes `value` to every element that `at` means; false where it cannot.
bool set_elements(const SetItem& item, const Number& value, KnownTensor& tensor) {
  const std::vector<std::int64_t>& shape = *tensor.shape;
  if (item.at.size() > shape.size()) return false;
  std::vector<std::int64_t> offsets{0};
  for (std::size_t dim = 0; dim < shape.size(); ++dim) {
    const auto places =
        places_of(dim < item.at.size() ? item.at[dim] : SetIndex{true, 0, {}, {}, {}}, shape[dim]);
    if (!places) return false;
    std::vector<std::int64_t> next;
    for (const std::int64_t offset : offsets) {
      for (const std::int64_t place : *places) next.push_back(offset * shape[dim] + place);
    }
    offsets = std::move(next);
  }
  for (const std::int64_t offset : offsets) (*tensor.elements)[static_cast<std::size_t>(offset)] = value;
  return true;
}

/// Elements as the dtype holds them: of floats no integer is exact for being written as one.
void convert(KnownTensor& tensor) {
  if (!tensor.dtype) return;
  const bool boolean = *tensor.dtype == DType::boolean;
  if (!boolean && !is_floating(*tensor.dtype)) return;
  const auto converted = [&](Number& number) {
    number = boolean ? truth(number.real != 0) : real(number.real);
  };
  if (tensor.elements) std::for_each(tensor.elements->begin(), tensor.elements->end(), converted);
  std::for_each(tensor.present.begin(), tensor.present.end(), converted);
  if (tensor.least) converted(*tensor.least);
  if (tensor.most) converted(*tensor.most);
}

/// Only the extremes are left: which element is which is no longer known.
void forget_places(KnownTensor& tensor) {
  summarise(tensor);
  tensor.elements.reset();
}

}  // namespace

KnownInputs::KnownInputs(const Case& target, const Scenario& scenario, const NameSet& names,
                         const StoredLookup& stored)
    : target_(target),
      scenario_(scenario),
      stored_(stored),
      dims_(dims_of(target, scenario.dims)),
      names_(names) {
  bind_dims();
}

const NamedInput* KnownInputs::form(std::string_view name) const {
  const NamedInput* own = find_form(scenario_.inputs, name);
  return own != nullptr ? own : find_form(target_.inputs, name);
}

std::optional<DType> KnownInputs::dtype(const DTypeRef& ref) const {
  if (ref.dtype) return ref.dtype;
  for (const auto* dtypes : {&scenario_.dtypes, &target_.dtypes}) {
    for (const DTypeValue& value : *dtypes) {
      if (value.name == ref.symbol) return value.dtype;
    }
  }
  return std::nullopt;
}

/// Dims that are not listed have the extents of literal values.
void KnownInputs::bind_dims() {
  for (const NameContract& contract : target_.contract.requires_.names) {
    const Clause* clause = find_clause(&contract, ClauseKind::shape);
    const NamedInput* input = form(contract.name);
    if (clause == nullptr || clause->shapes.size() != 1 || input == nullptr) continue;
    const InputForm& made = input->form;
    const bool literal = made.source == InputSource::values || made.source == InputSource::bits;
    const std::vector<ExprPtr>& shape = clause->shapes.front();
    if (!literal || made.expand || made.values.shape.size() != shape.size()) continue;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      if (shape[i]->kind == ExprKind::name) dims_.emplace(shape[i]->text, made.values.shape[i]);
    }
  }
}

const KnownTensor* KnownInputs::find(std::string_view name) const {
  if (const auto found = known_.find(name); found != known_.end())
    return found->second ? &*found->second : nullptr;
  // In the table before it is made: a name that needs itself is unknown instead of endless.
  std::optional<KnownTensor>& known = known_[std::string(name)];
  if (names_.count(name) > 0) {
    const NamedInput* input = form(name);
    known = made(std::string(name), input == nullptr ? nullptr : &input->form);
  } else if (const auto dim = dims_.find(name); dim != dims_.end()) {
    known.emplace();
    known->shape = std::vector<std::int64_t>{};
    known->elements = {whole(dim->second)};
  }
  return known ? &*known : nullptr;
}

const KnownTensor* KnownInputs::operand(std::string_view name) const {
  const KnownTensor* tensor = find(name);
  if (tensor == nullptr || !tensor->dtype) return tensor;
  const DType dtype = *tensor->dtype;
  const bool wide = dtype == DType::int64 || dtype == DType::boolean || dtype == DType::float16 ||
                    dtype == DType::bfloat16 || dtype == DType::float32 || dtype == DType::float64;
  return wide ? tensor : nullptr;
}

std::optional<Number> KnownInputs::number(const ExprPtr& expr) const {
  if (expr == nullptr) return std::nullopt;
  const Result<Number> value = evaluate_number(*expr, lookup_in(dims_));
  return value ? std::optional(*value) : std::nullopt;
}

std::optional<Number> KnownInputs::scalar(const Scalar& one) const {
  if (const auto* integer = std::get_if<std::int64_t>(&one)) return whole(*integer);
  if (const auto* value = std::get_if<double>(&one)) return real(*value);
  if (const auto* flag = std::get_if<bool>(&one)) return truth(*flag);
  if (const auto* expr = std::get_if<ExprPtr>(&one)) return number(*expr);
  return std::nullopt;
}

std::optional<std::vector<std::int64_t>> KnownInputs::extents(const std::vector<ExprPtr>& shape) const {
  std::vector<std::int64_t> known;
  for (const ExprPtr& extent : shape) {
    const Result<std::int64_t> value = evaluate_integer(*extent, lookup_in(dims_));
    if (!value) return std::nullopt;
    known.push_back(*value);
  }
  return known;
}

std::optional<Number> KnownInputs::bound(const NameContract* contract, ClauseKind kind) const {
  const Clause* clause = find_clause(contract, kind);
  if (clause == nullptr || clause->values.size() != 1 || clause->values.front() == nullptr)
    return std::nullopt;
  return known_number(*clause->values.front(), [this](std::string_view name) { return operand(name); });
}

KnownTensor KnownInputs::made(const std::string& name, const InputForm* form) const {
  const NameContract* contract = target_.contract.requires_.find(name);
  const Clause* dtypes = find_clause(contract, ClauseKind::dtype);
  KnownTensor tensor;
  const bool computed = form != nullptr && form->source == InputSource::computed;
  if (computed) {
    std::optional<KnownTensor> value =
        evaluate_known(*form->expr, [this](std::string_view other) { return operand(other); });
    // Its dtype is the expression's own, which nobody told.
    return value ? *value : tensor;
  }
  if (form != nullptr && form->source == InputSource::number) {
    if (const std::optional<Number> value = number(form->expr)) {
      tensor.shape = std::vector<std::int64_t>{};
      fill_with(tensor, *value);
    }
    return tensor;
  }
  if (form != nullptr && form->source == InputSource::file) {
    if (stored_) tensor = stored_(*form).tensor;
    // A run converts what it reads to the dtype that the form or `requires` says.
    if (form->dtype) {
      tensor.dtype = dtype(*form->dtype);
    } else if (dtypes != nullptr && !dtypes->dtypes.empty()) {
      tensor.dtype = dtype(dtypes->dtypes.front());
    }
    if (form->expand) tensor = {};
    if (!form->set.empty()) add_set(*form, tensor);
    convert(tensor);
    return tensor;
  }
  if (form != nullptr && form->dtype) {
    tensor.dtype = dtype(*form->dtype);
  } else if (dtypes != nullptr && !dtypes->dtypes.empty()) {
    tensor.dtype = dtype(dtypes->dtypes.front());
  }
  const Clause* shapes = find_clause(contract, ClauseKind::shape);
  if (form != nullptr && form->shape) {
    tensor.shape = extents(*form->shape);
  } else if (shapes != nullptr && !shapes->shapes.empty()) {
    tensor.shape = extents(shapes->shapes.front());
  }
  if (form != nullptr && form->source != InputSource::generated) {
    add_elements(*form, contract, tensor);
  } else {
    tensor.generated = true;
    if (contract != nullptr) add_generated(*contract, tensor);
    convert(tensor);
  }
  if (form == nullptr) return tensor;
  if (!form->set.empty()) add_set(*form, tensor);
  convert(tensor);
  if (form->expand) {
    forget_places(tensor);
    tensor.shape = extents(*form->expand);
  }
  return tensor;
}

void KnownInputs::add_elements(const InputForm& form, const NameContract* contract,
                               KnownTensor& tensor) const {
  const std::int64_t count = tensor.shape ? elements_in(*tensor.shape).value_or(0) : 0;
  const auto extremes = [&](std::int64_t least, std::int64_t most) {
    tensor.least = whole(least);
    tensor.most = whole(most);
    tensor.present = {whole(least), whole(most)};
  };
  switch (form.source) {
    case InputSource::values: {
      if (tensor.shape && *tensor.shape != form.values.shape) tensor.shape.reset();
      tensor.shape = form.values.shape;
      std::vector<Number> elements;
      for (const Scalar& one : form.values.flat) {
        const std::optional<Number> value = scalar(one);
        if (!value) return;
        elements.push_back(*value);
      }
      tensor.elements = std::move(elements);
      summarise(tensor);
      return;
    }
    case InputSource::full:
      if (const std::optional<Number> value = form.full ? scalar(*form.full) : std::nullopt)
        fill_with(tensor, *value);
      return;
    case InputSource::fill:
      if (form.fill == Fill::zeros) return fill_with(tensor, whole(0));
      if (form.fill == Fill::ones) return fill_with(tensor, whole(1));
      if (count == 0) return;
      if (form.fill == Fill::eye) {
        tensor.least = whole(0);
        tensor.most = whole(1);
        tensor.present = {whole(1)};
        return;
      }
      extremes(0, count - 1);
      if (count > kMostKnownElements) return;
      tensor.elements.emplace();
      for (std::int64_t i = 0; i < count; ++i) tensor.elements->push_back(whole(i));
      return;
    case InputSource::random:
      if (form.random.kind == RandomKind::permutation && count > 0) return extremes(0, count - 1);
      return add_draw(form, contract, tensor);
    default:
      tensor.shape.reset();
      return;
  }
}

void KnownInputs::add_draw(const InputForm& form, const NameContract* contract, KnownTensor& tensor) const {
  const Random& random = form.random;
  std::optional<Number> low, high;
  switch (random.kind) {
    case RandomKind::uniform:
      low = random.low == nullptr ? real(0) : number(random.low);
      high = random.high == nullptr ? real(1) : number(random.high);
      break;
    case RandomKind::integers:
      low = random.low == nullptr ? bound(contract, ClauseKind::min) : number(random.low);
      high = random.high == nullptr ? bound(contract, ClauseKind::max) : number(random.high);
      break;
    case RandomKind::bernoulli:
      low = whole(0);
      high = whole(1);
      break;
    case RandomKind::normal: {
      // The sum of twelve uniform draws: never further out than six times `std`.
      const std::optional<Number> mean = random.mean == nullptr ? real(0) : number(random.mean);
      const std::optional<Number> std = random.std == nullptr ? real(1) : number(random.std);
      if (!mean || !std) return;
      low = real(mean->real - 6 * std::fabs(std->real));
      high = real(mean->real + 6 * std::fabs(std->real));
      break;
    }
    case RandomKind::permutation:
      return;
  }
  if (!low || !high) return;
  tensor.least = low;
  tensor.most = high;
  tensor.drawn = true;
  const bool one_value = low->is_integer && high->is_integer && low->integer == high->integer;
  if (one_value) fill_with(tensor, *low);
}

/// The generator keeps to the bounds; where they meet, the value is known.
void KnownInputs::add_generated(const NameContract& contract, KnownTensor& tensor) const {
  const std::optional<Number> low = bound(&contract, ClauseKind::min),
                              high = bound(&contract, ClauseKind::max);
  if (!low || !high || !low->is_integer || !high->is_integer || !contract.except.empty()) return;
  if (low->integer == high->integer && tensor.dtype && is_integral(*tensor.dtype)) fill_with(tensor, *low);
}

void KnownInputs::add_set(const InputForm& form, KnownTensor& tensor) const {
  for (const SetItem& item : form.set) {
    const std::optional<Number> value = scalar(item.to);
    const bool known = value && !std::isnan(value->real);
    if (value && tensor.elements && set_elements(item, *value, tensor)) {
      summarise(tensor);
      continue;
    }
    tensor.elements.reset();
    tensor.present.clear();
    tensor.drawn = false;
    if (!known || !tensor.least) {
      tensor.least = tensor.most = std::nullopt;
      tensor.generated = false;
      continue;
    }
    tensor.generated = false;
    if (known_order(Op::lt, *value, *tensor.least).value_or(true)) tensor.least = value;
    if (known_order(Op::gt, *value, *tensor.most).value_or(true)) tensor.most = value;
  }
  // What was set last is there, unless the tensor has no element.
  const std::optional<Number> last = form.set.empty() ? std::nullopt : scalar(form.set.back().to);
  const bool somewhere = tensor.shape && elements_in(*tensor.shape).value_or(0) > 0;
  const bool lone = !form.set.empty() && std::none_of(form.set.back().at.begin(), form.set.back().at.end(),
                                                      [](const SetIndex& at) { return at.is_slice; });
  if (!tensor.elements && last && somewhere && lone) tensor.present = {*last};
}

}  // namespace relapse
