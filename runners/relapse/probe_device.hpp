#pragma once

// Asking a child which devices of a kind there are; it may start their driver.

#include <harness/isolate/request.hpp>
#include <harness/schedule/machine.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace relapse {

/// LibTorch's CUDA half; the worker finds it where its LibTorch lies.
inline constexpr const char* kTorchCuda = "libtorch_cuda.so";

Request probe_request(const std::string& kind, std::vector<std::string> libraries);
/// The devices in the answer to such a request.
DeviceInventory inventory_of(const nlohmann::json& answer);

}  // namespace relapse
