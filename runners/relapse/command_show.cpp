#include <fmt/format.h>

#include <filesystem>
#include <harness/isolate/server.hpp>
#include <harness/plan/plan.hpp>
#include <harness/schedule/machine.hpp>
#include <harness/schedule/needs.hpp>
#include <harness/support/text.hpp>
#include <memory>
#include <runners/relapse/ask.hpp>
#include <runners/relapse/commands.hpp>
#include <runners/relapse/load.hpp>
#include <runners/relapse/worker_path.hpp>

namespace relapse {
namespace {

using Json = nlohmann::json;

struct ShowArguments {
  std::string word, root;
};

ExitCode show_operator(const std::string& word, Isolator& isolator) {
  Request request;
  request.kind = RequestKind::schemas;
  request.text = word;
  const Result<Json> answer = ask(isolator, request);
  if (!answer) return complain(answer.error());
  const Json& schemas = (*answer)["schemas"];
  if (schemas.empty()) {
    const Json& near = (*answer)["nearest"];
    std::fprintf(
        stderr, "relapse: \"%s\" is neither a case nor an installed operator%s\n", word.c_str(),
        near.empty() ? "" : fmt::format("; did you mean \"{}\"?", near.front().get<std::string>()).c_str());
    return ExitCode::usage;
  }
  for (const Json& schema : schemas) fmt::print("{}\n", schema.value("schema", ""));
  return ExitCode::held;
}

std::string fact_line(const Json& facts) {
  if (!facts.contains("dtype") || facts["dtype"].get<std::string>().empty()) {
    return fmt::format("    {:<16} {}", facts.value("name", ""), facts.value("text", ""));
  }
  std::string line = fmt::format("    {:<16} {:<9} {}  strides {}", facts.value("name", ""),
                                 facts.value("dtype", ""), facts["shape"].dump(), facts["strides"].dump());
  if (!facts.value("min", "").empty())
    line += fmt::format("  min {}  max {}", facts.value("min", ""), facts.value("max", ""));
  if (facts.contains("finite") && facts["finite"].is_boolean())
    line += facts["finite"].get<bool>() ? "  finite" : "  not finite";
  return line;
}

ExitCode show_case(const LoadedCase& one, Isolator& isolator) {
  if (!one.kase) {
    for (const std::string& message : one.messages) std::fprintf(stderr, "%s\n", message.c_str());
    return ExitCode::usage;
  }
  const Case& kase = *one.kase;
  fmt::print("{}   {}\n{}\n", one.id, one.path, kase.title);
  if (!kase.incident.source.empty()) fmt::print("{} {}\n", kase.incident.source, kase.incident.date);
  fmt::print("cause  {}\nfix    {}\n", kase.incident.cause, kase.incident.fix);
  Request request;
  request.kind = RequestKind::facts;
  request.case_file = std::filesystem::absolute(one.path).string();
  request.case_id = one.id;
  request.device = "cpu";
  // What this machine has no room for is named rather than made.
  const Machine machine = this_machine();
  std::vector<std::string> skipped;
  for (const Check& check : plan(kase, "cpu")) {
    if (check.probe) continue;
    std::string reason = unmet(kase.needs, "cpu", machine, "");
    if (reason.empty()) reason = unmet(check.scenario.needs, "cpu", machine, "");
    if (reason.empty())
      request.checks.push_back(check.name);
    else
      skipped.push_back(fmt::format("{}: {}", check.name, reason));
  }
  const Result<Json> answer = ask(isolator, request);
  if (!answer) return complain(answer.error());
  for (const Json& check : (*answer)["checks"]) {
    fmt::print("\n  {}\n", check.value("check", ""));
    for (const Json& facts : check["inputs"]) fmt::print("{}\n", fact_line(facts));
    if (check.contains("error")) fmt::print("    {}\n", check.value("error", ""));
  }
  for (const std::string& reason : skipped) fmt::print("\n  {}\n", reason);
  return ExitCode::held;
}

ExitCode show(const Common& common, const ShowArguments& arguments) {
  IsolatorOptions options;
  options.worker = worker_path(common.worker);
  options.server_socket = default_server_socket(options.worker);
  Result<Isolator> isolator = Isolator::create(options);
  if (!isolator) return complain(isolator.error());
  const Result<Loaded> loaded = load_cases(arguments.root, {arguments.word});
  // `show embedding` is the operator although a folder of cases has that name; only an id or a path names a
  // case for sure.
  const bool names_a_case =
      loaded && std::any_of(loaded->cases.begin(), loaded->cases.end(), [&](const LoadedCase& one) {
        return one.id == arguments.word || one.path == arguments.word;
      });
  if (names_a_case) {
    ExitCode code = ExitCode::held;
    for (const LoadedCase& one : loaded->cases) {
      if (one.id != arguments.word && one.path != arguments.word) continue;
      const ExitCode own = show_case(one, *isolator);
      if (own != ExitCode::held) code = own;
    }
    return code;
  }
  return show_operator(arguments.word, *isolator);
}

}  // namespace

Command add_show(CLI::App& app, const Common& common) {
  auto arguments = std::make_shared<ShowArguments>();
  app.add_option("what", arguments->word, "an operator (`embedding`, `aten::add.Tensor`) or a case's id")
      ->required();
  app.add_option("--cases", arguments->root, "the cases folder (default: ./cases)");
  return [arguments, &common] { return show(common, *arguments); };
}

}  // namespace relapse
