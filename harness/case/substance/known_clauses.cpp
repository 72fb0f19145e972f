#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <harness/case/substance/known_clauses.hpp>
#include <harness/support/text.hpp>
#include <set>

namespace relapse {

namespace {

std::string number_text(const Number& number) {
  if (number.is_bool) return number.integer != 0 ? "true" : "false";
  return number.is_integer ? std::to_string(number.integer) : fmt::format("{}", number.real);
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

/// `[2, 0]`, of the flat place `at`; empty for a lone element.
std::string place_text(const std::vector<std::int64_t>& shape, std::size_t at) {
  std::vector<std::int64_t> places(shape.size());
  for (std::size_t i = shape.size(); i-- > 0;) {
    const auto extent = static_cast<std::size_t>(shape[i]);
    places[i] = static_cast<std::int64_t>(at % extent);
    at /= extent;
  }
  return shape.empty() ? "" : shape_text(places);
}

struct Judgement {
  Meets meets = Meets::perhaps;
  std::string seen = {};
};

constexpr auto kPerhaps = Meets::perhaps;

Judgement certainly() {
  return {Meets::certainly};
}

/// Whether one element meets a clause; nothing where it is not certain.
using MeetsElement = std::function<std::optional<bool>(const Number&)>;

class Judge {
 public:
  Judge(const Case& target, const KnownInputs& inputs) : target_(target), inputs_(inputs) {}

  JudgedClause judge(const NameContract& contract, const Clause& clause) const {
    JudgedClause judged;
    judged.clause = contract.name + "." + std::string(to_string(clause.kind));
    judged.about = {contract.name};
    judged.pos = clause.pos;
    judged.promised = judged.clause + ": " + clause.text;
    if (const std::optional<Number> bound = lone_bound(clause); bound && number_text(*bound) != clause.text)
      judged.promised += " = " + number_text(*bound);
    const KnownTensor* tensor = inputs_.find(contract.name);
    if (tensor == nullptr) return judged;
    Judgement found = of_clause(contract, clause, *tensor);
    if (found.meets == kPerhaps && tensor->generated) found = certainly();
    judged.meets = found.meets;
    judged.seen = std::move(found.seen);
    return judged;
  }

  JudgedClause judge(const Relation& relation) const {
    JudgedClause judged;
    judged.clause = "where." + relation.label;
    judged.promised = judged.clause + ": " + relation.text;
    judged.pos = relation.pos;
    judged.about = names_in(*relation.expr);
    const std::optional<bool> holds = known_relation(*relation.expr, operands());
    if (!holds) return judged;
    judged.meets = *holds ? Meets::certainly : Meets::never;
    if (!*holds) judged.seen = "it is false";
    return judged;
  }

 private:
  KnownLookup operands() const {
    return [this](std::string_view name) { return inputs_.operand(name); };
  }

  std::optional<Number> lone_bound(const Clause& clause) const {
    const bool range = clause.kind == ClauseKind::min || clause.kind == ClauseKind::max ||
                       clause.kind == ClauseKind::above || clause.kind == ClauseKind::below;
    if (!range || clause.values.size() != 1 || clause.values.front() == nullptr) return std::nullopt;
    return known_number(*clause.values.front(), operands());
  }

  Judgement of_clause(const NameContract& contract, const Clause& clause, const KnownTensor& tensor) const {
    switch (clause.kind) {
      case ClauseKind::dtype:
        return dtype(contract, clause, tensor);
      case ClauseKind::shape:
        return shape(contract, clause, tensor);
      case ClauseKind::rank:
        if (!tensor.shape) return {};
        return count(contract, clause, static_cast<std::int64_t>(tensor.shape->size()), "rank");
      case ClauseKind::numel:
        if (!tensor.shape || !elements_in(*tensor.shape)) return {};
        return count(contract, clause, *elements_in(*tensor.shape), "numel");
      case ClauseKind::finite:
        return finite(contract, clause, tensor);
      case ClauseKind::min:
      case ClauseKind::max:
      case ClauseKind::above:
      case ClauseKind::below:
        return range(contract, clause, tensor);
      case ClauseKind::one_of:
      case ClauseKind::none_of:
        return listed(contract, clause, tensor);
      case ClauseKind::sorted:
        return sorted(contract, clause, tensor);
      case ClauseKind::distinct:
        return distinct(contract, clause, tensor);
      default:
        return {};
    }
  }

  Judgement dtype(const NameContract& contract, const Clause& clause, const KnownTensor& tensor) const {
    if (!tensor.dtype) return {};
    for (const DTypeRef& ref : clause.dtypes) {
      const std::optional<DType> allowed = inputs_.dtype(ref);
      if (!allowed) return {};
      if (*allowed == *tensor.dtype) return certainly();
    }
    return {Meets::never, fmt::format("{} is {}", contract.name, to_string(*tensor.dtype))};
  }

  Judgement shape(const NameContract& contract, const Clause& clause, const KnownTensor& tensor) const {
    if (!tensor.shape) return {};
    bool certain = true;
    for (const std::vector<ExprPtr>& allowed : clause.shapes) {
      if (allowed.size() != tensor.shape->size()) continue;
      bool fits = true, known = true;
      for (std::size_t i = 0; i < allowed.size(); ++i) {
        const std::optional<Number> extent = known_number(*allowed[i], operands());
        known = known && extent && extent->is_integer;
        if (extent && extent->is_integer && extent->integer != (*tensor.shape)[i]) fits = false;
      }
      if (fits && known) return certainly();
      certain = certain && !fits;
    }
    if (!certain) return {};
    return {Meets::never, fmt::format("{} is {}", contract.name, shape_text(*tensor.shape))};
  }

  Judgement count(const NameContract& contract, const Clause& clause, std::int64_t number,
                  std::string_view word) const {
    const auto limit = [&](const ExprPtr& expr) { return known_number(*expr, operands()); };
    const Judgement broken{Meets::never, fmt::format("{}.{} = {}", contract.name, word, number)};
    if (!clause.values.empty()) {
      for (const ExprPtr& expr : clause.values) {
        const std::optional<Number> value = limit(expr);
        if (!value || !value->is_integer) return {};
        if (value->integer == number) return certainly();
      }
      return broken;
    }
    for (const ExprPtr* expr : {&clause.at_least, &clause.at_most}) {
      if (*expr == nullptr) continue;
      const std::optional<Number> value = limit(*expr);
      if (!value || !value->is_integer) return {};
      if (expr == &clause.at_least ? number < value->integer : number > value->integer) return broken;
    }
    return certainly();
  }

  /// By every element where they are known, else by values that are there, else by the extremes.
  /// `interval` says whether everything between the extremes meets the clause when both do.
  Judgement elements(const NameContract& contract, const KnownTensor& tensor, const MeetsElement& meets,
                     bool interval) const {
    if (tensor.elements) {
      bool certain = true;
      for (std::size_t i = 0; i < tensor.elements->size(); ++i) {
        const Number& one = (*tensor.elements)[i];
        const std::optional<bool> good = meets(one);
        certain = certain && good;
        if (good && !*good) {
          return {Meets::never,
                  fmt::format("{}{} = {}", contract.name, place_text(*tensor.shape, i), number_text(one))};
        }
      }
      return certain ? certainly() : Judgement{};
    }
    if (tensor.holds_nothing()) return certainly();
    for (const Number& one : tensor.present) {
      const std::optional<bool> good = meets(one);
      if (good && !*good)
        return {Meets::never, fmt::format("an element of {} is {}", contract.name, number_text(one))};
    }
    if (!tensor.least || !tensor.most) return {};
    const std::optional<bool> low = meets(*tensor.least), high = meets(*tensor.most);
    if (interval && low && high && *low && *high) return certainly();
    const bool outside = (low && !*low) || (high && !*high);
    if (tensor.drawn && outside && tensor.shape && !tensor.holds_nothing()) {
      return {Meets::by_luck, fmt::format("{} is drawn from {} to {}", contract.name,
                                          number_text(*tensor.least), number_text(*tensor.most))};
    }
    return {};
  }

  std::optional<bool> is_excepted(const NameContract& contract, const Number& one) const {
    for (const ExprPtr& expr : contract.except) {
      const std::optional<Number> value = known_number(*expr, operands());
      if (!value) return std::nullopt;
      const std::optional<bool> equal = known_order(Op::eq, one, *value);
      if (!equal || *equal) return equal;
    }
    return false;
  }

  Judgement range(const NameContract& contract, const Clause& clause, const KnownTensor& tensor) const {
    const std::optional<Number> bound = lone_bound(clause);
    if (!bound || std::isnan(bound->real)) return {};
    Op op = Op::ge;
    if (clause.kind == ClauseKind::max) op = Op::le;
    if (clause.kind == ClauseKind::above) op = Op::gt;
    if (clause.kind == ClauseKind::below) op = Op::lt;
    const MeetsElement meets = [&](const Number& one) -> std::optional<bool> {
      if (std::isnan(one.real)) return contract.nan_allowed;
      // The same text rounds to the same value.
      const bool closed = op == Op::ge || op == Op::le;
      if (closed && one.real == bound->real && one.is_integer == bound->is_integer && !one.is_integer)
        return true;
      const std::optional<bool> good = known_order(op, one, *bound);
      if (!good || *good) return good;
      const std::optional<bool> excepted = is_excepted(contract, one);
      return excepted ? std::optional(*excepted) : std::nullopt;
    };
    // An exception may lie between two values that are none.
    return elements(contract, tensor, meets, true);
  }

  Judgement listed(const NameContract& contract, const Clause& clause, const KnownTensor& tensor) const {
    const bool wanted = clause.kind == ClauseKind::one_of;
    const MeetsElement meets = [&](const Number& one) -> std::optional<bool> {
      if (std::isnan(one.real)) return std::nullopt;
      bool known = true, found = false;
      for (const ExprPtr& expr : clause.values) {
        const std::optional<Number> value = known_number(*expr, operands());
        const std::optional<bool> equal = value ? known_order(Op::eq, one, *value) : std::nullopt;
        known = known && equal;
        found = found || (equal && *equal);
      }
      if (found) {
        if (wanted) return true;
      } else if (!known) {
        return std::nullopt;
      } else if (!wanted) {
        return true;
      }
      const std::optional<bool> excepted = is_excepted(contract, one);
      return excepted ? std::optional(*excepted) : std::nullopt;
    };
    return elements(contract, tensor, meets, false);
  }

  Judgement finite(const NameContract& contract, const Clause& clause, const KnownTensor& tensor) const {
    if (!clause.flag) return certainly();
    if (tensor.dtype && !is_floating(*tensor.dtype) && !is_complex(*tensor.dtype)) return certainly();
    constexpr double kHeldByAll = 60000;  // float16 holds 65504
    const MeetsElement meets = [&](const Number& one) -> std::optional<bool> {
      if (!std::isfinite(one.real)) return false;
      return std::fabs(one.real) <= kHeldByAll ? std::optional(true) : std::nullopt;
    };
    return elements(contract, tensor, meets, true);
  }

  /// Along the last dimension.
  Judgement sorted(const NameContract& contract, const Clause& clause, const KnownTensor& tensor) const {
    if (!tensor.elements || tensor.shape->empty() || clause.words.empty()) return {};
    const auto row = static_cast<std::size_t>(tensor.shape->back());
    const Op op = clause.words.front() == "increasing" ? Op::lt : Op::le;
    for (std::size_t i = 0; i + 1 < tensor.elements->size(); ++i) {
      if ((i + 1) % row == 0) continue;
      const std::optional<bool> good = known_order(op, (*tensor.elements)[i], (*tensor.elements)[i + 1]);
      if (!good) return {};
      if (!*good) {
        return {Meets::never,
                fmt::format("{0}{1} = {2} stands before {3}", contract.name, place_text(*tensor.shape, i),
                            number_text((*tensor.elements)[i]), number_text((*tensor.elements)[i + 1]))};
      }
    }
    return certainly();
  }

  Judgement distinct(const NameContract& contract, const Clause& clause, const KnownTensor& tensor) const {
    if (!clause.flag) return certainly();
    if (!clause.dims.empty() || !tensor.elements) return {};
    std::set<std::int64_t> seen;
    for (const Number& one : *tensor.elements) {
      if (!one.is_integer) return {};
      if (!seen.insert(one.integer).second)
        return {Meets::never, fmt::format("{} is in {} twice", number_text(one), contract.name)};
    }
    return certainly();
  }

  const Case& target_;
  const KnownInputs& inputs_;
};

}  // namespace

std::vector<JudgedClause> judge_requires(const Case& target, const KnownInputs& inputs) {
  const Judge judge(target, inputs);
  std::vector<JudgedClause> all;
  for (const NameContract& contract : target.contract.requires_.names) {
    for (const Clause& clause : contract.clauses) all.push_back(judge.judge(contract, clause));
  }
  for (const Relation& relation : target.contract.requires_.where) all.push_back(judge.judge(relation));
  std::stable_sort(all.begin(), all.end(),
                   [](const JudgedClause& a, const JudgedClause& b) { return a.pos < b.pos; });
  return all;
}

}  // namespace relapse
