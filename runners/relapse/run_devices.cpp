#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <harness/support/text.hpp>
#include <runners/relapse/ask.hpp>
#include <runners/relapse/probe_device.hpp>
#include <runners/relapse/run_devices.hpp>
#include <set>

namespace relapse {
namespace {

using Json = nlohmann::json;

/// What the options and words ask of one kind.
struct Wanted {
  std::string kind;
  std::set<int> indices;  ///< empty: all of them
  bool required = false;
};

bool is_pattern(const std::string& word) {
  return word.find_first_of("*?[") != std::string::npos;
}

Result<std::vector<Wanted>> wanted(const RunArguments& arguments, const Loaded& loaded) {
  std::vector<std::string> words = arguments.devices;
  const bool all_words_say =
      !loaded.words.empty() && std::all_of(loaded.words.begin(), loaded.words.end(), [](const auto& word) {
        return !word->device.empty() && !is_pattern(word->device);
      });
  if (words.empty() && all_words_say) {
    for (const auto& word : loaded.words) words.push_back(word->device);
  }
  if (words.empty()) {
    words = {"cpu", "cuda"};
  }
  std::vector<Wanted> all;
  std::set<std::string> whole;  // kinds that some word means as a whole
  const auto add = [&](const std::string& word, bool required) -> Result<void> {
    const std::optional<DeviceWord> parsed = parse_device(word);
    if (!parsed) {
      return fail(ErrorKind::usage,
                  fmt::format("device {}: expected a kind or one device of it, such as cuda or cuda:1",
                              relapse::quoted(word)));
    }
    if (parsed->kind == "cpu" && parsed->index)
      return fail(ErrorKind::usage,
                  fmt::format("device {}: there is one cpu; -j says how much of it", relapse::quoted(word)));
    auto found =
        std::find_if(all.begin(), all.end(), [&](const Wanted& one) { return one.kind == parsed->kind; });
    if (found == all.end()) found = all.insert(all.end(), Wanted{parsed->kind, {}, false});
    found->required = found->required || required;
    if (parsed->index)
      found->indices.insert(*parsed->index);
    else
      whole.insert(parsed->kind);
    return {};
  };
  for (const std::string& word : words) {
    if (Result<void> added = add(word, false); !added) return tl::make_unexpected(added.error());
  }
  for (const std::string& word : arguments.required) {
    if (Result<void> added = add(word, true); !added) return tl::make_unexpected(added.error());
  }
  for (Wanted& one : all) {
    if (whole.count(one.kind)) one.indices.clear();
  }
  return all;
}

/// What the driver calls the devices that the caller sees: its own list when it has one.
std::string visible_name(std::size_t index) {
  const char* list = std::getenv("CUDA_VISIBLE_DEVICES");
  if (!list || !*list) return std::to_string(index);
  const std::vector<std::string> names = split(list, ',');
  return index < names.size() ? std::string(trim(names[index])) : std::to_string(index);
}

/// GPUs that CTest gave to this test (its manual, "Resource Allocation"): ids of the resource type `gpus`;
/// nothing when it gave none away.
std::optional<std::set<int>> allotted_by_ctest() {
  const char* groups = std::getenv("CTEST_RESOURCE_GROUP_COUNT");
  if (!groups) return std::nullopt;
  std::set<int> ids;
  for (int group = 0; group < std::atoi(groups); ++group) {
    const char* given = std::getenv(fmt::format("CTEST_RESOURCE_GROUP_{}_GPUS", group).c_str());
    for (const std::string& resource : split(given ? given : "", ';')) {
      int id = 0;
      if (std::sscanf(resource.c_str(), "id:%d", &id) == 1) ids.insert(id);
    }
  }
  return ids;
}

std::string absolute(const std::string& path) {
  return path.find('/') == std::string::npos && !std::filesystem::exists(path)
             ? path
             : std::filesystem::absolute(path).lexically_normal().string();
}

/// Codes of CUDA that say that there is no device to use, rather than that it does not work.
bool is_absence(int code) {
  constexpr int kInsufficientDriver = 35, kNoDevice = 100, kNotSupportedOnDevice = 803,
                kCompatNotSupported = 804;
  return code == kInsufficientDriver || code == kNoDevice || code == kNotSupportedOnDevice ||
         code == kCompatNotSupported;
}

/// Asks a child, which may start a driver, and fills in what is there.
void probe(Isolator& isolator, RunDevice& device, Machine& machine) {
  const Result<Json> answer = ask(isolator, probe_request(device.kind, device.use.libraries));
  DeviceInventory& inventory = machine.devices[device.kind];
  // A backend that was named is wanted; LibTorch without its CUDA half is a usual thing.
  const bool named = device.kind != "cuda";
  const bool fails = !answer || (named && answer->contains("trouble")) ||
                     (answer->contains("code") && !is_absence(answer->value("code", 0)));
  if (answer) device.reason = answer->value("trouble", answer->value("why", ""));
  if (fails) {
    // It is there, and fails: that is the canary's to say, as infrastructure, and no reason to skip.
    device.reason.clear();
    inventory.devices.push_back({device.kind + ":0", "", 0, 0});
    return;
  }
  if (!device.reason.empty()) return;
  inventory = inventory_of(*answer);
  if (inventory.devices.empty()) device.reason = "its driver lists no device";
}

/// One slot for each device that is meant.
Result<void> choose_slots(const Wanted& one, RunDevice& device, const Machine& machine) {
  const DeviceInventory& inventory = machine.devices.at(device.kind);
  const int count = static_cast<int>(inventory.devices.size());
  std::set<int> indices = one.indices;
  for (const int index : indices) {
    if (index >= count) {
      return fail(one.required ? ErrorKind::infrastructure : ErrorKind::usage,
                  fmt::format("device {}:{} is not here: there {} {} of kind {}", one.kind, index,
                              count == 1 ? "is" : "are", count, one.kind));
    }
  }
  const bool is_cuda = device.kind == "cuda";
  const std::optional<std::set<int>> allotted = is_cuda ? allotted_by_ctest() : std::nullopt;
  for (int index = 0; index < count; ++index) {
    if (!indices.empty() && !indices.count(index)) continue;
    if (allotted && !allotted->empty() && !allotted->count(index)) continue;
    const DeviceInventory::One& facts = inventory.devices[static_cast<std::size_t>(index)];
    device.names.push_back(facts.name);
    device.use.slots.push_back({fmt::format("{}:{}", device.kind, index),
                                is_cuda ? visible_name(static_cast<std::size_t>(index)) : "", facts.memory});
    // Without a way to choose, each process uses the first device of a backend.
    if (!is_cuda) break;
  }
  if (device.use.slots.empty()) device.reason = "CTest allots none of its devices to this test";
  return {};
}

}  // namespace

std::optional<DeviceWord> parse_device(const std::string& word) {
  const std::size_t colon = word.find(':');
  DeviceWord device{word.substr(0, colon), std::nullopt};
  const bool is_name =
      !device.kind.empty() && std::all_of(device.kind.begin(), device.kind.end(), [](unsigned char c) {
        return std::islower(c) || std::isdigit(c) || c == '_';
      });
  if (!is_name) return std::nullopt;
  if (colon == std::string::npos) return device;
  int index = 0;
  const char* const end = word.data() + word.size();
  const auto [next, error] = std::from_chars(word.data() + colon + 1, end, index);
  if (error != std::errc() || next != end || index < 0) return std::nullopt;
  device.index = index;
  return device;
}

Result<std::vector<RunDevice>> devices_of(const RunArguments& arguments, const Loaded& loaded,
                                          Isolator& isolator, Machine& machine) {
  const Result<std::vector<Wanted>> kinds = wanted(arguments, loaded);
  if (!kinds) return tl::make_unexpected(kinds.error());
  std::vector<RunDevice> devices;
  for (const Wanted& one : *kinds) {
    RunDevice device;
    device.kind = one.kind;
    device.required = one.required;
    device.reason = why_absent(one.kind, machine);
    device.use.kind = one.kind;
    if (one.kind == "cuda") device.use.libraries.emplace_back(kTorchCuda);
    if (one.kind != "cpu" && one.kind != "cuda") {
      if (arguments.plugins.empty()) {
        return fail(
            ErrorKind::usage,
            fmt::format(
                "unknown device {}{}; known are cpu and cuda, and others with --device-plugin LIBRARY",
                relapse::quoted(one.kind), did_you_mean(one.kind, {"cpu", "cuda"})));
      }
      for (const std::string& plugin : arguments.plugins) device.use.libraries.push_back(absolute(plugin));
    }
    if (device.reason.empty() && one.kind != "cpu") {
      probe(isolator, device, machine);
      if (device.reason.empty()) {
        if (const Result<void> chosen = choose_slots(one, device, machine); !chosen)
          return tl::make_unexpected(chosen.error());
      }
    }
    device.present = device.reason.empty();
    devices.push_back(std::move(device));
  }
  return devices;
}

}  // namespace relapse
