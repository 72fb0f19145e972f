#include <harness/tensor/symbols.hpp>

namespace relapse {

namespace {

const DimValue* find_dim(const std::vector<DimValue>& dims, std::string_view name) {
  for (const DimValue& dim : dims) {
    if (dim.name == name) return &dim;
  }
  return nullptr;
}

/// The values of both lists, the scenario's in place of the case's, in the order of the case.
std::vector<const DimValue*> overlaid(const std::vector<DimValue>& base, const std::vector<DimValue>& over) {
  std::vector<const DimValue*> result;
  for (const DimValue& dim : base) {
    const DimValue* replaced = find_dim(over, dim.name);
    result.push_back(replaced ? replaced : &dim);
  }
  for (const DimValue& dim : over) {
    if (!find_dim(base, dim.name)) result.push_back(&dim);
  }
  return result;
}

/// The text of an expected extent: `3`, `N = 4`, `2 * N = 8`.
std::string expected_text(const Expr& expr, std::int64_t value) {
  if (expr.kind == ExprKind::integer) return std::to_string(value);
  return to_string(expr) + " = " + std::to_string(value);
}

std::string shape_clause_text(const std::vector<ExprPtr>& shape) {
  std::string text = "[";
  for (const ExprPtr& extent : shape) {
    if (text.size() > 1) text += ", ";
    text += to_string(*extent);
  }
  return text + "]";
}

}  // namespace

std::optional<std::int64_t> Symbols::dim(std::string_view name) const {
  const auto found = dims.find(name);
  if (found == dims.end()) return std::nullopt;
  return found->second;
}

std::optional<DType> Symbols::dtype(const DTypeRef& ref) const {
  if (ref.dtype) return ref.dtype;
  const auto found = dtypes.find(ref.symbol);
  if (found == dtypes.end()) return std::nullopt;
  return found->second;
}

DimLookup Symbols::lookup() const {
  return [this](std::string_view name) { return dim(name); };
}

std::vector<std::string> Symbols::dim_names() const {
  std::vector<std::string> names;
  for (const auto& [name, value] : dims) names.push_back(name);
  return names;
}

Result<Symbols> symbols_of(const Case& kase, const Scenario& scenario) {
  Symbols symbols;
  for (const DTypeValue& dtype : kase.dtypes) symbols.dtypes[dtype.name] = dtype.dtype;
  for (const DTypeValue& dtype : scenario.dtypes) symbols.dtypes[dtype.name] = dtype.dtype;

  std::vector<const DimValue*> open = overlaid(kase.dims, scenario.dims);
  // A scenario may write a dim in terms of one that the case lists further down, so what could not be
  // computed is tried again as long as something else could.
  while (!open.empty()) {
    std::vector<const DimValue*> left;
    Error first_error;
    for (const DimValue* dim : open) {
      if (dim->value->kind == ExprKind::integer) {
        symbols.dims[dim->name] = dim->value->integer;
        continue;
      }
      const Result<std::int64_t> value = evaluate_integer(*dim->value, symbols.lookup(), symbols.dim_names());
      if (value) {
        symbols.dims[dim->name] = *value;
        continue;
      }
      if (left.empty()) first_error = value.error();
      left.push_back(dim);
    }
    if (left.size() == open.size()) {
      return fail(ErrorKind::case_file, "dims." + left.front()->name + ": " + first_error.message);
    }
    open = std::move(left);
  }
  return symbols;
}

std::string bind_shape(const std::vector<ExprPtr>& shape, const std::vector<std::int64_t>& extents,
                       Symbols& symbols) {
  if (shape.size() != extents.size()) {
    return "rank is " + std::to_string(extents.size()) + ", expected " + std::to_string(shape.size()) + " (" +
           shape_clause_text(shape) + ")";
  }
  // Lone names first, so that `[2 * N, N]` can be checked. Nothing stays bound where the shape does not fit.
  std::vector<std::string> bound;
  const auto give_up = [&](std::string message) {
    for (const std::string& name : bound) symbols.dims.erase(name);
    return message;
  };
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const Expr& expr = *shape[i];
    if (expr.kind != ExprKind::name || symbols.dims.find(expr.text) != symbols.dims.end()) continue;
    symbols.dims.emplace(expr.text, extents[i]);
    bound.push_back(expr.text);
  }
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const Expr& expr = *shape[i];
    std::int64_t expected = expr.integer;
    if (expr.kind == ExprKind::name) {
      expected = symbols.dims.find(expr.text)->second;
    } else if (expr.kind != ExprKind::integer) {
      const Result<std::int64_t> value = evaluate_integer(expr, symbols.lookup(), symbols.dim_names());
      if (!value) {
        return give_up("extent " + std::to_string(i) + " is " + std::to_string(extents[i]) + ", expected " +
                       to_string(expr) + ": " + value.error().message);
      }
      expected = *value;
    }
    if (expected != extents[i]) {
      return give_up("extent " + std::to_string(i) + " is " + std::to_string(extents[i]) + ", expected " +
                     expected_text(expr, expected));
    }
  }
  return {};
}

}  // namespace relapse
