#include <algorithm>
#include <array>
#include <charconv>
#include <harness/case/case.hpp>
#include <harness/support/text.hpp>

namespace relapse {

namespace {

// Each in the order of its enumerators.
constexpr std::array<std::string_view, 22> kClauses = {
    "dtype",     "shape",      "rank",          "numel",   "finite",   "min",          "max",    "above",
    "below",     "one_of",     "none_of",       "sorted",  "distinct", "sums_to",      "equals", "same_as",
    "unchanged", "contiguous", "memory_format", "strides", "device",   "requires_grad"};
constexpr std::array<std::string_view, 5> kTwins = {"cpu", "float64", "contiguous", "repeat", "async"};
constexpr std::array<std::string_view, 9> kErrors = {"index_error",     "type_error",    "value_error",
                                                     "not_implemented", "out_of_memory", "linalg_error",
                                                     "contract_error",  "runtime_error", "any"};
constexpr std::array<std::string_view, 9> kFaults = {"device_assert",
                                                     "illegal_access",
                                                     "misaligned_address",
                                                     "launch_failure",
                                                     "illegal_instruction",
                                                     "launch_timeout",
                                                     "library_error",
                                                     "crash",
                                                     "hang"};

/// The leading numbers of a version: of `2.15.0a0+cu132` these are 2, 15, 0.
std::vector<int> release_numbers(std::string_view version) {
  std::vector<int> numbers;
  const char* at = version.data();
  const char* const end = at + version.size();
  while (at < end) {
    int value = 0;
    const auto read = std::from_chars(at, end, value);
    if (read.ec != std::errc()) break;
    numbers.push_back(value);
    at = read.ptr;
    if (at == end || *at != '.') break;
    ++at;
  }
  return numbers;
}

/// -1, 0 or 1; missing numbers count as 0.
int compare_versions(const std::vector<int>& a, const std::vector<int>& b) {
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    const int left = i < a.size() ? a[i] : 0;
    const int right = i < b.size() ? b[i] : 0;
    if (left != right) return left < right ? -1 : 1;
  }
  return 0;
}

}  // namespace

std::string_view to_string(ClauseKind kind) {
  return kClauses[static_cast<std::size_t>(kind)];
}

const std::vector<std::string>& clause_names() {
  static const std::vector<std::string> names(kClauses.begin(), kClauses.end());
  return names;
}

const NameContract* ContractSide::find(std::string_view name) const {
  for (const NameContract& contract : names) {
    if (contract.name == name) return &contract;
  }
  return nullptr;
}

std::string_view to_string(Twin twin) {
  return kTwins[static_cast<std::size_t>(twin)];
}
std::string_view to_string(ErrorClass error) {
  return kErrors[static_cast<std::size_t>(error)];
}
std::string_view to_string(FaultKind fault) {
  return kFaults[static_cast<std::size_t>(fault)];
}

std::optional<ErrorClass> error_class_from(std::string_view name) {
  for (std::size_t i = 0; i < kErrors.size(); ++i) {
    if (kErrors[i] == name) return static_cast<ErrorClass>(i);
  }
  return std::nullopt;
}

std::optional<FaultKind> fault_kind_from(std::string_view name) {
  for (std::size_t i = 0; i < kFaults.size(); ++i) {
    if (kFaults[i] == name) return static_cast<FaultKind>(i);
  }
  return std::nullopt;
}

bool VersionRange::contains(std::string_view version) const {
  const std::vector<int> numbers = release_numbers(version);
  return std::all_of(bounds.begin(), bounds.end(), [&](const Bound& bound) {
    const int order = compare_versions(numbers, bound.version);
    if (bound.op == ">=") return order >= 0;
    if (bound.op == "<=") return order <= 0;
    if (bound.op == ">") return order > 0;
    if (bound.op == "<") return order < 0;
    if (bound.op == "!=") return order != 0;
    return order == 0;
  });
}

const std::vector<Outcome>& Expectation::for_device(const std::string& kind) const {
  static const std::vector<Outcome> none;
  auto found = by_device.find(kind);
  // Another accelerator answers like CUDA rather than like the CPU, unless the case says otherwise.
  if (found == by_device.end() && kind != "cpu") found = by_device.find("cuda");
  if (found == by_device.end()) found = by_device.find("");
  return found == by_device.end() ? none : found->second;
}

bool Needs::empty() const {
  return devices.empty() && !gpus && compute_capability.empty() && torch.bounds.empty() &&
         cuda.bounds.empty() && !memory && !device_memory;
}

}  // namespace relapse
