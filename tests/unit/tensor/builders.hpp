#pragma once

// Short ways to write what the reader would make of a case file.

#include <harness/tensor/inputs.hpp>
#include <string>
#include <vector>

namespace relapse::test {

inline ExprPtr expr(const std::string& text) {
  return *parse_expression(text);
}
inline std::vector<ExprPtr> exprs(const std::vector<std::string>& texts) {
  std::vector<ExprPtr> result;
  for (const std::string& text : texts) result.push_back(expr(text));
  return result;
}
inline DTypeRef dtype(DType type) {
  return {type, "", {}};
}

/// The clauses of one name, in the order in which they are added.
struct Clauses {
  NameContract contract;

  explicit Clauses(const std::string& name) {
    contract.name = name;
    contract.pos = {10, 5};
  }
  Clause& add(ClauseKind kind) {
    contract.clauses.emplace_back();
    contract.clauses.back().kind = kind;
    contract.clauses.back().pos = {10, 7};
    contract.clauses.back().value_pos = {10, 12};
    return contract.clauses.back();
  }
  Clauses& dtype(DType type) {
    add(ClauseKind::dtype).dtypes = {{type, "", {}}};
    return *this;
  }
  Clauses& shape(const std::vector<std::string>& extents) {
    add(ClauseKind::shape).shapes = {exprs(extents)};
    return *this;
  }
  Clauses& bound(ClauseKind kind, const std::string& value) {
    add(kind).values = {expr(value)};
    return *this;
  }
  Clauses& min(const std::string& value) { return bound(ClauseKind::min, value); }
  Clauses& max(const std::string& value) { return bound(ClauseKind::max, value); }
  Clauses& above(const std::string& value) { return bound(ClauseKind::above, value); }
  Clauses& below(const std::string& value) { return bound(ClauseKind::below, value); }
  Clauses& one_of(const std::vector<std::string>& values) {
    add(ClauseKind::one_of).values = exprs(values);
    return *this;
  }
  Clauses& word(ClauseKind kind, const std::string& value) {
    add(kind).words = {value};
    return *this;
  }
  Clauses& distinct(std::vector<std::int64_t> dims = {}) {
    add(ClauseKind::distinct).dims = std::move(dims);
    return *this;
  }
  Clauses& except(const std::vector<std::string>& values) {
    contract.except = exprs(values);
    return *this;
  }
};

inline InputForm form_of(InputSource source) {
  InputForm form;
  form.source = source;
  form.pos = {20, 9};
  return form;
}
inline InputForm values(std::vector<std::int64_t> shape, std::vector<Scalar> flat) {
  InputForm form = form_of(InputSource::values);
  form.values = {std::move(shape), std::move(flat), {20, 12}};
  return form;
}
inline InputForm row(std::vector<Scalar> flat) {
  const std::int64_t size = static_cast<std::int64_t>(flat.size());
  return values({size}, std::move(flat));
}
inline InputForm full(Scalar value) {
  InputForm form = form_of(InputSource::full);
  form.full = std::move(value);
  return form;
}
inline InputForm fill(Fill fill) {
  InputForm form = form_of(InputSource::fill);
  form.fill = fill;
  return form;
}
inline InputForm random(RandomKind kind) {
  InputForm form = form_of(InputSource::random);
  form.random.kind = kind;
  form.random.pos = {20, 12};
  return form;
}
inline InputForm computed(const std::string& text) {
  InputForm form = form_of(InputSource::computed);
  form.expr = expr(text);
  return form;
}
inline InputForm with_dtype(InputForm form, DType type) {
  form.dtype = dtype(type);
  return form;
}
inline InputForm with_shape(InputForm form, const std::vector<std::string>& shape) {
  form.shape = exprs(shape);
  return form;
}

/// A context over symbols and clauses that the test keeps.
struct Context {
  Symbols symbols;
  FormContext form;

  explicit Context(const std::string& name = "x") {
    form.name = name;
    form.symbols = &symbols;
  }
  Context(const Clauses& clauses, std::uint64_t seed = 0) : Context(clauses.contract.name) {
    form.clauses = &clauses.contract;
    form.seed = seed;
  }
  Context(const Context&) = delete;
  Context& dim(const std::string& name, std::int64_t value) {
    symbols.dims[name] = value;
    return *this;
  }
};

inline at::Tensor made(const InputForm& form, const FormContext& context) {
  const FormResult<c10::IValue> value = make_form(form, context);
  if (!value) throw std::runtime_error(value.error().message);
  return value->toTensor();
}
inline std::string error_of(const InputForm& form, const FormContext& context) {
  const FormResult<c10::IValue> value = make_form(form, context);
  return value ? "no error" : value.error().message;
}

/// The elements of a CPU tensor in row-major order, as text.
std::string text_of(const at::Tensor& tensor);

}  // namespace relapse::test
