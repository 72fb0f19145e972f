#include <fmt/format.h>

#include <algorithm>
#include <harness/schedule/needs.hpp>
#include <harness/support/text.hpp>

namespace relapse {

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
  return {};
}

}  // namespace relapse
