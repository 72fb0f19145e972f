#include <fmt/format.h>

#include <harness/case/check_case.hpp>
#include <harness/case/read_case.hpp>
#include <harness/case/read_contract.hpp>
#include <harness/case/read_inputs.hpp>
#include <harness/case/read_leaves.hpp>
#include <harness/case/read_options.hpp>
#include <harness/case/read_scenarios.hpp>
#include <harness/case/read_silences.hpp>
#include <harness/case/read_subject.hpp>
#include <harness/case/reader.hpp>
#include <harness/support/file.hpp>
#include <harness/support/text.hpp>

namespace relapse {

namespace {

// In the order of the format reference, which is also the order of the canonical form.
constexpr std::array<Field<Case>, 21> kCaseFields = {{
    {{"relapse", Presence::needed, "version", "version of the format"},
     [](ReadContext&, const YamlNode&, const Where&, Case&) {}},
    {{"title", Presence::needed, "prose", "one sentence: the behaviour, not the issue's number"},
     [](auto& c, auto& n, auto& w, auto& target) {
       target.title_pos = n.pos;
       read_prose(c, n, w, target.title);
     }},
    {{"incident", Presence::needed, "incident", "what happened"},
     [](auto& c, auto& n, auto& w, auto& target) {
       target.incident_pos = n.pos;
       read_incident(c, n, w, target.incident);
     }},
    {{"labels", {}, "labels", "words for selection"},
     [](auto& c, auto& n, auto& w, auto& target) { read_labels(c, n, w, target.labels); }},
    {{"libraries", {}, "texts", "operator libraries to load first"},
     [](auto& c, auto& n, auto& w, auto& target) { read_texts(c, n, w, target.libraries); }},
    {{"dims", {}, "dims", "symbols of shapes and bounds and their values"},
     [](auto& c, auto& n, auto& w, auto& target) { read_dims(c, n, w, target.dims); }},
    {{"dtypes", {}, "dtype_symbols", "symbols of dtypes and their values"},
     [](auto& c, auto& n, auto& w, auto& target) { read_dtypes(c, n, w, target.dtypes); }},
    {{"inputs", {}, "inputs", "default forms of inputs"},
     [](auto& c, auto& n, auto& w, auto& target) { read_inputs(c, n, w, target.inputs); }},
    {{"subject", Presence::needed, "subject", "the code under contract, as fixed"},
     [](auto& c, auto& n, auto& w, auto& target) { read_subject(c, n, w, target.subject); }},
    {{"unfixed", {}, "unfixed", "the code before the fix"},
     [](auto& c, auto& n, auto& w, auto& target) { read_unfixed(c, n, w, target.unfixed); }},
    {{"contract", Presence::needed, "contract", "what must hold"},
     [](auto& c, auto& n, auto& w, auto& target) { read_contract(c, n, w, target.contract); }},
    {{"failing", Presence::needed, "failing", "the input that failed, or a list of them"},
     [](auto& c, auto& n, auto& w, auto& target) { read_failing(c, n, w, target.failing); }},
    {{"corrected", {}, "corrected", "an input that is close to it and right"},
     [](auto& c, auto& n, auto& w, auto& target) { read_corrected(c, n, w, target.corrected); }},
    {{"batches", Presence::needed, "batches", "at least two normal inputs"},
     [](auto& c, auto& n, auto& w, auto& target) { read_batches(c, n, w, target.batches); }},
    {{"boundaries", {}, "boundaries", "off, or the names whose ranges are probed"}, read_boundaries},
    {{"mutants", {}, "mutants", "plausible wrong fixes that the contract must catch"},
     [](auto& c, auto& n, auto& w, auto& target) { read_mutants(c, n, w, target.mutants); }},
    {{"policy", {}, "prose", "why a clamp, wrap, mask or skip of an index is deliberate"},
     [](auto& c, auto& n, auto& w, auto& target) { read_prose(c, n, w, target.policy); }},
    {{"lint", {}, "silences", "findings that are excused, each with the reason"},
     [](auto& c, auto& n, auto& w, auto& target) { read_silences(c, n, w, target.silences); }},
    {{"needs", {}, "needs", "what must be there; unmet: skipped with the reason"},
     [](auto& c, auto& n, auto& w, auto& target) { read_needs(c, n, w, target.needs); }},
    {{"limits", {}, "limits", "time, memory and output of a process"},
     [](auto& c, auto& n, auto& w, auto& target) { read_limits(c, n, w, target.limits); }},
    {{"run", {}, "run", "how it runs"},
     [](auto& c, auto& n, auto& w, auto& target) { read_run(c, n, w, target.run); }},
}};

/// Another version may mean anything by its keys, so nothing else of such a file is judged.
bool check_version(ReadContext& context, const YamlNode& root) {
  const YamlNode* version = root.find("relapse");
  if (version == nullptr || version->is_broken() || (version->is_scalar() && version->text == "1"))
    return true;
  context.error(*version, "relapse: expected format version 1, got " + got_text(*version),
                "this is the only version that this relapse reads");
  return false;
}

std::unique_ptr<YamlNode> read_tree(ReadContext& context, const ReadLimits& limits) {
  const std::string_view text = context.source().text();
  if (text.size() > limits.file_bytes) {
    context.error(
        {1, 1}, 1,
        fmt::format("the file has {}, more than {}", bytes_text(text.size()), bytes_text(limits.file_bytes)),
        "keep large data in a .safetensors or .npy file beside the case");
    return nullptr;
  }
  if (const std::optional<BadByte> bad = find_bad_byte(text)) {
    context.error(context.source().pos_at(bad->offset), 1, bad->message);
    return nullptr;
  }
  return read_yaml(context.source(), limits,
                   [&](SourcePos pos, int length, std::string message, std::string hint) {
                     context.error(pos, length, std::move(message), std::move(hint));
                   });
}

void read_whole(ReadContext& context, const ReadLimits& limits, Case& target) {
  const std::unique_ptr<YamlNode> root = read_tree(context, limits);
  if (root != nullptr && !root->is_map()) {
    context.error(*root, "expected a map that starts with `relapse: 1`, got " + got_text(*root));
  } else if (root != nullptr && check_version(context, *root)) {
    read_fields(context, *root, Where{}, kCaseFields, target);
    check_case(context, *root, target);
  }
}

}  // namespace

ReadResult read_case(std::string_view text, const std::string& file, const std::string& id,
                     const ReadLimits& limits) {
  const SourceText source(text);
  ReadContext context(source, file, limits);
  Case target;
  target.id = id;
  target.file = file;

  try {
    read_whole(context, limits, target);
  } catch (const TooManyMistakes&) {
    // All that were found are told below.
  }

  ReadResult result;
  result.diagnostics = context.take_diagnostics();
  target.unsupported = context.take_unsupported();
  if (!has_errors(result.diagnostics)) result.value = std::move(target);
  return result;
}

ReadResult read_case_file(const std::string& path, const std::string& id, const ReadLimits& limits) {
  const Result<std::string> text = read_file(path, limits.file_bytes);
  if (text) return read_case(*text, path, id, limits);
  ReadResult result;
  Diagnostic diagnostic;
  diagnostic.file = path;
  diagnostic.message = text.error().message;
  result.diagnostics.push_back(std::move(diagnostic));
  return result;
}

Level case_level() {
  return level_of("case", kCaseFields);
}

}  // namespace relapse
