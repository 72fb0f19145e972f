#include <fmt/format.h>

#include <algorithm>
#include <harness/support/text.hpp>
#include <runners/relapse/run_devices.hpp>

namespace relapse {
namespace {

bool asked_by_name(const RunArguments& arguments, const Loaded& loaded, const std::string& kind) {
  if (std::find(arguments.devices.begin(), arguments.devices.end(), kind) != arguments.devices.end())
    return true;
  return std::any_of(loaded.words.begin(), loaded.words.end(),
                     [&](const auto& word) { return word->device == kind; });
}

/// Kinds that the words and options mean: by default the CPU and CUDA, of which the absent one is skipped
/// aloud.
std::vector<std::string> wanted_kinds(const RunArguments& arguments, const Loaded& loaded) {
  std::vector<std::string> kinds = arguments.devices;
  const bool all_words_say =
      !loaded.words.empty() && std::all_of(loaded.words.begin(), loaded.words.end(), [](const auto& word) {
        return !word->device.empty() && word->device.find_first_of("*?[") == std::string::npos;
      });
  if (kinds.empty() && all_words_say) {
    for (const auto& word : loaded.words) kinds.push_back(word->device);
  }
  if (kinds.empty()) kinds = {"cpu", "cuda"};
  for (const std::string& kind : arguments.required) kinds.push_back(kind);
  std::vector<std::string> unique;
  for (const std::string& kind : kinds) {
    if (std::find(unique.begin(), unique.end(), kind) == unique.end()) unique.push_back(kind);
  }
  return unique;
}

}  // namespace

Result<std::vector<RunDevice>> devices_of(const RunArguments& arguments, const Loaded& loaded,
                                          const Machine& machine) {
  std::vector<RunDevice> devices;
  for (const std::string& kind : wanted_kinds(arguments, loaded)) {
    if (kind != "cpu" && kind != "cuda") {
      return fail(ErrorKind::usage, fmt::format("unknown device \"{}\"{}; this version knows cpu and cuda",
                                                kind, did_you_mean(kind, {"cpu", "cuda"})));
    }
    RunDevice device{kind, false, false, why_absent(kind, machine)};
    device.required =
        std::find(arguments.required.begin(), arguments.required.end(), kind) != arguments.required.end();
    if (device.reason.empty() && kind != "cpu") {
      // A GPU is here, but nothing drives it yet. Whoever names it is refused; a plain run says it and goes
      // on.
      if (device.required || asked_by_name(arguments, loaded, kind)) {
        return fail(ErrorKind::usage,
                    fmt::format("device {} is not executed by relapse {}: it runs cases on the cpu", kind,
                                RELAPSE_VERSION));
      }
      device.reason = fmt::format("not executed by relapse {}", RELAPSE_VERSION);
    }
    device.present = device.reason.empty();
    devices.push_back(std::move(device));
  }
  return devices;
}

}  // namespace relapse
