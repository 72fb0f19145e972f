#include <algorithm>
#include <filesystem>
#include <harness/plan/plan.hpp>
#include <harness/schedule/looks.hpp>
#include <harness/schedule/needs.hpp>
#include <harness/support/file.hpp>
#include <runners/relapse/case_libraries.hpp>
#include <runners/relapse/data_only.hpp>
#include <runners/relapse/find_tool.hpp>
#include <runners/relapse/run_jobs.hpp>

namespace relapse {
namespace {

using Json = nlohmann::json;

bool selected(const LoadedCase& loaded, const std::string& device, const Check& check) {
  if (loaded.selectors.empty()) return true;
  return std::any_of(loaded.selectors.begin(), loaded.selectors.end(), [&](const Selector* selector) {
    return selects_device(*selector, device) && selects_check(*selector, check.name);
  });
}

/// Why the code before the fix cannot be run: then nothing is shown, and nothing may look as if it were.
std::string why_no_unfixed(const Case& kase) {
  if (kase.unfixed.kind == UnfixedKind::none) return "there is no unfixed code: " + kase.unfixed.reason;
  const bool guarded = std::any_of(kase.subject.steps.begin(), kase.subject.steps.end(),
                                   [](const Step& step) { return step.builtin == Builtin::guard; });
  if (kase.unfixed.kind == UnfixedKind::automatic && !guarded)
    return "there is no unfixed code: the subject has no guard() and the case no `unfixed`";
  return {};
}

std::string covers_of(const Case& kase) {
  if (kase.subject.kind != SubjectKind::steps) return "code";
  return kase.libraries.empty() ? "model" : "library";
}

Json file_line(const std::string& side, const std::string& name, const std::string& text, SourcePos pos) {
  Json line{{"text", text}, {"line", pos.line}};
  if (!side.empty()) line["side"] = side;
  if (!name.empty()) line["name"] = name;
  return line;
}

/// What reports show of a case beside its checks, so that they need no case file.
void add_lines(const Case& kase, bool unfixed, Json& event) {
  for (const Step& step : steps_for(kase, unfixed ? Role::unfixed : Role::fixed))
    event["subject"].push_back(file_line("", "", step.text, step.pos));
  for (const auto& [side, part] :
       {std::pair{"requires", &kase.contract.requires_}, std::pair{"ensures", &kase.contract.ensures}}) {
    for (const NameContract& contract : part->names) {
      for (const Clause& clause : contract.clauses)
        event["contract"].push_back(file_line(side, contract.name + "." + std::string(to_string(clause.kind)),
                                              clause.text, clause.pos));
    }
    for (const Relation& relation : part->where)
      event["contract"].push_back(file_line(side, "where." + relation.label, relation.text, relation.pos));
  }
  for (const Agreement& agreement : kase.contract.agrees) {
    if (agreement.off) continue;
    event["contract"].push_back(file_line("agrees", "agrees." + std::string(to_string(agreement.twin)),
                                          "the same results", agreement.pos));
  }
}

Json planned_event(const LoadedCase& loaded, const Job& job) {
  Json event{{"event", "planned"},
             {"case", job.kase->id},
             {"file", loaded.path},
             {"hash", loaded.hash},
             {"title", job.kase->title},
             {"source", job.kase->incident.source},
             {"date", job.kase->incident.date},
             {"cause", job.kase->incident.cause},
             {"fix", job.kase->incident.fix},
             {"device", job.device},
             {"mode", job.mode},
             {"labels", job.kase->labels},
             {"covers", covers_of(*job.kase)},
             {"checks", Json::array()}};
  for (const Check& check : job.checks) {
    event["checks"].push_back({{"name", check.name},
                               {"kind", to_string(check.kind)},
                               {"line", check.pos.line},
                               {"column", check.pos.column}});
    for (const Check& first : check.after) event["checks"].back()["after"].push_back(first.name);
  }
  add_lines(*job.kase, job.role == "unfixed", event);
  return event;
}

/// Checks whose own needs are unmet become a job that is skipped, with their own reasons.
void split_by_needs(Job& job, const Machine& machine, const std::string& torch, std::vector<Job>& jobs) {
  std::vector<Check> kept;
  for (Check& check : job.checks) {
    std::string reason = job.skip.empty() ? unmet(check.scenario.needs, job.device, machine, torch) : "";
    for (const Check& first : check.after) {
      if (!job.skip.empty() || !reason.empty()) break;
      reason = unmet(first.scenario.needs, job.device, machine, torch);
      if (!reason.empty()) reason = first.name + ", which runs first: " + reason;
    }
    if (reason.empty()) {
      kept.push_back(std::move(check));
      continue;
    }
    Job skipped = job;
    skipped.checks = {std::move(check)};
    skipped.skip = reason;
    jobs.push_back(std::move(skipped));
  }
  job.checks = std::move(kept);
  if (!job.checks.empty()) jobs.push_back(std::move(job));
}

/// Launches on the CPU are never asynchronous, and its allocator caches nothing: there one mode is all.
std::vector<std::string> modes_for(const Case& kase, const std::string& device_kind,
                                   const std::vector<std::string>& asked) {
  const std::string blocking(to_string(Mode::blocking));
  if (device_kind == "cpu") return {blocking};
  std::vector<std::string> modes = !asked.empty() ? asked : kase.run.modes;
  if (modes.empty()) modes.push_back(blocking);
  const bool compares = std::any_of(kase.contract.agrees.begin(), kase.contract.agrees.end(),
                                    [](const Agreement& one) { return one.twin == Twin::async && !one.off; });
  if (compares && asked.empty()) {
    for (const std::string_view mode : {to_string(Mode::blocking), to_string(Mode::async)}) {
      if (std::find(modes.begin(), modes.end(), mode) == modes.end()) modes.emplace_back(mode);
    }
  }
  return modes;
}

/// A case may ask for a mode whose tool is not here.
std::string trouble_of(const std::string& mode) {
  if (!is_sanitizer(mode) || !find_compute_sanitizer().empty()) return {};
  return "mode " + mode +
         " needs compute-sanitizer, which is not here: pip install nvidia-cuda-sanitizer-api";
}

const std::vector<std::string>& libraries_for(const Case& kase, bool unfixed) {
  return unfixed && kase.unfixed.kind == UnfixedKind::libraries ? kase.unfixed.libraries : kase.libraries;
}

/// Why a job cannot run although its device is here; empty: it can.
std::string why_skipped(const LoadedCase& one, const RunDevice& device, const Machine& machine,
                        const std::string& torch, const RunArguments& arguments) {
  if (!device.present) return device.reason;
  if (arguments.data_only && device.kind != "cpu")
    return "--data-only runs on the cpu: its sandbox keeps drivers of devices out";
  std::string reason = unmet(one.kase->needs, device.kind, machine, torch);
  if (reason.empty() && arguments.unfixed) reason = why_no_unfixed(*one.kase);
  return reason;
}

}  // namespace

std::vector<Job> make_jobs(const Loaded& loaded, const std::vector<RunDevice>& devices,
                           const Machine& machine, const std::string& torch, const RunArguments& arguments,
                           const EventSink& emit) {
  std::vector<Job> jobs;
  const auto broken = [&](const LoadedCase& one, const std::vector<std::string>& messages) {
    emit({{"event", "case_broken"}, {"case", one.id}, {"file", one.path}, {"messages", messages}});
  };
  for (const LoadedCase& one : loaded.cases) {
    if (!one.kase) {
      broken(one, one.messages);
      continue;
    }
    if (const std::vector<std::string> refused =
            arguments.data_only ? data_only_refusals(one) : std::vector<std::string>{};
        !refused.empty()) {
      broken(one, refused);
      continue;
    }
    if (!one.kase->unsupported.empty()) {
      broken(one, refusals(*one.kase, read_file(one.path).value_or(std::string())));
      continue;
    }
    const Result<std::vector<std::string>> libraries =
        library_paths(libraries_for(*one.kase, arguments.unfixed), one.path, arguments.libraries);
    for (const RunDevice& device : devices) {
      Job job;
      job.kase = one.kase.get();
      job.file = std::filesystem::absolute(one.path).lexically_normal().string();
      job.hash = one.hash;
      job.device = device.kind;
      job.role = arguments.unfixed ? "unfixed" : "fixed";
      job.data_only = arguments.data_only;
      for (Check& check : plan(*one.kase, device.kind)) {
        if (selected(one, device.kind, check)) job.checks.push_back(std::move(check));
      }
      if (job.checks.empty()) continue;
      job.skip = why_skipped(one, device, machine, torch, arguments);
      if (libraries)
        job.libraries = *libraries;
      else
        job.trouble = libraries.error().message;
      for (const std::string& mode : modes_for(*one.kase, device.kind, arguments.modes)) {
        Job in_mode = job;
        in_mode.mode = mode;
        if (in_mode.trouble.empty()) in_mode.trouble = trouble_of(mode);
        emit(planned_event(one, in_mode));
        split_by_needs(in_mode, machine, torch, jobs);
      }
    }
  }
  return jobs;
}

bool needs_torch_version(const Loaded& loaded) {
  return std::any_of(loaded.cases.begin(), loaded.cases.end(), [](const LoadedCase& one) {
    if (!one.kase) return false;
    const auto asks = [](const Scenario& scenario) { return !scenario.needs.torch.bounds.empty(); };
    return !one.kase->needs.torch.bounds.empty() ||
           std::any_of(one.kase->failing.begin(), one.kase->failing.end(),
                       [&](const Failing& f) { return asks(f.scenario); }) ||
           std::any_of(one.kase->corrected.begin(), one.kase->corrected.end(), asks) ||
           std::any_of(one.kase->batches.begin(), one.kase->batches.end(),
                       [&](const Batch& b) { return asks(b.scenario); });
  });
}

}  // namespace relapse
