#include <harness/case/read_case.hpp>
#include <harness/case/read_contract.hpp>
#include <harness/case/read_inputs.hpp>
#include <harness/case/read_leaves.hpp>
#include <harness/case/read_options.hpp>
#include <harness/case/read_outcomes.hpp>
#include <harness/case/read_scenarios.hpp>
#include <harness/case/read_set.hpp>
#include <harness/case/read_subject.hpp>
#include <harness/case/schema.hpp>
#include <harness/case/substance/lint_rule.hpp>
#include <harness/support/text.hpp>
#include <nlohmann/json.hpp>

namespace relapse {

namespace {

using Json = nlohmann::ordered_json;

Json reference(std::string_view type) {
  return {{"$ref", "#/$defs/" + std::string(type)}};
}
Json one_of(std::vector<std::string> words) {
  return {{"enum", std::move(words)}};
}
Json any_of(std::initializer_list<std::string_view> types) {
  Json all = Json::array();
  for (const std::string_view type : types) all.push_back(reference(type));
  return {{"anyOf", std::move(all)}};
}
Json list_of(std::string_view type) {
  return {{"type", "array"}, {"items", reference(type)}};
}
Json map_of(std::string_view type) {
  return {{"type", "object"}, {"additionalProperties", reference(type)}};
}
Json one_or_list(std::string_view type) {
  return {{"anyOf", Json::array({reference(type), list_of(type)})}};
}

/// What an editor takes for a number or a truth value is text to the reader.
Json scalar() {
  return {{"type", {"string", "number", "boolean", "null"}}};
}

std::vector<std::string> error_names() {
  std::vector<std::string> names;
  for (int i = 0; i <= static_cast<int>(ErrorClass::any); ++i) {
    names.emplace_back(to_string(static_cast<ErrorClass>(i)));
  }
  return names;
}
std::vector<std::string> fault_names() {
  std::vector<std::string> names;
  for (int i = 0; i <= static_cast<int>(FaultKind::hang); ++i) {
    names.emplace_back(to_string(static_cast<FaultKind>(i)));
  }
  return names;
}

void add_leaves(Json& defs) {
  for (const char* name : {"text", "prose", "expression", "scalar", "clause", "name", "share", "label"})
    defs[name] = scalar();
  defs["version"] = {{"const", 1}};
  defs["true"] = {{"const", true}};
  defs["boolean"] = {{"type", "boolean"}};
  defs["number"] = {{"type", {"number", "string"}}};
  defs["count_number"] = {{"type", "integer"}, {"minimum", 0}};
  defs["seed"] = {{"type", "integer"}, {"minimum", 0}};
  defs["size"] = {{"type", {"string", "integer"}}, {"pattern", "^[0-9.]+ ?([KMGT]iB|B)?$"}};
  defs["versions"] = {{"type", "string"}, {"pattern", "^ *(>=|<=|==|!=|>|<)"}};
  defs["dtype"] = {{"type", "string"}};
  defs["dtype_name"] = one_of(dtype_names());
  std::vector<std::string> formats = memory_format_names();
  formats.insert(formats.end(), {"contiguous", "preserve"});
  defs["memory_format"] = one_of(formats);
  defs["device"] = one_of(device_words());
  defs["host"] = {{"const", "cpu"}};
  defs["error"] = one_of(error_names());
  defs["fault"] = one_of(fault_names());
  defs["fill"] = one_of({"zeros", "ones", "arange", "eye"});
  defs["random"] = one_of({"normal", "uniform", "integers", "bernoulli", "permutation"});
  defs["layout"] = one_of({"sparse_coo", "sparse_csr"});
  defs["order"] = one_of({"nondecreasing", "increasing"});
  defs["nan"] = {{"const", "allow"}};
  defs["nan_places"] = one_of({"refuse", "same_places"});
  defs["compare_mode"] = one_of({"exact", "close", "ulp"});
  defs["mode"] = one_of({"blocking", "async", "nocache", "sanitizer"});
  defs["isolate"] = {{"const", "each"}};
  defs["switch"] = {{"enum", {"on", "off", true, false}}};
  defs["off"] = {{"enum", {"off", false}}};
}

void add_lists(Json& defs) {
  defs["texts"] = one_or_list("text");
  defs["text_list"] = list_of("text");
  defs["names"] = list_of("name");
  defs["labels"] = list_of("label");
  defs["errors"] = one_or_list("error");
  defs["devices"] = one_or_list("device");
  defs["dtypes"] = one_or_list("dtype");
  defs["memory_formats"] = one_or_list("memory_format");
  defs["modes"] = one_or_list("mode");
  defs["expressions"] = list_of("expression");
  defs["integers"] = {{"type", "array"}, {"items", {{"type", "integer"}}}};
  defs["indices"] = list_of("scalar");
  defs["nested"] = any_of({"scalar", "values"});
  defs["values"] = any_of({"scalar", "value_list"});
  defs["value_list"] = list_of("nested");
  defs["shapes"] = any_of({"expressions", "shape_list"});
  defs["shape_list"] = list_of("expressions");
  defs["count"] = any_of({"scalar", "expressions", "range"});
  defs["versions_map"] = map_of("text");
  defs["device_files"] = map_of("text");
  defs["dims"] = map_of("expression");
  defs["dtype_symbols"] = map_of("dtype_name");
  defs["batch_symbol"] = one_or_list("scalar");
  defs["expression_or_nothing"] = scalar();
}

void add_parts(Json& defs) {
  defs["input"] = any_of({"scalar", "value_list", "input_form", "text_form"});
  defs["input_list"] = list_of("input");
  defs["inputs"] = map_of("input");
  defs["arguments"] = any_of({"input_list", "inputs"});
  defs["set"] = list_of("set_item");
  defs["equals"] = reference("input");
  defs["reference"] = one_or_list("expression");
  defs["relations"] = map_of("expression");
  Json side = map_of("clauses");
  side["properties"] = {{"where", reference("relations")}, {"log", reference("log")}};
  defs["side"] = std::move(side);
  defs["distinct"]["anyOf"] = Json::array({reference("true"), reference("distinct_map")});
  defs["compare"] = any_of({"compare_mode", "number", "compare_map"});
  defs["agreement"] = any_of({"switch", "compare_mode", "number", "agreement_map"});
  defs["steps"] = list_of("expression");
  defs["python_calls"] = list_of("python_call");
  defs["subject"] =
      any_of({"steps", "python_subject", "command_subject", "script_subject", "package_subject"});
  defs["rebinding"] = map_of("expression_or_nothing");
  defs["unfixed"] = any_of({"steps", "python_subject", "command_subject", "script_subject", "package_subject",
                            "unfixed_libraries", "unfixed_none", "rebinding"});
  defs["mutants"] = list_of("mutant");
  defs["accepted"] = {{"const", "accepted"}};
  defs["symptom"] = any_of({"accepted", "symptom_map"});
  Json symptoms = {{"type", "object"}, {"propertyNames", reference("device")}};
  symptoms["additionalProperties"] = one_or_list("symptom");
  defs["symptoms"] = std::move(symptoms);
  defs["outcome_word"] = one_of({"rejected", "returns"});
  defs["outcome"] = any_of({"outcome_word", "rejected_map", "raises_map"});
  defs["outcome_list"] = list_of("outcome");
  defs["outcomes"] = any_of({"outcome", "any_of_map"});
  Json by_device = {{"type", "object"}, {"propertyNames", reference("device")}};
  by_device["additionalProperties"] = reference("outcomes");
  defs["outcomes_by_device"] = std::move(by_device);
  defs["expect"] = any_of({"outcomes", "outcomes_by_device"});
  defs["failing"] = one_or_list("failing_map");
  defs["corrected"] = one_or_list("corrected_map");
  defs["batches"] = list_of("batch");
  defs["batches"]["minItems"] = 2;
  Json silences = {{"type", "object"}, {"minProperties", 1}};
  silences["propertyNames"] = {{"pattern", "^(" + join(lint_rule_ids(), "|") + ")( .+)?$"}};
  silences["additionalProperties"] = reference("prose");
  defs["silences"] = std::move(silences);
  defs["boundaries"] = any_of({"off", "names"});
}

Json level_schema(const Level& level) {
  Json properties = Json::object(), needed = Json::array();
  for (const KeyRow& row : level.rows) {
    properties[std::string(row.key)] = reference(row.type);
    properties[std::string(row.key)]["description"] = row.doc;
    if (row.presence == Presence::needed) needed.push_back(row.key);
  }
  Json schema = {{"type", "object"}, {"properties", std::move(properties)}};
  if (!needed.empty()) schema["required"] = std::move(needed);
  schema["additionalProperties"] = level.other_keys.empty() ? Json(false) : reference(level.other_keys);
  return schema;
}

}  // namespace

std::vector<Level> format_levels() {
  return {case_level(),         incident_level(), input_form_level(), text_form_level(),
          set_item_level(),     contract_level(), clauses_level(),    range_level(),
          distinct_level(),     sums_to_level(),  compare_level(),    agrees_level(),
          agreement_level(),    log_level(),      python_level(),     python_call_level(),
          command_level(),      script_level(),   package_level(),    unfixed_libraries_level(),
          unfixed_none_level(), mutant_level(),   failing_level(),    corrected_level(),
          batch_level(),        symptom_level(),  rejected_level(),   raises_level(),
          any_of_level(),       needs_level(),    limits_level(),     run_level()};
}

std::string json_schema() {
  Json defs = Json::object();
  for (const Level& level : format_levels()) defs[std::string(level.name)] = level_schema(level);
  add_leaves(defs);
  add_lists(defs);
  add_parts(defs);
  Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                 {"title", "relapse case, format version 1"},
                 {"$ref", "#/$defs/case"},
                 {"$defs", std::move(defs)}};
  return schema.dump(2) + "\n";
}

}  // namespace relapse
