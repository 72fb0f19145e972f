#include <fmt/format.h>

#include <harness/isolate/control_messages.hpp>
#include <harness/isolate/json_members.hpp>
#include <harness/support/text.hpp>

namespace relapse {

using nlohmann::json;

namespace {

// More names than this help nobody and could pass the size of a packet.
constexpr std::size_t kMostLeaks = 100;

json body(const StartOrder& order) {
  return {{"do", "start"}, {"attempt", order.attempt}, {"folder", order.folder}};
}
json body(const SignalOrder& order) {
  return {{"do", "signal"}, {"attempt", order.attempt}, {"signal", order.signal}};
}
json body(const AdoptOrder&) {
  return {{"do", "adopt"}};
}
json body(const StopOrder&) {
  return {{"do", "stop"}};
}
json body(const SpawnOrder& order) {
  json environment = json::array();
  for (const auto& [name, value] : order.environment) environment.push_back(json::array({name, value}));
  return {{"do", "spawn"},          {"spawner", order.spawner},     {"exec_each", order.exec_each},
          {"worker", order.worker}, {"libraries", order.libraries}, {"environment", std::move(environment)}};
}

json body(const ReadyReport& report) {
  return {{"is", "ready"}, {"protocol", report.protocol}};
}
json body(const StartedReport& report) {
  return {{"is", "started"}, {"attempt", report.attempt}, {"pid", report.pid}};
}
json body(const RefusedReport& report) {
  return {{"is", "refused"}, {"attempt", report.attempt}, {"why", report.why}};
}
json body(const EndedReport& report) {
  json leaks = json::array();
  for (const Leak& leak : report.leaks) {
    if (leaks.size() == kMostLeaks) break;
    leaks.push_back({{"pid", leak.pid}, {"command", leak.command}});
  }
  return {{"is", "ended"},
          {"attempt", report.attempt},
          {"status", report.status},
          {"seconds", report.seconds},
          {"cpu_seconds", report.cpu_seconds},
          {"max_rss", report.max_rss},
          {"leaks", std::move(leaks)}};
}
json body(const ClientsReport& report) {
  return {{"is", "clients"}, {"count", report.count}};
}
json body(const StopReport&) {
  return {{"is", "stop"}};
}
json body(const SpawnerEndedReport& report) {
  return {{"is", "spawner_ended"}, {"spawner", report.spawner}, {"status", report.status}};
}

void read(JsonMembers& members, StartOrder& out) {
  members.need("attempt", out.attempt);
  members.may("folder", out.folder);
}
void read(JsonMembers& members, SignalOrder& out) {
  members.need("attempt", out.attempt);
  members.need("signal", out.signal);
}
void read(JsonMembers&, AdoptOrder&) {}
void read(JsonMembers&, StopOrder&) {}
void read(JsonMembers& members, SpawnOrder& out) {
  members.need("spawner", out.spawner);
  members.need("exec_each", out.exec_each);
  members.need("worker", out.worker);
  members.need("libraries", out.libraries);
  members.need("environment", out.environment);
}
void read(JsonMembers& members, ReadyReport& out) {
  members.need("protocol", out.protocol);
}
void read(JsonMembers& members, StartedReport& out) {
  members.need("attempt", out.attempt);
  members.need("pid", out.pid);
}
void read(JsonMembers& members, RefusedReport& out) {
  members.need("attempt", out.attempt);
  members.need("why", out.why);
}
void read(JsonMembers& members, EndedReport& out) {
  members.need("attempt", out.attempt);
  members.need("status", out.status);
  members.need("seconds", out.seconds);
  members.need("cpu_seconds", out.cpu_seconds);
  members.need("max_rss", out.max_rss);
  const json* leaks = members.find("leaks", true);
  if (!leaks || !leaks->is_array()) return;
  for (const json& entry : *leaks) {
    std::string why;
    JsonMembers leak(entry, "leaks", why);
    leak.need("pid", out.leaks.emplace_back().pid);
    leak.need("command", out.leaks.back().command);
    if (!leak.ok()) return members.wrong("leaks", "a list of leaks", entry);
  }
}
void read(JsonMembers& members, ClientsReport& out) {
  members.need("count", out.count);
}
void read(JsonMembers&, StopReport&) {}
void read(JsonMembers& members, SpawnerEndedReport& out) {
  members.need("spawner", out.spawner);
  members.need("status", out.status);
}

/// Reads `One` into `out` when `name` is its name.
template <class One, class Any>
bool try_one(const char* own_name, const std::string& name, JsonMembers& members, Any& out) {
  if (name != own_name) return false;
  One one;
  read(members, one);
  out = std::move(one);
  return true;
}

bool parse(std::string_view text, const char* key, json& object, std::string& name, std::string& why) {
  why.clear();
  if (!parse_object(text, object, why)) return false;
  JsonMembers(object, "", why).need(key, name);
  return why.empty();
}

}  // namespace

std::string to_packet(const Order& order) {
  std::string text = std::visit([](const auto& one) { return dump_line(body(one)); }, order);
  // The request travels as a second line, so that the spawner need not look into it.
  if (auto* start = std::get_if<StartOrder>(&order)) text += '\n' + start->request_line;
  return text;
}

std::string to_packet(const Report& report) {
  return std::visit([](const auto& one) { return dump_line(body(one)); }, report);
}

bool from_packet(std::string_view text, Order& out, std::string& why) {
  std::string_view head = text.substr(0, text.find('\n'));
  json object;
  std::string name;
  if (!parse(head, "do", object, name, why)) return false;
  JsonMembers members(object, "", why);
  bool known = try_one<StartOrder>("start", name, members, out) ||
               try_one<SignalOrder>("signal", name, members, out) ||
               try_one<AdoptOrder>("adopt", name, members, out) ||
               try_one<StopOrder>("stop", name, members, out) ||
               try_one<SpawnOrder>("spawn", name, members, out);
  if (!known) why = fmt::format("unknown order {}", quoted(name, 40));
  if (auto* start = std::get_if<StartOrder>(&out); start && head.size() < text.size())
    start->request_line = text.substr(head.size() + 1);
  return why.empty();
}

bool from_packet(std::string_view text, Report& out, std::string& why) {
  json object;
  std::string name;
  if (!parse(text, "is", object, name, why)) return false;
  JsonMembers members(object, "", why);
  bool known = try_one<ReadyReport>("ready", name, members, out) ||
               try_one<StartedReport>("started", name, members, out) ||
               try_one<RefusedReport>("refused", name, members, out) ||
               try_one<EndedReport>("ended", name, members, out) ||
               try_one<ClientsReport>("clients", name, members, out) ||
               try_one<StopReport>("stop", name, members, out) ||
               try_one<SpawnerEndedReport>("spawner_ended", name, members, out);
  if (!known) why = fmt::format("unknown report {}", quoted(name, 40));
  return why.empty();
}

}  // namespace relapse
