#include <algorithm>
#include <cmath>
#include <harness/case/substance/known_expression.hpp>

namespace relapse {

namespace {

using Shape = std::vector<std::int64_t>;
using Known = std::optional<KnownTensor>;

/// Whole numbers up to here are exact in every dtype that has a comparison.
constexpr double kExactEverywhere = 256;
/// The largest that is finite in every dtype is 65504, of float16.
constexpr double kHeldByAll = 60000;
/// Further apart than any dtype of these rounds.
constexpr double kApart = 0.02;

bool is_exact(const Number& number) {
  return number.is_integer ||
         (std::fabs(number.real) <= kExactEverywhere && std::floor(number.real) == number.real);
}

KnownTensor lone(const Number& number) {
  KnownTensor tensor;
  tensor.shape = Shape{};
  tensor.elements = {number};
  return tensor;
}

std::optional<Shape> broadcast(const Shape& a, const Shape& b) {
  Shape out(std::max(a.size(), b.size()), 1);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto extent = [&](const Shape& shape) {
      const std::size_t missing = out.size() - shape.size();
      return i < missing ? 1 : shape[i - missing];
    };
    const std::int64_t x = extent(a), y = extent(b);
    if (x != y && x != 1 && y != 1) return std::nullopt;
    out[i] = x == 1 ? y : x;
  }
  const std::optional<std::int64_t> count = elements_in(out);
  return count && *count <= kMostKnownElements ? std::optional(out) : std::nullopt;
}

/// The element of a tensor of `shape` that stands at the flat place `at` of the broadcast `out`.
std::size_t place_in(const Shape& shape, const Shape& out, std::size_t at) {
  std::size_t place = 0, stride = 1;
  for (std::size_t i = out.size(); i-- > 0;) {
    const auto extent = static_cast<std::size_t>(out[i]);
    const std::size_t missing = out.size() - shape.size();
    if (i >= missing) {
      const auto own = static_cast<std::size_t>(shape[i - missing]);
      place += own == 1 ? 0 : (at % extent) * stride;
      stride *= own;
    }
    at /= extent;
  }
  return place;
}

std::optional<Number> arithmetic(Op op, const Number& a, const Number& b) {
  if (a.is_bool || b.is_bool) {
    if (op == Op::bit_and && a.is_bool && b.is_bool) return truth(a.integer && b.integer);
    if (op == Op::bit_or && a.is_bool && b.is_bool) return truth(a.integer || b.integer);
    if (op != Op::mul && op != Op::add) return std::nullopt;
    if (a.is_bool && b.is_bool) return std::nullopt;  // torch gives a bool
  }
  if (a.is_integer && b.is_integer) {
    std::optional<std::int64_t> value;
    if (op == Op::add) value = checked_add(a.integer, b.integer);
    if (op == Op::sub) value = checked_sub(a.integer, b.integer);
    if (op == Op::mul) value = checked_mul(a.integer, b.integer);
    if (op == Op::floordiv && b.integer != 0) value = floor_div(a.integer, b.integer);
    if (op == Op::mod && b.integer != 0) value = floor_mod(a.integer, b.integer);
    return value ? std::optional(whole(*value)) : std::nullopt;
  }
  double value = 0;
  if (op == Op::add) value = a.real + b.real;
  if (op == Op::sub) value = a.real - b.real;
  if (op == Op::mul) value = a.real * b.real;
  if (op == Op::div && b.real != 0) value = a.real / b.real;
  const bool known = op == Op::add || op == Op::sub || op == Op::mul || (op == Op::div && b.real != 0);
  // Ten times 0.1 is 1 in one dtype and not in another.
  const bool by_luck = !(is_exact(a) && is_exact(b)) && std::floor(value) == value;
  if (!known || by_luck || !(std::fabs(value) <= kHeldByAll)) return std::nullopt;
  return real(value);
}

bool is_comparison(Op op) {
  return op == Op::eq || op == Op::ne || op == Op::lt || op == Op::le || op == Op::gt || op == Op::ge;
}

template <class Combine>
Known elementwise(const KnownTensor& a, const KnownTensor& b, Combine combine) {
  if (!a.elements || !b.elements) return std::nullopt;
  const std::optional<Shape> shape = broadcast(*a.shape, *b.shape);
  if (!shape) return std::nullopt;
  KnownTensor out;
  out.shape = *shape;
  out.elements.emplace();
  const auto count = static_cast<std::size_t>(*elements_in(*shape));
  for (std::size_t i = 0; i < count; ++i) {
    const std::optional<Number> value =
        combine((*a.elements)[place_in(*a.shape, *shape, i)], (*b.elements)[place_in(*b.shape, *shape, i)]);
    if (!value) return std::nullopt;
    out.elements->push_back(*value);
  }
  return out;
}

template <class Change>
Known each(const KnownTensor& tensor, Change change) {
  if (!tensor.elements) return std::nullopt;
  KnownTensor out;
  out.shape = tensor.shape;
  out.elements.emplace();
  for (const Number& element : *tensor.elements) {
    const std::optional<Number> value = change(element);
    if (!value) return std::nullopt;
    out.elements->push_back(*value);
  }
  return out;
}

/// The rows along `dim`, each folded into one element, or kept as a row by `fold`.
template <class Fold>
Known along(const KnownTensor& tensor, std::int64_t dim, bool keeps_dim, Fold fold) {
  const auto rank = static_cast<std::int64_t>(tensor.shape->size());
  if (dim < 0) dim += rank;
  if (dim < 0 || dim >= rank) return std::nullopt;
  const auto axis = static_cast<std::size_t>(dim);
  const Shape& shape = *tensor.shape;
  std::size_t outer = 1, inner = 1;
  for (std::size_t i = 0; i < shape.size(); ++i)
    (i < axis ? outer : inner) *= i == axis ? 1 : static_cast<std::size_t>(shape[i]);
  const auto extent = static_cast<std::size_t>(shape[axis]);
  KnownTensor out;
  out.shape = shape;
  std::vector<Number> elements(keeps_dim ? outer * inner * extent : outer * inner);
  for (std::size_t o = 0; o < outer; ++o) {
    for (std::size_t n = 0; n < inner; ++n) {
      std::vector<Number> row;
      for (std::size_t i = 0; i < extent; ++i)
        row.push_back((*tensor.elements)[(o * extent + i) * inner + n]);
      std::optional<std::vector<Number>> folded = fold(row);
      if (!folded) return std::nullopt;
      for (std::size_t i = 0; i < folded->size(); ++i)
        elements[(o * folded->size() + i) * inner + n] = (*folded)[i];
    }
  }
  if (!keeps_dim) out.shape->erase(out.shape->begin() + dim);
  out.elements = std::move(elements);
  return out;
}

using Row = std::optional<std::vector<Number>>;

std::optional<Number> added(const Number& a, const Number& b) {
  return arithmetic(Op::add, a.is_bool ? whole(a.integer) : a, b.is_bool ? whole(b.integer) : b);
}

Row sum_of(const std::vector<Number>& row) {
  Number sum = row.empty() || row.front().is_integer ? whole(0) : real(0);
  for (const Number& one : row) {
    const std::optional<Number> next = added(sum, one);
    if (!next) return std::nullopt;
    sum = *next;
  }
  return std::vector<Number>{sum};
}

Row running_sum_of(const std::vector<Number>& row) {
  std::vector<Number> sums;
  for (const Number& one : row) {
    const std::optional<Number> next = sums.empty() ? added(whole(0), one) : added(sums.back(), one);
    if (!next) return std::nullopt;
    sums.push_back(*next);
  }
  return sums;
}

Row extreme_of(const std::vector<Number>& row, bool most) {
  if (row.empty()) return std::nullopt;
  Number best = row.front();
  for (const Number& one : row) {
    if (std::isnan(one.real)) return std::nullopt;
    const auto less = [](const Number& a, const Number& b) {
      return a.is_integer && b.is_integer ? a.integer < b.integer : a.real < b.real;
    };
    if (most ? less(best, one) : less(one, best)) best = one;
  }
  return std::vector<Number>{best};
}

Row truth_of(const std::vector<Number>& row, bool all) {
  const auto is_true = [](const Number& one) { return one.real != 0; };
  return std::vector<Number>{truth(all ? std::all_of(row.begin(), row.end(), is_true)
                                       : std::any_of(row.begin(), row.end(), is_true))};
}

class Evaluator {
 public:
  explicit Evaluator(const KnownLookup& find) : find_(find) {}

  Known evaluate(const Expr& expr) const {
    switch (expr.kind) {
      case ExprKind::name: {
        const KnownTensor* found = find_(expr.text);
        return found == nullptr ? std::nullopt : std::optional(*found);
      }
      case ExprKind::integer:
        return lone(whole(expr.integer));
      case ExprKind::real:
        return lone(real(expr.real));
      case ExprKind::boolean:
        return lone(truth(expr.integer != 0));
      case ExprKind::unary:
        return unary(expr);
      case ExprKind::binary:
        return binary(expr);
      case ExprKind::index:
        return index(expr);
      case ExprKind::call:
      case ExprKind::method:
        return call(expr);
      default:
        return std::nullopt;
    }
  }

 private:
  Known unary(const Expr& expr) const {
    const Known value = evaluate(*expr.args[0]);
    if (!value) return std::nullopt;
    if (expr.op == Op::negate)
      return each(*value, [](const Number& one) { return arithmetic(Op::sub, whole(0), one); });
    return each(*value, [](const Number& one) {
      return one.is_bool ? std::optional(truth(one.integer == 0)) : std::nullopt;
    });
  }

  Known binary(const Expr& expr) const {
    const Known left = evaluate(*expr.args[0]);
    const Known right = left ? evaluate(*expr.args[1]) : std::nullopt;
    if (!right) return std::nullopt;
    return elementwise(*left, *right, [&](const Number& a, const Number& b) -> std::optional<Number> {
      if (!is_comparison(expr.op)) return arithmetic(expr.op, a, b);
      const std::optional<bool> holds = known_order(expr.op, a, b);
      return holds ? std::optional(truth(*holds)) : std::nullopt;
    });
  }

  /// `x[i]`, `x[-1]`: integers only.
  Known index(const Expr& expr) const {
    Known value = evaluate(*expr.args[0]);
    for (std::size_t i = 1; i < expr.args.size() && value; ++i) {
      if (!value->elements || value->shape->empty() || expr.args[i] == nullptr) return std::nullopt;
      const std::optional<std::int64_t> at = whole_of(*expr.args[i]);
      if (!at || expr.args.size() > 2) return std::nullopt;
      const std::int64_t extent = value->shape->front();
      const std::int64_t row = *at < 0 ? *at + extent : *at;
      if (row < 0 || row >= extent) return std::nullopt;
      value->shape->erase(value->shape->begin());
      const std::int64_t size = *elements_in(*value->shape);
      const auto first = value->elements->begin() + row * size;
      value->elements = std::vector<Number>(first, first + size);
    }
    return value;
  }

  std::optional<std::int64_t> whole_of(const Expr& expr) const {
    const std::optional<Number> number = known_number(expr, find_);
    return number && number->is_integer && !number->is_bool ? std::optional(number->integer) : std::nullopt;
  }

  Known call(const Expr& expr) const {
    if (!expr.kwargs.empty() || expr.args.empty()) return std::nullopt;
    std::string_view name = expr.text;
    if (name.starts_with("aten::")) name.remove_prefix(6);
    if (name == "old") return evaluate(*expr.args[0]);
    const Known self = evaluate(*expr.args[0]);
    if (!self) return std::nullopt;
    std::optional<std::int64_t> dim;
    if (expr.args.size() == 2) {
      if (expr.args[1] == nullptr || !(dim = whole_of(*expr.args[1]))) return std::nullopt;
    }
    if (expr.args.size() > 2) return std::nullopt;
    if (self->shape && !dim && name == "numel") {
      const std::optional<std::int64_t> count = elements_in(*self->shape);
      return count ? Known(lone(whole(*count))) : std::nullopt;
    }
    if (self->shape && !dim && name == "dim")
      return lone(whole(static_cast<std::int64_t>(self->shape->size())));
    if (self->shape && dim && name == "size") {
      const auto rank = static_cast<std::int64_t>(self->shape->size());
      const std::int64_t at = *dim < 0 ? *dim + rank : *dim;
      if (at < 0 || at >= rank) return std::nullopt;
      return lone(whole((*self->shape)[static_cast<std::size_t>(at)]));
    }
    if (!self->elements) return std::nullopt;
    return elements_call(name, *self, dim);
  }

  static Known elements_call(std::string_view name, const KnownTensor& self,
                             std::optional<std::int64_t> dim) {
    const auto fold = [&](const auto& folded) {
      return dim ? along(self, *dim, false, folded) : over_all(self, folded);
    };
    if (name == "sum") return fold(sum_of);
    if (name == "all") return fold([](const auto& row) { return truth_of(row, true); });
    if (name == "any") return fold([](const auto& row) { return truth_of(row, false); });
    // max(x, dim) gives two results.
    if (name == "amax" || (name == "max" && !dim))
      return fold([](const auto& row) { return extreme_of(row, true); });
    if (name == "amin" || (name == "min" && !dim))
      return fold([](const auto& row) { return extreme_of(row, false); });
    if (name == "cumsum" && dim) return along(self, *dim, true, running_sum_of);
    if (name == "abs" && !dim) {
      return each(self, [](const Number& one) {
        return one.real < 0 ? arithmetic(Op::sub, whole(0), one) : std::optional(one);
      });
    }
    if (name == "unsqueeze" && dim) {
      const auto rank = static_cast<std::int64_t>(self.shape->size());
      const std::int64_t at = *dim < 0 ? *dim + rank + 1 : *dim;
      if (at < 0 || at > rank) return std::nullopt;
      KnownTensor out = self;
      out.shape->insert(out.shape->begin() + at, 1);
      return out;
    }
    return std::nullopt;
  }

  template <class Fold>
  static Known over_all(const KnownTensor& tensor, Fold fold) {
    const Row folded = fold(*tensor.elements);
    return folded ? Known(lone(folded->front())) : std::nullopt;
  }

  const KnownLookup& find_;
};

}  // namespace

std::optional<bool> known_order(Op op, const Number& a, const Number& b) {
  if (std::isnan(a.real) || std::isnan(b.real)) return op == Op::ne;
  const bool exact = a.is_integer && b.is_integer;
  const bool close = std::fabs(a.real - b.real) <= kApart * std::max(std::fabs(a.real), std::fabs(b.real));
  const bool infinite = std::isinf(a.real) || std::isinf(b.real);
  if (!exact && !infinite && close && !(is_exact(a) && is_exact(b) && std::fabs(a.real) <= kExactEverywhere))
    return std::nullopt;
  const int order = exact ? (a.integer < b.integer   ? -1
                             : a.integer > b.integer ? 1
                                                     : 0)
                          : (a.real < b.real   ? -1
                             : a.real > b.real ? 1
                                               : 0);
  switch (op) {
    case Op::eq:
      return order == 0;
    case Op::ne:
      return order != 0;
    case Op::lt:
      return order < 0;
    case Op::le:
      return order <= 0;
    case Op::gt:
      return order > 0;
    case Op::ge:
      return order >= 0;
    default:
      return std::nullopt;
  }
}

std::optional<KnownTensor> evaluate_known(const Expr& expr, const KnownLookup& find) {
  return Evaluator(find).evaluate(expr);
}

std::optional<Number> known_number(const Expr& expr, const KnownLookup& find) {
  const Known value = evaluate_known(expr, find);
  if (!value || !value->elements || value->elements->size() != 1) return std::nullopt;
  return value->elements->front();
}

std::optional<bool> known_relation(const Expr& expr, const KnownLookup& find) {
  const Known value = evaluate_known(expr, find);
  if (!value || !value->elements) return std::nullopt;
  return std::all_of(value->elements->begin(), value->elements->end(),
                     [](const Number& one) { return one.real != 0; });
}

}  // namespace relapse
