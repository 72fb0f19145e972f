#pragma once

// Whether the names of one expression exist where it stands.

#include <harness/case/check_symbols.hpp>
#include <harness/case/read_context.hpp>

namespace relapse {

/// Which names an expression may read.
struct NameScope {
  NameSet values;          ///< inputs, results, locals
  bool gradients = false;  ///< `x.grad`
  bool only_dims = false;  ///< shapes and other integers: neither values nor dtypes
};

class NameResolver {
 public:
  NameResolver(ReadContext& context, const Symbols& symbols) : context_(context), symbols_(symbols) {}

  /// Reports unknown names, and rewrites `gru.input(...)` into a call where `gru` is no name of the case.
  void resolve(ExprPtr& expr, const NameScope& scope, const Where& where);
  void resolve_all(std::vector<ExprPtr>& exprs, const NameScope& scope, const Where& where) {
    for (ExprPtr& expr : exprs) resolve(expr, scope, where);
  }

  /// Every name that some expression has read.
  const NameSet& read_names() const { return read_; }
  void note_read(std::string_view name) { read_.emplace(name); }

 private:
  ExprPtr visit(const ExprPtr& expr, const NameScope& scope, const Where& where);
  void visit_name(const Expr& expr, const NameScope& scope, const Where& where);
  void visit_gradient(const Expr& expr, const NameScope& scope, const Where& where);
  bool visit_call(const Expr& expr, const NameScope& scope, const Where& where);
  bool is_operator_prefix(const Expr& receiver, const NameScope& scope, const Where& where);
  void report_unknown(const Expr& expr, const NameScope& scope, const Where& where, std::string hint = "");

  ReadContext& context_;
  const Symbols& symbols_;
  NameSet read_;
};

}  // namespace relapse
