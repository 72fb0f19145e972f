#include <harness/support/text.hpp>
#include <harness/tensor/dtype_map.hpp>
#include <harness/tensor/exact.hpp>
#include <harness/tensor/facts.hpp>
#include <harness/tensor/resolve.hpp>

namespace relapse {

namespace {

const Symbols kNoSymbols;

const Symbols& symbols_of_context(const FormContext& context) {
  return context.symbols ? *context.symbols : kNoSymbols;
}

}  // namespace

const Clause* find_clause(const NameContract* contract, ClauseKind kind) {
  if (!contract) return nullptr;
  for (const Clause& clause : contract->clauses) {
    if (clause.kind == kind) return &clause;
  }
  return nullptr;
}

SourcePos pos_of(const InputForm& form, const FormContext& context) {
  if (form.pos.line > 0 || !context.clauses) return form.pos;
  return context.clauses->pos;
}

FormResult<std::optional<c10::ScalarType>> wanted_dtype(const InputForm& form, const FormContext& context) {
  const DTypeRef* ref = nullptr;
  if (form.dtype) {
    ref = &*form.dtype;
  } else if (context.default_dtype) {
    return context.default_dtype;
  } else if (const Clause* clause = find_clause(context, ClauseKind::dtype);
             clause && !clause->dtypes.empty()) {
    ref = &clause->dtypes.front();
  }
  if (!ref) return std::optional<c10::ScalarType>();
  const std::optional<DType> dtype = symbols_of_context(context).dtype(*ref);
  if (dtype) return std::optional(to_scalar_type(*dtype));
  return form_error(
      context, ref->pos,
      "unknown dtype " + relapse::quoted(ref->symbol) + "; list it in `dtypes` or write a dtype");
}

FormResult<c10::ScalarType> dtype_or(const InputForm& form, const FormContext& context,
                                     c10::ScalarType fallback) {
  const auto dtype = wanted_dtype(form, context);
  if (!dtype) return tl::make_unexpected(dtype.error());
  return dtype->value_or(fallback);
}

FormResult<std::int64_t> evaluate_whole(const Expr& expr, const FormContext& context, SourcePos pos,
                                        const char* what) {
  if (expr.kind == ExprKind::integer) return expr.integer;
  const Symbols& symbols = symbols_of_context(context);
  if (expr.kind == ExprKind::name) {
    if (const std::optional<std::int64_t> value = symbols.dim(expr.text)) return *value;
  }
  const Result<std::int64_t> value = evaluate_integer(expr, symbols.lookup(), symbols.dim_names());
  if (value) return *value;
  return form_error(context, expr.pos.line > 0 ? expr.pos : pos,
                    std::string(what) + " " + to_string(expr) + ": " + value.error().message +
                        "; dims are listed in `dims`, or bound by the shape of an input with values");
}

FormResult<Extents> evaluate_extents(const std::vector<ExprPtr>& exprs, const FormContext& context,
                                     SourcePos pos, const char* what) {
  Extents extents;
  extents.reserve(exprs.size());
  for (const ExprPtr& expr : exprs) {
    const FormResult<std::int64_t> value = evaluate_whole(*expr, context, pos, what);
    if (!value) return tl::make_unexpected(value.error());
    extents.push_back(*value);
  }
  return extents;
}

FormResult<std::optional<Extents>> own_shape(const InputForm& form, const FormContext& context) {
  if (!form.shape) return std::optional<Extents>();
  FormResult<Extents> shape = evaluate_extents(*form.shape, context, form.pos, "extent");
  if (!shape) return tl::make_unexpected(shape.error());
  return std::optional(std::move(*shape));
}

FormResult<std::optional<Extents>> wanted_shape(const InputForm& form, const FormContext& context) {
  if (form.shape) return own_shape(form, context);
  if (context.default_shape) return context.default_shape;
  const Clause* clause = find_clause(context, ClauseKind::shape);
  if (!clause || clause->shapes.empty()) return std::optional<Extents>();
  FormResult<Extents> shape = evaluate_extents(clause->shapes.front(), context, clause->value_pos, "extent");
  if (!shape) return tl::make_unexpected(shape.error());
  return std::optional(std::move(*shape));
}

FormResult<Extents> needed_shape(const InputForm& form, const FormContext& context) {
  FormResult<std::optional<Extents>> shape = form.expand && !form.shape
                                                 ? FormResult<std::optional<Extents>>(std::nullopt)
                                                 : wanted_shape(form, context);
  if (!shape) return tl::make_unexpected(shape.error());
  if (!*shape) {
    if (form.expand) return Extents();
    return form_error(context, pos_of(form, context),
                      "it has no shape; give the form `shape`, or add it to `requires`");
  }
  const FormResult<std::int64_t> count = count_elements(**shape, context, pos_of(form, context));
  if (!count) return tl::make_unexpected(count.error());
  return std::move(**shape);
}

FormResult<std::int64_t> count_elements(const Extents& shape, const FormContext& context, SourcePos pos) {
  for (const std::int64_t extent : shape) {
    if (extent < 0) return form_error(context, pos, "shape " + shape_text(shape) + " has a negative extent");
  }
  for (const std::int64_t extent : shape) {
    if (extent == 0) return 0;
  }
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) {
    const std::optional<std::int64_t> product = checked_mul(count, extent);
    if (!product || *product > context.element_limit) {
      return form_error(context, pos,
                        "shape " + shape_text(shape) + " has more than " +
                            with_thousands(context.element_limit) + " elements, the most an input may have");
    }
    count = *product;
  }
  return count;
}

FormResult<at::Tensor> with_gradient(at::Tensor tensor, const InputForm& form, const FormContext& context) {
  const Clause* clause = find_clause(context, ClauseKind::requires_grad);
  const bool wanted = form.requires_grad.value_or(clause && clause->flag);
  if (!wanted) return tensor;
  if (!c10::isFloatingType(tensor.scalar_type()) && !c10::isComplexType(tensor.scalar_type())) {
    return form_error(
        context, form.requires_grad || !clause ? pos_of(form, context) : clause->pos,
        "requires_grad needs a floating or complex dtype, not " + dtype_name(tensor.scalar_type()));
  }
  tensor.set_requires_grad(true);
  return tensor;
}

bool stays_on_host(const InputForm& form, const NameContract* contract) {
  if (!form.device.empty()) return form.device == "cpu";
  const Clause* clause = find_clause(contract, ClauseKind::device);
  return clause && clause->words.size() == 1 && clause->words.front() == "cpu";
}

}  // namespace relapse
