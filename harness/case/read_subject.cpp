#include <fmt/format.h>

#include <harness/case/read_inputs.hpp>
#include <harness/case/read_leaves.hpp>
#include <harness/case/read_subject.hpp>
#include <harness/support/text.hpp>

namespace relapse {

namespace {

/// A list, or for python also a map from keywords.
void read_arguments(ReadContext& c, const YamlNode& n, const Where& w, std::vector<SubjectArg>& target) {
  target.clear();
  const auto add = [&](std::string keyword, const YamlNode& value) {
    if (!value.is_broken()) target.push_back({std::move(keyword), read_input_form(c, value, w)});
  };
  if (n.is_map()) {
    for (std::size_t i = 0; i < n.entries(); ++i) {
      if (expect_plain_name(c, n.key(i), "an argument")) add(n.key(i).text, n.value(i));
    }
  } else if (n.is_sequence()) {
    for (const YamlNode& item : n.items) add("", item);
  } else {
    c.expected(n, w, "a list or a map of arguments");
  }
}

void read_outputs(ReadContext& c, const YamlNode& n, const Where& w, std::vector<std::string>& target) {
  read_text_list(c, n, w, target);
  for (std::size_t i = 0; i < target.size() && n.is_sequence() && i < n.items.size(); ++i) {
    std::string_view name = target[i];
    if (name.ends_with(".grad")) name.remove_suffix(5);
    const bool reserved = is_reserved_name(name) || is_reserved_for_results(name);
    if (is_plain_name(name) && !reserved) continue;
    c.error(n.items[i], reserved ? quoted(name) + " is reserved and cannot be the name of a result"
                                 : "expected the name of a result, got " + quoted(target[i]));
  }
}

void read_python_path(ReadContext& c, const YamlNode& n, const Where& w, Subject& subject) {
  const std::optional<std::string> text = read_text(c, n, w);
  if (!text) return;
  const std::size_t colon = text->find(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == text->size()) {
    c.expected(n, w, "\"module:function\"");
  }
  subject.python = *text;
}

constexpr std::array<Field<PythonCall>, 2> kCallFields = {{
    {{"args", Presence::needed, "arguments", "a list, or a map from keywords"},
     [](auto& c, auto& n, auto& w, auto& call) { read_arguments(c, n, w, call.args); }},
    {{"outputs", Presence::needed, "names", "names of what it returns"},
     [](auto& c, auto& n, auto& w, auto& call) { read_outputs(c, n, w, call.outputs); }},
}};

constexpr Field<Subject> kArgs = {
    {"args", {}, "arguments", "a list, or for python also a map from keywords"},
    [](auto& c, auto& n, auto& w, auto& s) { read_arguments(c, n, w, s.args); }};
constexpr Field<Subject> kOutputs = {
    {"outputs", {}, "names", "names of what it returns"},
    [](auto& c, auto& n, auto& w, auto& s) { read_outputs(c, n, w, s.outputs); }};
constexpr Field<Subject> kRejects = {
    {"rejects", {}, "texts", "errors by which it refuses an input"},
    [](auto& c, auto& n, auto& w, auto& s) { read_texts(c, n, w, s.rejects); }};

constexpr std::array<Field<Subject>, 7> kPythonFields = {{
    {{"python", Presence::needed, "text", "module:function"}, read_python_path},
    kArgs,
    kOutputs,
    kRejects,
    {{"init", {}, "arguments", "arguments of a class before its calls"},
     [](auto& c, auto& n, auto& w, auto& s) { read_arguments(c, n, w, s.init); }},
    {{"calls", {}, "python_calls", "several calls, one after the other"},
     [](ReadContext& c, const YamlNode& n, const Where& w, Subject& s) {
       if (!expect_sequence(c, n, w)) return;
       for (const YamlNode& item : n.items) {
         PythonCall call;
         read_fields(c, item, w, kCallFields, call);
         s.calls.push_back(std::move(call));
       }
     }},
    {{"path", {}, "texts", "folders to search, relative to the case file"},
     [](auto& c, auto& n, auto& w, auto& s) { read_texts(c, n, w, s.path); }},
}};
constexpr std::array<Field<Subject>, 3> kCommandFields = {{
    {{"command", Presence::needed, "text_list", "argv with {inputs} and {outputs}"},
     [](auto& c, auto& n, auto& w, auto& s) { read_text_list(c, n, w, s.command); }},
    kOutputs,
    kRejects,
}};
constexpr std::array<Field<Subject>, 5> kScriptFields = {{
    {{"script", Presence::needed, "text", "a TorchScript file"},
     [](auto& c, auto& n, auto& w, auto& s) { s.script = read_text(c, n, w).value_or(""); }},
    {{"method", {}, "text", "default forward"},
     [](auto& c, auto& n, auto& w, auto& s) { s.method = read_text(c, n, w).value_or(""); }},
    kArgs,
    kOutputs,
    kRejects,
}};
constexpr std::array<Field<Subject>, 4> kPackageFields = {{
    {{"package", Presence::needed, "device_files", "an AOTInductor package for each device"},
     [](ReadContext& c, const YamlNode& n, const Where& w, Subject& s) {
       if (!expect_map(c, n, w)) return;
       for (std::size_t i = 0; i < n.entries(); ++i) {
         if (!read_choice(c, n.key(i), w, device_words())) continue;
         s.package[n.key(i).text] = read_text(c, n.value(i), w).value_or("");
       }
     }},
    kArgs,
    kOutputs,
    kRejects,
}};

struct SubjectRow {
  std::string_view key;
  SubjectKind kind;
};
constexpr std::array<SubjectRow, 4> kForeign = {{{"python", SubjectKind::python},
                                                 {"command", SubjectKind::command},
                                                 {"script", SubjectKind::script},
                                                 {"package", SubjectKind::package}}};

const SubjectRow* foreign_subject(const YamlNode& node) {
  for (const SubjectRow& row : kForeign) {
    if (node.find(row.key) != nullptr) return &row;
  }
  return nullptr;
}

void read_foreign(ReadContext& context, const YamlNode& node, const Where& where, const SubjectRow& row,
                  Subject& target) {
  target.kind = row.kind;
  context.unsupported(fmt::format("`subject: {{{}: ...}}`", row.key), node.pos);
  if (row.kind == SubjectKind::python) read_fields(context, node, where, kPythonFields, target);
  if (row.kind == SubjectKind::command) read_fields(context, node, where, kCommandFields, target);
  if (row.kind == SubjectKind::script) read_fields(context, node, where, kScriptFields, target);
  if (row.kind == SubjectKind::package) read_fields(context, node, where, kPackageFields, target);
  if (row.kind == SubjectKind::script && target.method.empty()) target.method = "forward";
  const bool names_results = !target.outputs.empty() || !target.calls.empty();
  if (!names_results && node.find("outputs") == nullptr) report_missing_key(context, node, where, "outputs");
}

/// `loss == f(x)`: a comparison that nobody reads, where a result was meant.
void refuse_comparison(ReadContext& context, const YamlNode& node, const Where& where, const Step& step) {
  const Expr& expr = *step.expr;
  const bool compares = step.targets.empty() && expr.kind == ExprKind::binary && expr.op == Op::eq &&
                        expr.args[0]->kind == ExprKind::name;
  if (!compares) return;
  const std::string& name = expr.args[0]->text;
  context.lost().add_step(node.text, "");
  const auto column = count_code_points(std::string_view(node.text).substr(0, node.text.find("=="))) + 1;
  context.error(text_origin(context.source(), node).at(column), 2,
                where.text() + ": this step compares and drops what comes out",
                "a step is written with one `=`: " + name + " = ...");
}

void read_steps(ReadContext& context, const YamlNode& node, const Where& where, std::vector<Step>& target) {
  int number = 0;
  if (!expect_few_steps(context, node, where)) return;
  for (const YamlNode& item : node.items) {
    const Where inner{&where, "step", ++number};
    std::optional<Step> step = read_step(context, item, inner);
    if (!step) continue;
    refuse_comparison(context, item, inner, *step);
    step->number = number;
    target.push_back(std::move(*step));
  }
  if (node.items.empty()) context.expected(node, where, "at least one step");
}

/// `{target: labels, breaks: loss.same_as}`: every key but the named ones is a name that is bound anew.
void read_rebinding(ReadContext& context, const YamlNode& key, const YamlNode& value, const Where& where,
                    std::vector<Rebinding>& target) {
  std::string_view name = key.text;
  if (name.ends_with(".grad")) name.remove_suffix(5);
  if (!is_plain_name(name)) {
    expect_plain_name(context, key, "a result or an input");
    return;
  }
  Rebinding rebinding;
  rebinding.name = key.text;
  rebinding.pos = key.pos;
  if (value.is_broken()) return;
  if (value.kind != YamlNode::Kind::nothing) {
    rebinding.expr = read_expression(context, value, where);
    if (rebinding.expr == nullptr) return;
  }
  target.push_back(std::move(rebinding));
}

constexpr std::array<Field<Unfixed>, 1> kLibrariesFields = {{
    {{"libraries", Presence::needed, "texts", "the operator libraries before the fix"},
     [](auto& c, auto& n, auto& w, auto& u) { read_texts(c, n, w, u.libraries); }},
}};
constexpr std::array<Field<Unfixed>, 1> kNoneFields = {{
    {{"none", Presence::needed, "prose", "why there is none"},
     [](ReadContext& c, const YamlNode& n, const Where& w, Unfixed& u) {
       const bool empty = n.kind == YamlNode::Kind::nothing || (n.is_scalar() && n.text.empty());
       if (!empty) return read_prose(c, n, w, u.reason);
       c.error(n, w.text() + ": the reason is missing", "say why there is no code before the fix");
     }},
}};
constexpr std::array<Field<Mutant>, 1> kMutantFields = {{
    {{"breaks", Presence::needed, "clause", "a clause that must catch it: loss.same_as, or expect"},
     [](auto& c, auto& n, auto& w, auto& mutant) {
       mutant.breaks = read_text(c, n, w).value_or("");
       c.refer(Reference::Kind::breaks, n, w);
     }},
}};

}  // namespace

void read_subject(ReadContext& context, const YamlNode& node, const Where& where, Subject& target) {
  target.pos = node.pos;
  if (node.is_sequence()) return read_steps(context, node, where, target.steps);
  if (!node.is_map()) {
    context.lost().add_everything();
    return context.expected(node, where, "a list of steps, or a map with python, command, script or package");
  }
  if (const SubjectRow* row = foreign_subject(node)) return read_foreign(context, node, where, *row, target);
  context.lost().add_everything();
  context.error(node, where.text() + ": expected one of the keys python, command, script or package",
                "steps are written as a list");
}

void read_unfixed(ReadContext& context, const YamlNode& node, const Where& where, Unfixed& target) {
  target.pos = node.pos;
  if (node.is_sequence() || (node.is_map() && foreign_subject(node) != nullptr)) {
    target.kind = UnfixedKind::subject;
    read_subject(context, node, where, target.subject);
  } else if (node.is_map() && node.find("libraries") != nullptr) {
    target.kind = UnfixedKind::libraries;
    read_fields(context, node, where, kLibrariesFields, target);
  } else if (node.is_map() && node.find("none") != nullptr) {
    target.kind = UnfixedKind::none;
    read_fields(context, node, where, kNoneFields, target);
  } else if (expect_map(context, node, where)) {
    target.kind = UnfixedKind::rebind;
    for (std::size_t i = 0; i < node.entries(); ++i) {
      read_rebinding(context, node.key(i), node.value(i), Where{&where, node.key(i).text}, target.rebind);
    }
    if (node.entries() == 0) context.expected(node, where, "at least one name");
  }
}

void read_mutants(ReadContext& context, const YamlNode& node, const Where& where,
                  std::vector<Mutant>& target) {
  if (!expect_sequence(context, node, where)) return;
  int number = 0;
  for (const YamlNode& item : node.items) {
    const Where inner{nullptr, "mutant", ++number};
    Mutant mutant;
    mutant.pos = item.pos;
    read_fields(context, item, inner, kMutantFields, mutant,
                [&](const YamlNode& key, const YamlNode& value, const Where& w) {
                  read_rebinding(context, key, value, w, mutant.rebind);
                  return true;
                });
    if (item.is_map() && mutant.rebind.empty() && item.entries() < 2) {
      context.error(item, inner.text() + ": rebinds no name");
    }
    target.push_back(std::move(mutant));
  }
}

Level python_level() {
  return level_of("python_subject", kPythonFields);
}
Level python_call_level() {
  return level_of("python_call", kCallFields);
}
Level command_level() {
  return level_of("command_subject", kCommandFields);
}
Level script_level() {
  return level_of("script_subject", kScriptFields);
}
Level package_level() {
  return level_of("package_subject", kPackageFields);
}
Level unfixed_libraries_level() {
  return level_of("unfixed_libraries", kLibrariesFields);
}
Level unfixed_none_level() {
  return level_of("unfixed_none", kNoneFields);
}
Level mutant_level() {
  return level_of("mutant", kMutantFields, "expression_or_nothing");
}

}  // namespace relapse
