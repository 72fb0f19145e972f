#include <fmt/format.h>
#include <array>
#include <harness/isolate/json_members.hpp>
#include <harness/isolate/request.hpp>
#include <harness/support/text.hpp>

namespace relapse {

using nlohmann::json;

namespace {

struct KindName {
  RequestKind kind;
  const char* name;
};
constexpr std::array kKinds{KindName{RequestKind::attempt, "attempt"},
                            KindName{RequestKind::schemas, "schemas"}, KindName{RequestKind::probe, "probe"},
                            KindName{RequestKind::facts, "facts"}, KindName{RequestKind::canary, "canary"}};

}  // namespace

std::string_view to_string(RequestKind kind) {
  for (const KindName& entry : kKinds)
    if (entry.kind == kind) return entry.name;
  return "?";
}

std::string to_line(const Request& request) {
  // Paths and names may hold any bytes; dump_line replaces those that JSON cannot carry.
  return dump_line(json{{"request", std::string(to_string(request.kind))},
                        {"nonce", request.nonce},
                        {"case_file", request.case_file},
                        {"case_id", request.case_id},
                        {"case_hash", request.case_hash},
                        {"device", request.device},
                        {"mode", request.mode},
                        {"libraries", request.libraries},
                        {"environment", json_pairs(request.environment)},
                        {"wrapper", request.wrapper},
                        {"role", request.role},
                        {"checks", request.checks},
                        {"text", request.text},
                        {"data_only", request.data_only},
                        {"cpu_seconds", request.cpu_seconds},
                        {"threads", request.threads},
                        {"memory_limit", request.memory_limit}});
}

bool from_line(const std::string& line, Request& request, std::string& why) {
  why.clear();
  json object;
  if (!parse_object(line, object, why)) return false;
  Request read;
  JsonMembers members(object, "", why);
  std::string kind;
  members.need("request", kind);
  if (members.ok()) {
    bool known = false;
    for (const KindName& entry : kKinds) {
      if (kind != entry.name) continue;
      read.kind = entry.kind;
      known = true;
    }
    if (!known) why = fmt::format("unknown request {}", quoted(kind, 40));
  }
  members.need("nonce", read.nonce);
  members.may("case_file", read.case_file);
  members.may("case_id", read.case_id);
  members.may("case_hash", read.case_hash);
  members.may("device", read.device);
  members.may("mode", read.mode);
  members.may("libraries", read.libraries);
  members.may("environment", read.environment);
  members.may("wrapper", read.wrapper);
  members.may("role", read.role);
  members.may("checks", read.checks);
  members.may("text", read.text);
  members.may("data_only", read.data_only);
  std::uint64_t cpu_seconds = 0;
  members.may("cpu_seconds", cpu_seconds);
  read.cpu_seconds = static_cast<unsigned>(cpu_seconds);
  members.may("threads", read.threads);
  members.may("memory_limit", read.memory_limit);
  if (!members.ok()) return false;
  request = std::move(read);
  return true;
}

}  // namespace relapse
