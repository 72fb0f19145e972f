#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <harness/history/journals.hpp>
#include <harness/history/times.hpp>
#include <harness/journal/journal.hpp>
#include <harness/support/file.hpp>
#include <set>

namespace relapse {
namespace {

using Json = nlohmann::json;

std::string key_of(const std::string& kase, const std::string& device) {
  return kase + "@" + device;
}

tl::unexpected<Error> wrong(const std::string& path, const std::string& what) {
  return fail(ErrorKind::usage,
              fmt::format("{}: expected a times file, a journal or a folder of journals, {}", path, what));
}

Result<CaseTimes> times_from(const std::string& path, const Json& json) {
  if (json.value("schema", 0) != 1 || !json["times"].is_object())
    return wrong(path, "got JSON without \"schema\": 1 and \"times\"");
  CaseTimes times;
  for (const auto& [key, seconds] : json["times"].items()) {
    const double value = seconds.is_number() ? seconds.get<double>() : -1;
    if (!(value >= 0) || !std::isfinite(value))
      return fail(ErrorKind::usage,
                  fmt::format("{}: times.{}: expected seconds, got {}", path, key, seconds.dump()));
    times[key] = value;
  }
  return times;
}

}  // namespace

CaseTimes times_of(const RunRecord& run) {
  std::set<std::string> partly;
  for (const CheckRecord& check : run.checks) {
    const bool ran = check.verdict.kind != VerdictKind::not_run && check.verdict.kind != VerdictKind::skipped;
    if (!ran) partly.insert(key_of(check.kase, check.device));
  }
  CaseTimes times;
  for (const auto& [number, attempt] : run.attempts) {
    const std::string key = key_of(attempt.kase, attempt.device);
    if (attempt.ended && partly.count(key) == 0)
      times[key] += attempt.ending.seconds / std::max(1, run.repeat);
  }
  return times;
}

std::string times_json(const CaseTimes& times) {
  Json json{{"schema", 1}, {"times", Json::object()}};
  for (const auto& [key, seconds] : times) json["times"][key] = std::round(seconds * 1e6) / 1e6;
  return json.dump(0, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<CaseTimes> read_times(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) {
    const Result<std::string> text = read_file(path);
    if (!text) return tl::make_unexpected(text.error());
    Json json = Json::parse(*text, nullptr, false);
    if (json.is_object() && !json.contains("event")) return times_from(path, json);
    if (text->empty() || text->front() != '{') return wrong(path, "got something else");
  }
  const Result<std::vector<std::string>> paths = journals_of({path});
  if (!paths) return tl::make_unexpected(paths.error());
  CaseTimes times;
  for (const std::string& journal : *paths) {
    const Result<RunRecord> run = read_run(journal);
    if (!run) return tl::make_unexpected(run.error());
    for (const auto& [key, seconds] : times_of(*run)) times[key] = seconds;
  }
  return times;
}

std::map<std::string, double> by_case(const CaseTimes& times, const std::vector<std::string>& kinds) {
  std::map<std::string, double> seconds;
  for (const auto& [key, took] : times) {
    const std::size_t at = key.rfind('@');
    if (at == std::string::npos) continue;
    if (std::find(kinds.begin(), kinds.end(), key.substr(at + 1)) != kinds.end())
      seconds[key.substr(0, at)] += took;
  }
  return seconds;
}

}  // namespace relapse
