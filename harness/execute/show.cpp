#include <ATen/Version.h>
#include <fmt/format.h>

#include <torch/headeronly/version.h>
#include <algorithm>
#include <filesystem>
#include <harness/device/device.hpp>
#include <harness/device/inventory.hpp>
#include <harness/execute/check_run.hpp>
#include <harness/execute/show.hpp>
#include <harness/isolate/wire.hpp>
#include <harness/operator/operator_table.hpp>
#include <harness/plan/plan.hpp>
#include <harness/tensor/facts.hpp>
#include <sstream>

namespace relapse {
namespace {

nlohmann::json schemas_of(const std::string& written) {
  const OperatorRef op = parse_operator(written);
  nlohmann::json body;
  body["operator"] = op.qualified;
  body["schemas"] = nlohmann::json::array();
  for (const c10::OperatorHandle& handle : OperatorTable::installed().overloads(op.qualified)) {
    if (op.has_overload && handle.schema().overload_name() != op.overload) continue;
    std::ostringstream text;
    text << handle.schema();
    body["schemas"].push_back({{"overload", handle.schema().overload_name()}, {"schema", text.str()}});
  }
  body["nearest"] = OperatorTable::installed().nearest(op.qualified);
  return body;
}

nlohmann::json library() {
  return {{"torch_version", TORCH_VERSION},
          {"operators", c10::Dispatcher::singleton().getAllOpNames().size()},
          {"build", at::show_config()}};
}

/// A device is used before it is described: what only looks present is not.
nlohmann::json library(const Request& request) {
  nlohmann::json body = library();
  if (request.device.empty() || request.device == "cpu") return body;
  const OpenedDevice opened = open_device(request.device);
  body["why"] = opened.why;
  if (opened.code) body["code"] = *opened.code;
  body["devices"] = nlohmann::json::array();
  if (!opened.why.empty()) return body;
  for (const DeviceFacts& facts : devices_of_type(opened.device.type())) {
    nlohmann::json entry{{"name", facts.name},
                         {"memory", facts.memory},
                         {"free_memory", facts.free_memory},
                         {"capability", facts.capability}};
    body["devices"].push_back(std::move(entry));
  }
  body["driver"] = driver_version();
  return body;
}

nlohmann::json canary(const Request& request) {
  const OpenedDevice opened = open_device(request.device);
  if (!opened.why.empty()) return {{"well", false}, {"why", opened.why}};
  const std::string why = why_no_known_answer(opened.device);
  return {{"well", why.empty()}, {"why", why}};
}

int finish(const Request& request, int fd, nlohmann::json body) {
  if (!send_line(fd, to_json(Message{Answer{std::move(body)}}))) return 1;
  return send_line(fd, to_json(Message{Done{request.nonce, 0, 0, 0}})) ? 0 : 1;
}

}  // namespace

int answer(const Request& request, int protocol_fd) {
  if (request.kind == RequestKind::schemas) return finish(request, protocol_fd, schemas_of(request.text));
  if (request.kind == RequestKind::canary) return finish(request, protocol_fd, canary(request));
  return finish(request, protocol_fd, library(request));
}

int answer_trouble(const Request& request, const std::string& why, int protocol_fd) {
  return finish(request, protocol_fd, {{"well", false}, {"why", why}, {"trouble", why}});
}

int answer_facts(const Request& request, const Case& kase, int protocol_fd) {
  AttemptContext context;
  context.kase = &kase;
  context.folder = std::filesystem::path(request.case_file).parent_path().string();
  nlohmann::json body;
  body["checks"] = nlohmann::json::array();
  for (const Check& check : plan(kase, request.device)) {
    if (check.probe ||
        std::find(request.checks.begin(), request.checks.end(), check.name) == request.checks.end())
      continue;
    nlohmann::json entry{{"check", check.name}, {"inputs", nlohmann::json::array()}};
    const FormResult<Inputs> inputs = inputs_of(context, check);
    if (inputs) {
      for (const Input& input : inputs->all)
        entry["inputs"].push_back(to_json(facts_of(input.name, input.value)));
    } else {
      entry["error"] = inputs.error().message;
    }
    body["checks"].push_back(std::move(entry));
  }
  return finish(request, protocol_fd, std::move(body));
}

}  // namespace relapse
