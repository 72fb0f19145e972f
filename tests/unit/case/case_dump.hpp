#pragma once

// Everything of a Case but its positions, as text: two cases that mean the same have the same text.

#include <fmt/format.h>

#include <algorithm>

#include <harness/case/case.hpp>
#include <harness/support/text.hpp>
#include <string>

namespace relapse::testing_case {

class CaseDump {
 public:
  std::string of(const Case& c) {
    add("title", c.title);
    add("incident",
        c.incident.source + "|" + c.incident.date + "|" + c.incident.cause + "|" + c.incident.fix);
    for (const auto& [name, version] : c.incident.versions) add(name, version);
    add("labels", join(c.labels, ",") + "|" + join(c.libraries, ","));
    for (const DimValue& dim : c.dims) add(dim.name, expr(dim.value));
    for (const DTypeValue& dtype : c.dtypes) add(dtype.name, to_string(dtype.dtype));
    for (const NamedInput& input : c.inputs) add(input.name, form(input.form));
    subject(c.subject);
    add("unfixed",
        fmt::format("{} {} {}", int(c.unfixed.kind), join(c.unfixed.libraries, ","), c.unfixed.reason));
    subject(c.unfixed.subject);
    rebinds(c.unfixed.rebind);
    side("requires", c.contract.requires_);
    side("ensures", c.contract.ensures);
    for (const Agreement& a : c.contract.agrees) {
      add("agrees",
          fmt::format("{} {} {} {}", to_string(a.twin), a.off, join(a.except, ","), compare(a.compare)));
    }
    for (const Failing& f : c.failing) {
      scenario(f.scenario);
      for (const auto& [device, symptoms] : f.symptoms) {
        for (const Symptom& s : symptoms) {
          add(device,
              fmt::format("{} {} {} {} {} {} {} {}", int(s.kind), s.raises.size(), int(s.fault),
                          join(s.signals, ","), s.wrong, s.unstable, join(s.match, "|"), s.torch.text));
        }
      }
      for (const auto& [device, outcomes] : f.expect.by_device) {
        for (const Outcome& o : outcomes) {
          add("expect " + device,
              fmt::format("{} {} {} {}", int(o.kind), o.clause, o.classes.size(), join(o.match, "|")));
        }
      }
      add("after", join(f.after, ","));
    }
    for (const Scenario& s : c.corrected) scenario(s);
    for (const Batch& b : c.batches) {
      scenario(b.scenario);
      for (const auto& [name, values] : b.dim_lists) {
        for (const DimValue& value : values) add(name, expr(value.value));
      }
      for (const auto& [name, values] : b.dtype_lists) {
        for (const DTypeValue& value : values) add(name, to_string(value.dtype));
      }
    }
    add("boundaries", fmt::format("{} {}", int(c.boundaries), join(c.boundary_names, ",")));
    for (const Mutant& m : c.mutants) {
      rebinds(m.rebind);
      add("breaks", m.breaks);
    }
    add("policy", c.policy);
    for (const Silence& silence : c.silences) add("lint " + silence.id + " " + silence.about, silence.reason);
    needs(c.needs);
    add("limits", fmt::format("{} {} {}", c.limits.timeout.value_or(-1), c.limits.memory.value_or(0),
                              c.limits.output.value_or(0)));
    add("run", fmt::format("{} {} {} {} {} {} {}", join(c.run.modes, ","), c.run.isolate_each,
                           c.run.threads.value_or(-1), c.run.deterministic, c.run.tf32, c.run.cudnn,
                           c.run.seed.value_or(0)));
    for (const Unsupported& u : c.unsupported) unsupported_.push_back(u.what);
    std::sort(unsupported_.begin(), unsupported_.end());
    add("unsupported", join(unsupported_, ","));
    return text_;
  }

 private:
  void add(std::string_view key, std::string_view value) { text_ += fmt::format("{}: {}\n", key, value); }

  static std::string expr(const ExprPtr& e) { return e == nullptr ? "-" : to_string(*e); }
  static std::string exprs(const std::vector<ExprPtr>& all) {
    std::string text;
    for (const ExprPtr& e : all) text += expr(e) + ";";
    return text;
  }
  static std::string scalar(const Scalar& s) {
    if (const auto* e = std::get_if<ExprPtr>(&s)) return expr(*e);
    return std::visit(
        [](const auto& v) -> std::string {
          if constexpr (std::is_same_v<std::decay_t<decltype(v)>, ExprPtr>)
            return "";
          else
            return fmt::format("{}", v);
        },
        s);
  }
  static std::string dtype(const DTypeRef& ref) {
    return ref.dtype ? std::string(to_string(*ref.dtype)) : ref.symbol;
  }
  static std::string compare(const std::optional<Compare>& c) {
    if (!c) return "-";
    return fmt::format("{} {} {} {} {} {} {}", int(c->mode), c->rtol.value_or(-1), c->atol.value_or(-1),
                       c->ulp, c->nan_same_places, c->signed_zero, c->mismatch.value_or(-1));
  }
  std::string form(const InputForm& f) {
    std::string text = fmt::format("{} {} {} ", int(f.source), f.dtype ? dtype(*f.dtype) : "-",
                                   f.shape ? exprs(*f.shape) : "-");
    for (const std::int64_t extent : f.values.shape) text += fmt::format("{}x", extent);
    for (const Scalar& value : f.values.flat) text += scalar(value) + ",";
    if (f.full) text += "full " + scalar(*f.full);
    const Random& r = f.random;
    text += fmt::format(" {} {} {}{}{}{}{}{} {} {} {} {} {} ", int(f.fill), int(r.kind), expr(r.mean),
                        expr(r.std), expr(r.low), expr(r.high), expr(r.p), expr(r.seed), expr(f.expr), f.text,
                        f.file, f.tensor, f.storage);
    for (const InputForm& item : f.list) text += "(" + form(item) + ")";
    for (const SetItem& item : f.set) {
      for (const SetIndex& at : item.at) {
        text += fmt::format("{}/{}/{}/{}/{} ", at.is_slice, at.index, at.start.value_or(-99),
                            at.stop.value_or(-99), at.step.value_or(-99));
      }
      text += "to " + scalar(item.to);
    }
    text += fmt::format(" {} {} {} {} {} {}", f.strides ? exprs(*f.strides) : "-", expr(f.offset),
                        f.memory_format ? int(*f.memory_format) : -1, f.expand ? exprs(*f.expand) : "-",
                        f.requires_grad ? int(*f.requires_grad) : -1, f.device);
    return text;
  }
  void steps(const std::vector<Step>& all) {
    for (const Step& step : all) add("step", join(step.targets, ",") + " = " + expr(step.expr));
  }
  void subject(const Subject& s) {
    add("subject", fmt::format("{} {} {}", int(s.kind), s.python, join(s.outputs, ",")));
    steps(s.steps);
    for (const SubjectArg& arg : s.args) add("arg " + arg.keyword, form(arg.form));
  }
  void rebinds(const std::vector<Rebinding>& all) {
    for (const Rebinding& r : all) add("rebind " + r.name, expr(r.expr));
  }
  void side(std::string_view name, const ContractSide& s) {
    for (const NameContract& contract : s.names) {
      add(name, fmt::format("{} except {} nan {} compare {}", contract.name, exprs(contract.except),
                            contract.nan_allowed, compare(contract.compare)));
      for (const Clause& c : contract.clauses) {
        std::string text;
        for (const DTypeRef& ref : c.dtypes) text += dtype(ref) + ",";
        for (const auto& shape : c.shapes) text += "[" + exprs(shape) + "]";
        for (const std::int64_t dim : c.dims) text += fmt::format("{},", dim);
        text += fmt::format(" {} {} {} {} {} {} {} {} {}", exprs(c.values), expr(c.at_least), expr(c.at_most),
                            join(c.words, ","), c.flag, expr(c.sum), expr(c.sum_dim), c.rtol.value_or(-1),
                            c.atol.value_or(-1));
        if (c.expected != nullptr) text += form(*c.expected);
        add(to_string(c.kind), text);
        steps(c.reference);
      }
    }
    for (const Relation& relation : s.where) add(relation.label, expr(relation.expr));
  }
  void needs(const Needs& n) {
    add("needs",
        fmt::format("{} {} {} {} {} {} {}", join(n.devices, ","), n.gpus.value_or(-1), n.compute_capability,
                    n.torch.text, n.cuda.text, n.memory.value_or(0), n.device_memory.value_or(0)));
  }
  void scenario(const Scenario& s) {
    add("scenario", fmt::format("{} seed {}", s.name, s.seed.value_or(0)));
    for (const DimValue& dim : s.dims) add(dim.name, expr(dim.value));
    for (const DTypeValue& value : s.dtypes) add(value.name, to_string(value.dtype));
    for (const NamedInput& input : s.inputs) add(input.name, form(input.form));
    side("ensures", s.ensures);
    needs(s.needs);
  }

  std::string text_;
  std::vector<std::string> unsupported_;
};

inline std::string dump(const Case& c) {
  return CaseDump().of(c);
}

}  // namespace relapse::testing_case
