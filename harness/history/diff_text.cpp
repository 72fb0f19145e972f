#include <fmt/format.h>

#include <harness/history/diff_text.hpp>
#include <harness/journal/event_json.hpp>
#include <harness/support/text.hpp>
#include <nlohmann/json.hpp>

namespace relapse {
namespace {

using Json = nlohmann::json;

std::string_view to_string(Change change) {
  switch (change) {
    case Change::worse:
      return "worse";
    case Change::different:
      return "different";
    case Change::better:
      return "better";
    case Change::other:
      return "other";
  }
  return "";
}

std::string short_verdict(const std::optional<Verdict>& verdict) {
  if (!verdict) return "no such check";
  std::string text(to_string(verdict->kind));
  // `broken loss.same_as`, `faulted device_assert`: the symptom without the kind a second time.
  if (is_red(verdict->kind) && verdict->signature.starts_with(text)) return verdict->signature;
  if (!verdict->reason.empty() && !is_red(verdict->kind)) text += " (" + verdict->reason + ")";
  return text;
}

std::string head_line(char name, const RunRecord& run) {
  return fmt::format("{}  {} · relapse {}{} · {}\n", name, run.started, run.version,
                     run.torch_version.empty() ? "" : " · LibTorch " + run.torch_version, run.journal);
}

}  // namespace

std::string diff_text(const RunRecord& before, const RunRecord& after, const RunDiff& diff,
                      const Style& style) {
  std::string out = head_line('A', before) + head_line('B', after);
  for (const std::string& line : diff.surroundings) out += "   " + line + "\n";
  out += "\n";
  for (const ChangedCheck& one : diff.changes) {
    const std::string word = fmt::format("{:<9}", to_string(one.change));
    const std::string painted = one.change == Change::worse    ? style.red(word)
                                : one.change == Change::better ? style.green(word)
                                                               : style.yellow(word);
    out += fmt::format("{}  {}{}\n           {} -> {}\n", painted, style.bold(one.id),
                       one.file_changed ? "   (its case file changed)" : "", short_verdict(one.before),
                       short_verdict(one.after));
    if (one.after && is_red(one.after->kind) && !one.after->seen.empty())
      out += "           " + one.after->seen.front() + "\n";
  }
  if (!diff.changes.empty()) out += "\n";
  out += fmt::format("{} worse, {} different, {} better, {} other changes · {} checks alike\n",
                     diff.count(Change::worse), diff.count(Change::different), diff.count(Change::better),
                     diff.count(Change::other), with_thousands(diff.same));
  for (const auto& [name, run] : {std::pair{'A', &before}, std::pair{'B', &after}}) {
    if (!run->finished || run->interrupted)
      out +=
          style.yellow(fmt::format("{} did not come to its end: what it had not judged is not_run\n", name));
  }
  return out;
}

std::string diff_json(const RunRecord& before, const RunRecord& after, const RunDiff& diff) {
  Json json{{"schema", 1},
            {"before", before.journal},
            {"after", after.journal},
            {"surroundings", diff.surroundings},
            {"same", diff.same},
            {"changes", Json::array()}};
  for (const ChangedCheck& one : diff.changes) {
    Json change{{"id", one.id},
                {"file", one.file},
                {"change", to_string(one.change)},
                {"file_changed", one.file_changed}};
    if (one.before) change["before"] = to_json(*one.before);
    if (one.after) change["after"] = to_json(*one.after);
    json["changes"].push_back(std::move(change));
  }
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace relapse
