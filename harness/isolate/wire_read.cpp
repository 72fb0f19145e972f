// The reading half: one line to a message. What a child writes is never trusted: every member is checked.

#include <fmt/format.h>
#include <harness/isolate/json_members.hpp>
#include <harness/isolate/wire.hpp>
#include <harness/support/text.hpp>
#include <optional>

namespace relapse {

using nlohmann::json;

namespace {

void read_pos(JsonMembers& members, const char* name, SourcePos& out) {
  const json* pos = members.find(name, false);
  if (!pos) return;
  std::vector<std::int64_t> numbers;
  members.may(name, numbers);
  bool fits = numbers.size() == 2 && numbers[0] >= 0 && numbers[1] >= 0 && numbers[0] <= INT32_MAX &&
              numbers[1] <= INT32_MAX;
  if (!fits) return members.wrong(name, "[line, column]", *pos);
  out = {int(numbers[0]), int(numbers[1])};
}

/// A list of objects, each read by `read(json, path, out, why)`.
template <class T, class Read>
void read_list(JsonMembers& members, const char* name, std::vector<T>& out, std::string& why, Read read) {
  const json* list = members.find(name, false);
  if (!list) return;
  if (!list->is_array()) return members.wrong(name, "a list", *list);
  out.clear();
  for (std::size_t i = 0; i < list->size() && why.empty(); ++i)
    read((*list)[i], fmt::format("{}[{}]", members.path(name), i), out.emplace_back(), why);
}

void read_facts(const json& object, const std::string& where, TensorFacts& out, std::string& why) {
  JsonMembers members(object, where, why);
  members.may("name", out.name);
  members.may("dtype", out.dtype);
  members.may("shape", out.shape);
  members.may("strides", out.strides);
  members.may("offset", out.offset);
  members.may("device", out.device);
  members.may("requires_grad", out.requires_grad);
  members.may("min", out.min);
  members.may("max", out.max);
  if (members.find("finite", false)) members.need("finite", out.finite.emplace());
  members.may("nans", out.nans);
  members.may("text", out.text);
}

void read_picture(const json& object, const std::string& where, MismatchPicture& out, std::string& why) {
  JsonMembers members(object, where, why);
  members.need("shape", out.shape);
  std::vector<std::int64_t> grid;
  members.need("grid", grid);
  members.need("counts", out.counts);
  members.need("decade", out.decade);
  members.need("errors", out.errors);
  members.may("unmeasured", out.unmeasured);
  if (!members.ok()) return;
  const auto is_side = [](std::int64_t cells) { return cells >= 1 && cells <= MismatchPicture::kCells; };
  if (grid.size() != 2 || !is_side(grid[0]) || !is_side(grid[1]))
    return members.wrong("grid", "[rows, columns] from 1 to 32", object["grid"]);
  out.rows = static_cast<int>(grid[0]);
  out.columns = static_cast<int>(grid[1]);
  if (out.counts.size() != static_cast<std::size_t>(grid[0] * grid[1]))
    return members.wrong("counts", "a count for each cell of the grid", object["counts"]);
  if (out.errors.size() > MismatchPicture::kBins)
    return members.wrong("errors", "at most 32 bins", object["errors"]);
}

void read_breach(const json& object, const std::string& where, Breach& out, std::string& why) {
  JsonMembers members(object, where, why);
  members.need("clause", out.clause);
  read_pos(members, "pos", out.pos);
  members.may("promised", out.promised);
  members.may("seen", out.seen);
  members.may("details", out.details);
  if (const json* picture = members.find("picture", false))
    read_picture(*picture, members.path("picture"), out.picture.emplace(), why);
}

void read_step(const json& object, const std::string& where, StepRecord& out, std::string& why) {
  JsonMembers members(object, where, why);
  members.may("batch", out.batch);
  members.need("index", out.index);
  members.may("text", out.text);
  read_pos(members, "pos", out.pos);
  read_list(members, "inputs", out.inputs, why, read_facts);
}

void read_raised(const json& object, const std::string& where, Raised& out, std::string& why) {
  JsonMembers members(object, where, why);
  std::string name;
  members.need("error", name);
  if (members.ok()) {
    if (auto error = error_class_from(name))
      out.error = *error;
    else
      members.wrong("error", "an error class", object["error"]);
  }
  members.may("type", out.type);
  members.may("text", out.text);
  if (members.find("code", false)) members.need("code", out.code.emplace());
}

void read_device_state(const json& object, const std::string& where, DeviceState& out, std::string& why) {
  JsonMembers members(object, where, why);
  if (members.find("code", false)) members.need("code", out.code.emplace());
  members.may("text", out.text);
  members.may("sticky", out.sticky);
}

void read_digest(const json& object, const std::string& where, ResultDigest& out, std::string& why) {
  JsonMembers members(object, where, why);
  if (const json* facts = members.find("facts", true))
    read_facts(*facts, members.path("facts"), out.facts, why);
  members.need("hash", out.hash);
}

void read_observed_kind(JsonMembers& members, const json& object, ObservedKind& out) {
  std::string name;
  members.need("kind", name);
  if (!members.ok()) return;
  for (ObservedKind kind :
       {ObservedKind::returned, ObservedKind::raised, ObservedKind::rejected, ObservedKind::left_out,
        ObservedKind::case_error, ObservedKind::machine, ObservedKind::sticky_fault}) {
    if (to_string(kind) != name) continue;
    out = kind;
    return;
  }
  members.wrong("kind", "a kind of observation", object["kind"]);
}

void read_observation(const json& object, const std::string& where, Observation& out, std::string& why) {
  JsonMembers members(object, where, why);
  members.need("check", out.check);
  members.may("batch", out.batch);
  read_observed_kind(members, object, out.kind);
  if (const json* raised = members.find("raised", false))
    read_raised(*raised, members.path("raised"), out.raised.emplace(), why);
  if (const json* device = members.find("device", false))
    read_device_state(*device, members.path("device"), out.device.emplace(), why);
  members.may("rejected_by", out.rejected_by);
  if (const json* rejection = members.find("rejection", false))
    read_breach(*rejection, members.path("rejection"), out.rejection.emplace(), why);
  members.may("step", out.step);
  read_list(members, "requires_broken", out.requires_broken, why, read_breach);
  read_list(members, "broken", out.broken, why, read_breach);
  members.need("clauses_evaluated", out.clauses_evaluated);
  members.need("guards_reached", out.guards_reached);
  members.need("guards_expected", out.guards_expected);
  members.may("usable_after", out.usable_after);
  members.may("reason", out.reason);
  read_pos(members, "reason_pos", out.reason_pos);
  read_list(members, "inputs", out.inputs, why, read_facts);
  read_list(members, "results", out.results, why, read_digest);
  members.may("seconds", out.seconds);
}

void read_hello(JsonMembers& members, Hello& out) {
  members.need("protocol", out.protocol);
  members.need("nonce", out.nonce);
  members.need("worker_version", out.worker_version);
  members.need("torch_version", out.torch_version);
  members.need("device", out.device);
  members.need("environment", out.environment);
  members.need("settings", out.settings);
}

void read_done(JsonMembers& members, Done& out) {
  members.need("nonce", out.nonce);
  members.need("checks", out.checks);
  members.need("clauses_evaluated", out.clauses_evaluated);
  members.need("guards_reached", out.guards_reached);
}

/// Nothing when the event is unknown.
std::optional<Message> read_message(const std::string& event, const json& object, std::string& why) {
  JsonMembers members(object, "", why);
  if (event == "hello") {
    Hello hello;
    read_hello(members, hello);
    return hello;
  }
  if (event == "loading") {
    Loading loading;
    members.need("library", loading.library);
    return loading;
  }
  if (event == "check_started") {
    CheckStarted started;
    members.need("check", started.check);
    return started;
  }
  if (event == "step_started") {
    StepStarted started;
    members.need("check", started.check);
    if (const json* step = members.find("step", true)) read_step(*step, "step", started.step, why);
    return started;
  }
  if (event == "observation") {
    Observed observed;
    if (const json* observation = members.find("observation", true))
      read_observation(*observation, "observation", observed.observation, why);
    return observed;
  }
  if (event == "answer") {
    Answer answer;
    if (const json* body = members.find("body", true)) answer.body = *body;
    return answer;
  }
  if (event == "done") {
    Done done;
    read_done(members, done);
    return done;
  }
  return std::nullopt;
}

}  // namespace

ParsedLine parse_line(std::string_view line, std::size_t limit) {
  if (line.size() > limit) return {fmt::format("line of {} bytes, longer than {}", line.size(), limit)};
  std::string why;
  json object;
  if (!parse_object(line, object, why)) return {std::move(why)};
  std::string event;
  JsonMembers(object, "", why).need("event", event);
  if (!why.empty()) return {std::move(why)};
  std::optional<Message> message = read_message(event, object, why);
  if (!message) return {fmt::format("unknown event {}", quoted(event, 40))};
  if (!why.empty()) return {event + ": " + why};
  return {std::move(*message)};
}

bool observation_from(const json& object, Observation& out, std::string& why) {
  why.clear();
  Observation read;
  read_observation(object, "observation", read, why);
  if (!why.empty()) return false;
  out = std::move(read);
  return true;
}

}  // namespace relapse
