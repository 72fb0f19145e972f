#include "environment.hpp"

#include <array>
#include <charconv>
#include <cstdlib>
#include <stdexcept>
#include <utility>

#include "cuda_codes.hpp"

namespace sim {

namespace {

constexpr int kMostDevices = 16;
constexpr std::string_view kKinds =
    "assert, illegal_access, launch_failure, misaligned, wrapped, oom, hang_kernel, hang_sync, abort, "
    "wrong_element, "
    "order, sick, sick:CODE or a CUDA error code";

struct KindName {
  std::string_view name;
  FaultKind kind;
  int code;
};

constexpr std::array<KindName, 12> kNames = {{
    {"assert", FaultKind::code, kAssert},
    {"illegal_access", FaultKind::code, kIllegalAddress},
    {"launch_failure", FaultKind::code, kLaunchFailure},
    {"misaligned", FaultKind::code, kMisalignedAddress},
    {"wrapped", FaultKind::wrapped, kAssert},
    {"oom", FaultKind::oom, 0},
    {"hang_kernel", FaultKind::hang_kernel, 0},
    {"hang_sync", FaultKind::hang_sync, 0},
    {"abort", FaultKind::abort, 0},
    {"wrong_element", FaultKind::wrong_element, 0},
    {"order", FaultKind::order, 0},
    {"sick", FaultKind::sick, kEccUncorrectable},
}};

[[noreturn]] void refuse(std::string_view variable, std::string_view expected, std::string_view seen) {
  throw std::invalid_argument(std::string(variable) + ": expected " + std::string(expected) + ", got \"" +
                              std::string(seen) + "\"");
}

bool parse_number(std::string_view text, std::int64_t& number) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end && !text.empty();
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

int parse_code(std::string_view text, std::string_view whole) {
  std::int64_t code = 0;
  if (!parse_number(text, code) || find_code(static_cast<int>(code)) == nullptr) {
    refuse("RELAPSE_SIM_FAULT", kKinds, whole);
  }
  return static_cast<int>(code);
}

void parse_kind(std::string_view text, Fault& fault) {
  for (const KindName& known : kNames) {
    if (text != known.name) continue;
    fault.kind = known.kind;
    fault.code = known.code;
    return;
  }
  constexpr std::string_view kSick = "sick:";
  if (text.substr(0, kSick.size()) == kSick) {
    fault.kind = FaultKind::sick;
    fault.code = parse_code(text.substr(kSick.size()), text);
    return;
  }
  fault.code = parse_code(text, text);
}

Fault parse_fault(std::string_view text) {
  Fault fault;
  std::string_view kind = text;
  const std::size_t at = text.find('@');
  if (at != std::string_view::npos) {
    kind = text.substr(0, at);
    std::string_view target = text.substr(at + 1);
    const std::size_t mark = target.find('#');
    if (mark != std::string_view::npos) {
      const std::string_view nth = target.substr(mark + 1);
      target = target.substr(0, mark);
      if (nth == "*") {
        fault.nth = 0;
      } else if (!parse_number(nth, fault.nth) || fault.nth < 1) {
        refuse("RELAPSE_SIM_FAULT", "a number from 1 or * behind #", text);
      }
    }
    if (target.empty()) refuse("RELAPSE_SIM_FAULT", "the name of an operator behind @", text);
    fault.operator_name = target;
  }
  parse_kind(kind, fault);
  return fault;
}

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

}  // namespace

std::vector<Fault> parse_faults(std::string_view text) {
  std::vector<Fault> faults;
  while (!text.empty()) {
    const std::size_t end = text.find(';');
    const std::string_view one = trimmed(text.substr(0, end));
    if (!one.empty()) faults.push_back(parse_fault(one));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return faults;
}

int parse_devices(std::string_view text) {
  std::int64_t number = 1;
  if (!text.empty() && (!parse_number(text, number) || number < 0 || number > kMostDevices)) {
    refuse("RELAPSE_SIM_DEVICES", "a number from 0 to 16", text);
  }
  return static_cast<int>(number);
}

std::size_t parse_memory(std::string_view text) {
  Environment defaults;
  if (text.empty()) return defaults.memory;
  std::string_view digits = text;
  std::size_t unit = 1;
  constexpr std::array<std::pair<std::string_view, int>, 3> kUnits = {
      {{"KiB", 10}, {"MiB", 20}, {"GiB", 30}}};
  for (const auto& [name, shift] : kUnits) {
    if (text.size() <= name.size() || text.substr(text.size() - name.size()) != name) continue;
    digits.remove_suffix(name.size());
    unit = std::size_t{1} << shift;
  }
  std::int64_t number = 0;
  if (!parse_number(digits, number) || number < 0 || number > (std::int64_t{1} << 20)) {
    refuse("RELAPSE_SIM_MEMORY", "a number with KiB, MiB or GiB", text);
  }
  return static_cast<std::size_t>(number) * unit;
}

Environment read_environment() {
  Environment environment;
  environment.devices = parse_devices(variable("RELAPSE_SIM_DEVICES"));
  environment.memory = parse_memory(variable("RELAPSE_SIM_MEMORY"));
  environment.blocking = variable("CUDA_LAUNCH_BLOCKING") == "1";
  environment.faults = parse_faults(variable("RELAPSE_SIM_FAULT"));
  return environment;
}

bool matches(std::string_view pattern, std::string_view name, std::string_view overload) {
  const std::size_t colons = name.find("::");
  if (pattern.find("::") == std::string_view::npos && colons != std::string_view::npos) {
    name.remove_prefix(colons + 2);
  }
  if (pattern == name) return true;
  if (pattern.size() != name.size() + 1 + overload.size()) return false;
  return pattern.substr(0, name.size()) == name && pattern[name.size()] == '.' &&
         pattern.substr(name.size() + 1) == overload;
}

}  // namespace sim
