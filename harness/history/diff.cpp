#include <fmt/format.h>

#include <algorithm>
#include <harness/history/diff.hpp>
#include <harness/journal/modes.hpp>
#include <map>
#include <set>

namespace relapse {
namespace {

std::string id_of(const CheckRecord& check) {
  const std::string mode = is_usual_mode(check.mode) ? "" : " (" + check.mode + ")";
  return check.kase + "@" + check.device + "/" + check.name + mode;
}

struct Side {
  std::map<std::string, const CheckRecord*> checks;
  std::map<std::string, const CaseRecord*> cases;  ///< by id: the file is the same on every device

  explicit Side(const RunRecord& run) {
    for (const CheckRecord& check : run.checks) checks.emplace(id_of(check), &check);
    for (const CaseRecord& kase : run.cases) cases.emplace(kase.id, &kase);
  }
  const CaseRecord* case_of(const std::string& id) const {
    const auto found = cases.find(id);
    return found == cases.end() ? nullptr : found->second;
  }
};

Change change_of(const Verdict* before, const Verdict* after) {
  const bool was_red = before && is_red(before->kind), red = after && is_red(after->kind);
  const bool was_held = before && before->kind == VerdictKind::held;
  const bool held = after && after->kind == VerdictKind::held;
  if (red && was_red) return Change::different;
  if (red || was_held) return Change::worse;
  return held ? Change::better : Change::other;
}

bool same_verdict(const Verdict& a, const Verdict& b) {
  return a.kind == b.kind && a.signature == b.signature;
}

void differ(std::vector<std::string>& out, const std::string& what, const std::string& a,
            const std::string& b) {
  if (a == b) return;
  out.push_back(fmt::format("{} {} -> {}", what, a.empty() ? "(unknown)" : a, b.empty() ? "(unknown)" : b));
}

/// The values that the attempts of a run agree on, by device and name; what they differ in is told by no
/// value.
std::map<std::string, std::string> common_values(
    const RunRecord& run, std::vector<std::pair<std::string, std::string>> AttemptRecord::*list) {
  std::map<std::string, std::string> values;
  std::set<std::string> mixed;
  for (const auto& [number, attempt] : run.attempts) {
    for (const auto& [name, value] : attempt.*list) {
      const std::string key = attempt.device + " " + name;
      const auto [known, fresh] = values.emplace(key, value);
      if (!fresh && known->second != value) mixed.insert(key);
    }
  }
  for (const std::string& key : mixed) values.erase(key);
  return values;
}

std::vector<std::string> surroundings_of(const RunRecord& before, const RunRecord& after) {
  std::vector<std::string> out;
  differ(out, "relapse", before.version, after.version);
  differ(out, "LibTorch", before.torch_version, after.torch_version);
  differ(out, "role", before.unfixed ? "unfixed" : "fixed", after.unfixed ? "unfixed" : "fixed");
  std::map<std::string, std::pair<std::string, std::string>> devices;
  const auto text = [](const DeviceRecord& one) { return one.present ? "present" : one.reason; };
  for (const DeviceRecord& one : before.devices) devices[one.device].first = text(one);
  for (const DeviceRecord& one : after.devices) devices[one.device].second = text(one);
  for (const auto& [device, both] : devices) {
    const auto shown = [](const std::string& state) { return state.empty() ? "not asked for" : state; };
    differ(out, device, shown(both.first), shown(both.second));
  }
  for (const auto list : {&AttemptRecord::environment, &AttemptRecord::settings}) {
    const std::map<std::string, std::string> a = common_values(before, list), b = common_values(after, list);
    for (const auto& [name, value] : a) {
      const auto found = b.find(name);
      if (found != b.end()) differ(out, name, value, found->second);
    }
  }
  return out;
}

}  // namespace

int RunDiff::count(Change change) const {
  return static_cast<int>(std::count_if(changes.begin(), changes.end(),
                                        [&](const ChangedCheck& one) { return one.change == change; }));
}

RunDiff diff_runs(const RunRecord& before, const RunRecord& after) {
  RunDiff diff;
  diff.surroundings = surroundings_of(before, after);
  const Side old(before), now(after);
  const auto add = [&](const CheckRecord& check, const Verdict* a, const Verdict* b) {
    const CaseRecord *was = old.case_of(check.kase), *is = now.case_of(check.kase);
    ChangedCheck changed;
    changed.id = id_of(check);
    changed.file = is ? is->file : was ? was->file : "";
    changed.change = change_of(a, b);
    if (a) changed.before = *a;
    if (b) changed.after = *b;
    changed.file_changed = was && is && !was->hash.empty() && !is->hash.empty() && was->hash != is->hash;
    diff.changes.push_back(std::move(changed));
  };
  for (const CheckRecord& check : after.checks) {
    const auto found = old.checks.find(id_of(check));
    if (found == old.checks.end()) {
      add(check, nullptr, &check.verdict);
    } else if (same_verdict(found->second->verdict, check.verdict)) {
      ++diff.same;
    } else {
      add(check, &found->second->verdict, &check.verdict);
    }
  }
  for (const CheckRecord& check : before.checks) {
    if (now.checks.count(id_of(check)) == 0) add(check, &check.verdict, nullptr);
  }
  std::stable_sort(diff.changes.begin(), diff.changes.end(),
                   [](const ChangedCheck& a, const ChangedCheck& b) { return a.change < b.change; });
  return diff;
}

}  // namespace relapse
