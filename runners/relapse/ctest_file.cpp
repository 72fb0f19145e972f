#include <fmt/format.h>

#include <cmath>
#include <runners/relapse/ctest_file.hpp>

namespace relapse {
namespace {

constexpr double kCpuTimeout = 60, kDeviceTimeout = 120;

/// A bracket argument: nothing in it is special to CMake, whatever the path holds.
std::string bracket(const std::string& text) {
  std::string equals = "=";
  while (text.find("]" + equals + "]") != std::string::npos) equals += "=";
  return "[" + equals + "[" + text + "]" + equals + "]";
}

/// A list as one property value: semicolons inside an entry are escaped.
std::string list_value(const std::vector<std::string>& entries) {
  std::string value;
  for (const std::string& entry : entries) {
    if (!value.empty()) value += ';';
    for (const char c : entry) value += c == ';' ? std::string("\\;") : std::string(1, c);
  }
  return value;
}

/// The runner stops a case after its second time-out; each may take the limit, the grace period and a start.
int timeout_of(const Case* kase, const std::string& device) {
  const double own =
      kase ? kase->limits.timeout.value_or(device == "cpu" ? kCpuTimeout : kDeviceTimeout) : kCpuTimeout;
  return static_cast<int>(std::ceil(3 * (own + 5) + 30));
}

}  // namespace

std::string ctest_file(const Loaded& loaded, const CTestOptions& options) {
  std::string out = "# Written by `relapse list` when ctest starts; edits are lost.\n";
  for (const LoadedCase& one : loaded.cases) {
    for (const std::string& device : options.devices) {
      const std::string name = fmt::format("{}{}@{}", options.prefix, one.id, device);
      out += fmt::format("add_test({}", bracket(name));
      for (const std::string& word : options.command) out += " " + bracket(word);
      out += fmt::format(" {})\n", bracket(one.id + "@" + device));
      std::vector<std::string> labels = options.labels;
      if (one.kase) labels.insert(labels.end(), one.kase->labels.begin(), one.kase->labels.end());
      labels.push_back(device);
      out += fmt::format("set_tests_properties({} PROPERTIES LABELS {} TIMEOUT {} SKIP_RETURN_CODE 77",
                         bracket(name), bracket(list_value(labels)), timeout_of(one.kase.get(), device));
      if (!options.working_folder.empty()) out += " WORKING_DIRECTORY " + bracket(options.working_folder);
      if (!options.fixture.empty()) out += " FIXTURES_REQUIRED " + bracket(options.fixture);
      if (device != "cpu") {
        const int gpus = one.kase ? one.kase->needs.gpus.value_or(1) : 1;
        out += fmt::format(" RESOURCE_GROUPS {}", bracket(fmt::format("{},gpus:1", gpus)));
      }
      out += ")\n";
    }
  }
  return out;
}

}  // namespace relapse
