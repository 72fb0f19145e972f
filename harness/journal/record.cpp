#include <harness/journal/record.hpp>

namespace relapse {

Tally RunRecord::tally() const {
  Tally tally;
  for (const CheckRecord& check : checks) tally.add(check.verdict.kind);
  return tally;
}

bool RunRecord::is_empty_shard() const {
  return shard.count > 0 && cases.empty() && broken_files.empty() && !elsewhere.empty();
}

ExitCode RunRecord::exit_code() const {
  RunFlags flags;
  // A runner that was killed wrote no end: what it had not judged is not_run, and that forbids green.
  flags.interrupted = interrupted || !finished;
  flags.broken_file = !broken_files.empty();
  for (const DeviceRecord& device : devices)
    flags.missing_device = flags.missing_device || (device.required && !device.present);
  const ExitCode code = exit_code_of(tally(), flags);
  return code == ExitCode::nothing_ran && is_empty_shard() ? ExitCode::held : code;
}

RunRecord record_of(const std::vector<nlohmann::json>& events) {
  RecordBuilder builder;
  for (const nlohmann::json& event : events) builder.apply(event);
  return builder.record();
}

}  // namespace relapse
