#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <harness/schedule/needs.hpp>
#include <harness/support/text.hpp>

namespace relapse {

namespace {

std::vector<int> numbers_of(std::string_view version) {
  std::vector<int> numbers;
  for (const std::string& part : split(std::string(version), '.')) {
    int number = 0;
    std::from_chars(part.data(), part.data() + part.size(), number);
    numbers.push_back(number);
  }
  return numbers;
}

/// `>=8.0` against `9.0`.
bool capability_fits(const std::string& range, const std::string& capability) {
  const std::size_t digits = range.find_first_of("0123456789");
  if (digits == std::string::npos || capability.empty()) return false;
  const std::string op(trim(std::string_view(range).substr(0, digits)));
  const std::vector<int> asked = numbers_of(range.substr(digits)), here = numbers_of(capability);
  if (op == ">=") return here >= asked;
  if (op == ">") return here > asked;
  if (op == "<=") return here <= asked;
  if (op == "<") return here < asked;
  return here == asked;
}

std::string unmet_by(const Needs& needs, const std::string& kind, const DeviceInventory& inventory) {
  const int count = static_cast<int>(inventory.devices.size());
  if (needs.gpus && count < *needs.gpus)
    return fmt::format("needs {} devices of kind {}, {} {} here", *needs.gpus, kind, count,
                       count == 1 ? "is" : "are");
  if (inventory.devices.empty()) return {};
  const DeviceInventory::One& first = inventory.devices.front();
  if (!needs.compute_capability.empty() && !capability_fits(needs.compute_capability, first.capability)) {
    return fmt::format("needs compute capability {}, {} has {}", needs.compute_capability, first.name,
                       first.capability.empty() ? "none" : first.capability);
  }
  if (!needs.cuda.bounds.empty() && !needs.cuda.contains(inventory.driver)) {
    return fmt::format("needs CUDA {}, the driver serves {}", needs.cuda.text,
                       inventory.driver.empty() ? "none" : inventory.driver);
  }
  if (needs.device_memory && first.memory > 0 && first.memory < *needs.device_memory) {
    return fmt::format("needs {} of device memory, {} has {}", bytes_text(*needs.device_memory), first.name,
                       bytes_text(first.memory));
  }
  return {};
}

}  // namespace

std::string unmet(const Needs& needs, const std::string& device_kind, const Machine& machine,
                  const std::string& torch_version) {
  if (!needs.devices.empty() &&
      std::find(needs.devices.begin(), needs.devices.end(), device_kind) == needs.devices.end()) {
    return fmt::format("needs {}", join_or(needs.devices));
  }
  if (needs.memory && machine.memory < *needs.memory) {
    return fmt::format("needs {} of memory, {} are here", bytes_text(*needs.memory),
                       bytes_text(machine.memory));
  }
  if (!needs.torch.bounds.empty() && !torch_version.empty() && !needs.torch.contains(torch_version)) {
    return fmt::format("needs LibTorch {}, {} is here", needs.torch.text, torch_version);
  }
  if (device_kind == "cpu") return {};
  const auto found = machine.devices.find(device_kind);
  return found == machine.devices.end() ? std::string() : unmet_by(needs, device_kind, found->second);
}

}  // namespace relapse
