#include <ATen/Version.h>
#include <fmt/format.h>

#include <torch/headeronly/version.h>
#include <algorithm>
#include <filesystem>
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

int finish(const Request& request, int fd, nlohmann::json body) {
  if (!send_line(fd, to_json(Message{Answer{std::move(body)}}))) return 1;
  return send_line(fd, to_json(Message{Done{request.nonce, 0, 0, 0}})) ? 0 : 1;
}

}  // namespace

int answer(const Request& request, int protocol_fd) {
  if (request.kind == RequestKind::schemas) return finish(request, protocol_fd, schemas_of(request.text));
  return finish(request, protocol_fd, library());
}

int answer_facts(const Request& request, const Case& kase, int protocol_fd) {
  AttemptContext context;
  context.kase = &kase;
  context.folder = std::filesystem::path(request.case_file).parent_path().string();
  nlohmann::json body;
  body["checks"] = nlohmann::json::array();
  for (const Check& check : plan(kase, request.device.substr(0, request.device.find(':')))) {
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
