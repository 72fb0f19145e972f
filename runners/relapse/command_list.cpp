#include <fmt/format.h>

#include <harness/plan/plan.hpp>
#include <harness/support/file.hpp>
#include <harness/support/text.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <runners/relapse/commands.hpp>
#include <runners/relapse/ctest_file.hpp>
#include <runners/relapse/load.hpp>

namespace relapse {
namespace {

using Json = nlohmann::json;

struct ListArguments {
  std::vector<std::string> words, devices{"cpu", "cuda"};
  std::string root, ctest;
  CTestOptions ctest_options;
  bool json = false, checks = false;
};

Json case_json(const LoadedCase& one, const std::vector<std::string>& devices) {
  Json json{{"id", one.id}, {"file", one.path}, {"readable", one.kase != nullptr}};
  if (!one.kase) {
    json["messages"] = one.messages;
    return json;
  }
  json["title"] = one.kase->title;
  json["source"] = one.kase->incident.source;
  json["labels"] = one.kase->labels;
  json["refused"] = Json::array();
  for (const Unsupported& construct : one.kase->unsupported) json["refused"].push_back(construct.what);
  for (const std::string& device : devices) {
    Json names = Json::array();
    for (const Check& check : plan(*one.kase, device)) {
      names.push_back({{"id", check_id(one.id, device, check.name)},
                       {"check", check.name},
                       {"kind", to_string(check.kind)},
                       {"line", check.pos.line}});
    }
    json["devices"].push_back({{"device", device}, {"checks", names}});
  }
  return json;
}

void print_case(const LoadedCase& one, const ListArguments& arguments) {
  if (!one.kase) {
    fmt::print("{}  (broken: relapse lint {})\n", one.id, one.path);
    return;
  }
  std::string counts;
  for (const std::string& device : arguments.devices) {
    counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", device, plan(*one.kase, device).size());
  }
  fmt::print("{:<48} {:<22} [{}]\n", one.id, counts, join(one.kase->labels, ", "));
  if (!arguments.checks) return;
  for (const std::string& device : arguments.devices) {
    for (const Check& check : plan(*one.kase, device))
      fmt::print("  {}\n", check_id(one.id, device, check.name));
  }
}

ExitCode list(const ListArguments& arguments) {
  const Result<Loaded> loaded = load_cases(arguments.root, arguments.words);
  if (!loaded) return complain(loaded.error());
  for (const std::string& word : loaded->unmatched) {
    std::fprintf(stderr, "relapse: \"%s\" is no id, label, path or pattern of a case\n", word.c_str());
  }
  if (!arguments.ctest.empty()) {
    CTestOptions options = arguments.ctest_options;
    options.devices = arguments.devices;
    const Result<void> written = write_file_atomically(arguments.ctest, ctest_file(*loaded, options));
    return written ? ExitCode::held : complain(written.error());
  }
  if (arguments.json) {
    Json json{{"schema", 1}, {"root", loaded->root}, {"cases", Json::array()}};
    for (const LoadedCase& one : loaded->cases) json["cases"].push_back(case_json(one, arguments.devices));
    fmt::print("{}\n", json.dump(1, ' ', false, Json::error_handler_t::replace));
  } else {
    for (const LoadedCase& one : loaded->cases) print_case(one, arguments);
  }
  if (!loaded->unmatched.empty()) return ExitCode::usage;
  return loaded->cases.empty() ? ExitCode::nothing_ran : ExitCode::held;
}

}  // namespace

Command add_list(CLI::App& app, const Common&) {
  auto arguments = std::make_shared<ListArguments>();
  ListArguments& a = *arguments;
  app.add_option("cases", a.words, "ids, globs, labels, files or folders");
  app.add_option("--cases", a.root, "the cases folder (default: ./cases)");
  app.add_option("--device", a.devices, "kinds of device to list checks for (default: cpu,cuda)")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_flag("--json", a.json, "as JSON, schema version 1");
  app.add_flag("--checks", a.checks, "with the ids of all checks");
  app.add_option("--ctest", a.ctest, "write a script of add_test() calls for ctest to this file");
  app.add_option("--ctest-prefix", a.ctest_options.prefix, "of test names");
  app.add_option("--ctest-command", a.ctest_options.command, "words of a test's command, comma-separated")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--ctest-fixture", a.ctest_options.fixture, "fixture that every test requires");
  app.add_option("--ctest-folder", a.ctest_options.working_folder, "working folder of every test");
  app.add_option("--ctest-labels", a.ctest_options.labels, "labels of every test")
      ->delimiter(',')
      ->allow_extra_args(false);
  return [arguments] { return list(*arguments); };
}

}  // namespace relapse
