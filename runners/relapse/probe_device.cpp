#include <runners/relapse/probe_device.hpp>

namespace relapse {

Request probe_request(const std::string& kind, std::vector<std::string> libraries) {
  Request request;
  request.kind = RequestKind::probe;
  request.device = kind;
  request.libraries = std::move(libraries);
  return request;
}

DeviceInventory inventory_of(const nlohmann::json& answer) {
  DeviceInventory inventory;
  inventory.driver = answer.value("driver", "");
  for (const nlohmann::json& one : answer.value("devices", nlohmann::json::array())) {
    inventory.devices.push_back({one.value("name", ""), one.value("capability", ""),
                                 one.value("memory", std::uint64_t{0}),
                                 one.value("free_memory", std::uint64_t{0})});
  }
  return inventory;
}

}  // namespace relapse
