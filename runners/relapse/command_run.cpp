#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <harness/case/reader.hpp>
#include <harness/isolate/isolator.hpp>
#include <harness/isolate/server.hpp>
#include <harness/journal/journal.hpp>
#include <harness/journal/record.hpp>
#include <harness/plan/plan.hpp>
#include <harness/report/console.hpp>
#include <harness/report/progress.hpp>
#include <harness/schedule/machine.hpp>
#include <harness/schedule/needs.hpp>
#include <harness/schedule/scheduler.hpp>
#include <harness/support/file.hpp>
#include <harness/support/text.hpp>
#include <memory>
#include <runners/relapse/ask.hpp>
#include <runners/relapse/commands.hpp>
#include <runners/relapse/load.hpp>
#include <runners/relapse/outputs.hpp>
#include <runners/relapse/worker_path.hpp>

namespace relapse {
namespace {

using Json = nlohmann::json;

struct RunArguments {
  std::vector<std::string> words, devices, required, modes;
  std::string root, journal = ".relapse/runs", server = "auto", spawn = "fork";
  ScheduleOptions schedule;
  Outputs outputs;
  bool unfixed = false, quiet = false;
};

/// A device of the run: whether it is here, and if it is not executed, why.
struct RunDevice {
  std::string kind;
  bool present = false, required = false;
  std::string reason;
};

bool asked_by_name(const RunArguments& arguments, const Loaded& loaded, const std::string& kind) {
  if (std::find(arguments.devices.begin(), arguments.devices.end(), kind) != arguments.devices.end())
    return true;
  return std::any_of(loaded.words.begin(), loaded.words.end(),
                     [&](const auto& word) { return word->device == kind; });
}

/// Kinds that the words and options mean: by default the CPU and CUDA, of which the absent one is skipped
/// aloud.
std::vector<std::string> wanted_kinds(const RunArguments& arguments, const Loaded& loaded) {
  std::vector<std::string> kinds = arguments.devices;
  const bool all_words_say =
      !loaded.words.empty() && std::all_of(loaded.words.begin(), loaded.words.end(), [](const auto& word) {
        return !word->device.empty() && word->device.find_first_of("*?[") == std::string::npos;
      });
  if (kinds.empty() && all_words_say) {
    for (const auto& word : loaded.words) kinds.push_back(word->device);
  }
  if (kinds.empty()) kinds = {"cpu", "cuda"};
  for (const std::string& kind : arguments.required) kinds.push_back(kind);
  std::vector<std::string> unique;
  for (const std::string& kind : kinds) {
    if (std::find(unique.begin(), unique.end(), kind) == unique.end()) unique.push_back(kind);
  }
  return unique;
}

Result<std::vector<RunDevice>> devices_of(const RunArguments& arguments, const Loaded& loaded,
                                          const Machine& machine) {
  std::vector<RunDevice> devices;
  for (const std::string& kind : wanted_kinds(arguments, loaded)) {
    if (kind != "cpu" && kind != "cuda") {
      return fail(ErrorKind::usage, fmt::format("unknown device \"{}\"{}; this version knows cpu and cuda",
                                                kind, did_you_mean(kind, {"cpu", "cuda"})));
    }
    RunDevice device{kind, false, false, why_absent(kind, machine)};
    device.required =
        std::find(arguments.required.begin(), arguments.required.end(), kind) != arguments.required.end();
    if (device.reason.empty() && kind != "cpu") {
      // A GPU is here, but nothing drives it yet. Whoever names it is refused; a plain run says it and goes
      // on.
      if (device.required || asked_by_name(arguments, loaded, kind)) {
        return fail(ErrorKind::usage,
                    fmt::format("device {} is not executed by relapse {}: it runs cases on the cpu", kind,
                                RELAPSE_VERSION));
      }
      device.reason = fmt::format("not executed by relapse {}", RELAPSE_VERSION);
    }
    device.present = device.reason.empty();
    devices.push_back(std::move(device));
  }
  return devices;
}

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

Json planned_event(const LoadedCase& loaded, const Job& job) {
  Json event{{"event", "planned"},
             {"case", job.kase->id},
             {"file", loaded.path},
             {"title", job.kase->title},
             {"source", job.kase->incident.source},
             {"date", job.kase->incident.date},
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
  }
  return event;
}

/// LibTorch's version is only asked for where a need depends on it: it costs a start of the worker.
std::string torch_version_for(const Loaded& loaded, Isolator& isolator) {
  const bool needed = std::any_of(loaded.cases.begin(), loaded.cases.end(), [](const LoadedCase& one) {
    if (!one.kase) return false;
    const auto asks = [](const Scenario& scenario) { return !scenario.needs.torch.bounds.empty(); };
    return !one.kase->needs.torch.bounds.empty() ||
           std::any_of(one.kase->failing.begin(), one.kase->failing.end(),
                       [&](const Failing& f) { return asks(f.scenario); }) ||
           std::any_of(one.kase->corrected.begin(), one.kase->corrected.end(), asks) ||
           std::any_of(one.kase->batches.begin(), one.kase->batches.end(),
                       [&](const Batch& b) { return asks(b.scenario); });
  });
  if (!needed) return {};
  Request request;
  request.kind = RequestKind::probe;
  const Result<Json> answer = ask(isolator, request);
  return answer ? answer->value("torch_version", "") : "";
}

class Run {
 public:
  Run(const Common& common, const RunArguments& arguments)
      : common_(common), arguments_(arguments), style_(style_of(STDOUT_FILENO, common.colour)) {}

  ExitCode operator()() {
    Result<Loaded> loaded = load_cases(arguments_.root, arguments_.words);
    if (!loaded) return complain(loaded.error());
    for (const std::string& word : loaded->unmatched) {
      std::fprintf(stderr, "relapse: \"%s\" is no id, label, path or pattern of a case%s\n", word.c_str(),
                   did_you_mean(parse_selector(word).kase, ids_of(arguments_.root)).c_str());
    }
    if (!loaded->unmatched.empty()) return loaded->cases.empty() ? ExitCode::nothing_ran : ExitCode::usage;
    if (loaded->cases.empty()) {
      std::fprintf(stderr, "relapse: no case below %s\n", loaded->root.c_str());
      return ExitCode::nothing_ran;
    }
    const Machine machine = this_machine();
    const Result<std::vector<RunDevice>> devices = devices_of(arguments_, *loaded, machine);
    if (!devices) return complain(devices.error());
    Result<Journal> journal = Journal::create(arguments_.journal);
    if (!journal) return complain(journal.error());
    journal_ = std::make_unique<Journal>(std::move(*journal));
    builder_.record().journal = journal_->path();
    return run(*loaded, *devices, machine);
  }

 private:
  static std::vector<std::string> ids_of(const std::string& root) {
    std::vector<std::string> ids;
    const Result<std::vector<CaseFile>> files = discover_cases(root.empty() ? "cases" : root);
    if (files) {
      for (const CaseFile& file : *files) ids.push_back(file.id);
    }
    return ids;
  }

  ExitCode run(const Loaded& loaded, const std::vector<RunDevice>& devices, const Machine& machine) {
    const auto begin = std::chrono::steady_clock::now();
    IsolatorOptions options;
    options.worker = worker_path(common_.worker);
    options.spawn = arguments_.spawn == "exec" ? SpawnMode::exec : SpawnMode::fork;
    if (arguments_.server == "auto")
      options.server_socket = default_server_socket(options.worker);
    else if (arguments_.server != "none")
      options.server_socket = arguments_.server;
    Result<Isolator> isolator = Isolator::create(options);
    if (!isolator) return complain(isolator.error());
    builder_hold_ = true;
    emit({{"event", "run_started"},
          {"schema", kJournalVersion},
          {"relapse", RELAPSE_VERSION},
          {"time", utc_now()},
          {"pid", getpid()},
          {"command", arguments_.words},
          {"root", loaded.root},
          {"unfixed", arguments_.unfixed},
          {"jobs", arguments_.schedule.jobs},
          {"cores", machine.cores}});
    for (const RunDevice& device : devices) {
      emit({{"event", "device_found"},
            {"device", device.kind},
            {"present", device.present},
            {"required", device.required},
            {"reason", device.reason}});
    }
    const std::string torch = torch_version_for(loaded, *isolator);
    std::vector<Job> jobs = make_jobs(loaded, devices, machine, torch);
    builder_hold_ = false;
    CommandShield shield(arguments_.outputs.github && !arguments_.quiet);
    if (!arguments_.quiet) print(console_head(builder_.record(), style_) + "\n");
    const ScheduleResult result =
        run_jobs(jobs, *isolator, arguments_.schedule, [this](const Json& event) { emit(event); });
    if (!arguments_.quiet) flush_failures(true);
    progress_.clear();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    emit({{"event", "run_ended"},
          {"time", utc_now()},
          {"interrupted", result.interrupted},
          {"seconds", seconds}});
    const RunRecord& record = builder_.record();
    if (!arguments_.quiet) print(console_tail(record, style_));
    shield.lift();
    if (const Result<void> written = write_outputs(arguments_.outputs, record); !written) {
      complain(written.error());
      return record.exit_code() == ExitCode::held ? ExitCode::infrastructure : record.exit_code();
    }
    if (!journal_->trouble().empty()) {
      std::fprintf(stderr, "relapse: %s; the journal is not complete\n", journal_->trouble().c_str());
      return record.exit_code() == ExitCode::held ? ExitCode::infrastructure : record.exit_code();
    }
    return record.exit_code();
  }

  std::vector<Job> make_jobs(const Loaded& loaded, const std::vector<RunDevice>& devices,
                             const Machine& machine, const std::string& torch) {
    std::vector<Job> jobs;
    for (const LoadedCase& one : loaded.cases) {
      if (!one.kase) {
        emit({{"event", "case_broken"}, {"case", one.id}, {"file", one.path}, {"messages", one.messages}});
        continue;
      }
      if (!one.kase->unsupported.empty()) {
        emit({{"event", "case_broken"},
              {"case", one.id},
              {"file", one.path},
              {"messages", refusals(*one.kase, read_file(one.path).value_or(std::string()))}});
        continue;
      }
      for (const RunDevice& device : devices) {
        Job job;
        job.kase = one.kase.get();
        job.file = std::filesystem::absolute(one.path).lexically_normal().string();
        job.hash = one.hash;
        job.device = device.kind;
        job.role = arguments_.unfixed ? "unfixed" : "fixed";
        for (Check& check : plan(*one.kase, device.kind)) {
          if (selected(one, device.kind, check)) job.checks.push_back(std::move(check));
        }
        if (job.checks.empty()) continue;
        job.skip = device.present ? unmet(one.kase->needs, device.kind, machine, torch) : device.reason;
        if (job.skip.empty() && arguments_.unfixed) job.skip = why_no_unfixed(*one.kase);
        emit(planned_event(one, job));
        split_by_needs(job, machine, torch, jobs);
      }
    }
    return jobs;
  }

  /// Checks whose own needs are unmet become a job that is skipped, with their own reasons.
  static void split_by_needs(Job& job, const Machine& machine, const std::string& torch,
                             std::vector<Job>& jobs) {
    std::vector<Check> kept;
    for (Check& check : job.checks) {
      const std::string reason =
          job.skip.empty() ? unmet(check.scenario.needs, job.device, machine, torch) : "";
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

  /// Journal first; then the record, then the screen.
  void emit(const Json& event) {
    journal_->append(event);
    builder_.apply(event);
    if (builder_hold_ || arguments_.quiet) return;
    if (event["event"] == "attempt_ended") flush_failures(false);
    if (event["event"] != "judged") return;
    const CheckRecord* check = builder_.find(event["case"], event["device"], event["mode"], event["check"]);
    if (!check) return;
    if (is_red(check->verdict.kind)) {
      // Its child may still run, so what it printed is not known yet: red blocks are printed when their
      // attempt has ended.
      waiting_.push_back(check);
    }
    progress_.update(builder_.record(), *check);
  }

  void flush_failures(bool all) {
    std::vector<const CheckRecord*> later;
    for (const CheckRecord* check : waiting_) {
      const auto attempt = builder_.record().attempts.find(check->attempt);
      if (!all && attempt != builder_.record().attempts.end() && !attempt->second.ended) {
        later.push_back(check);
        continue;
      }
      progress_.clear();
      print(console_failure(builder_.record(), *check, style_));
    }
    waiting_ = std::move(later);
  }

  void print(const std::string& text) {
    std::fputs(text.c_str(), stdout);
    std::fflush(stdout);
  }

  const Common& common_;
  const RunArguments& arguments_;
  Style style_;
  std::unique_ptr<Journal> journal_;
  RecordBuilder builder_;
  Progress progress_{stdout, style_};
  bool builder_hold_ = false;
  std::vector<const CheckRecord*> waiting_;
};

}  // namespace

Command add_run(CLI::App& app, const Common& common) {
  // A millisecond to a month; `nan` and what overflows a clock are refused.
  const CLI::Range kSeconds(0.001, 2.6e6);
  auto arguments = std::make_shared<RunArguments>();
  RunArguments& a = *arguments;
  a.schedule.jobs = this_machine().cores;
  app.add_option("cases", a.words, "ids, globs, labels, files or folders; `ID@DEVICE/CHECK` for one check");
  app.add_option("--cases", a.root, "the cases folder (default: ./cases)");
  app.add_option("--device", a.devices, "devices to run on, by kind")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--require", a.required, "devices that must be here")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("-j,--jobs", a.schedule.jobs, "checks at a time on the CPU (default: the cores)")
      ->check(CLI::PositiveNumber);
  app.add_option("--timeout", a.schedule.timeout, "seconds for one process, over the case's own")
      ->check(kSeconds);
  app.add_option("--deadline", a.schedule.deadline, "seconds for the whole run; what is left is not run")
      ->check(kSeconds);
  app.add_option("--repeat", a.schedule.repeat, "run each check in so many fresh processes")
      ->check(CLI::PositiveNumber);
  app.add_option("--mode", a.modes, "blocking")->delimiter(',')->allow_extra_args(false);
  app.add_flag("--fail-fast", a.schedule.fail_fast, "stop at the first red check");
  app.add_flag("--unfixed", a.unfixed, "run the code before the fix: a case that bites answers RELAPSED");
  app.add_option("--journal", a.journal, "folder of the journals");
  app.add_option("--server", a.server, "auto, none, or the socket of a `relapse serve`");
  app.add_option("--spawn", a.spawn, "fork (from a warm zygote) or exec (a fresh process each)")
      ->check(CLI::IsMember({"fork", "exec"}));
  app.add_flag("-q,--quiet", a.quiet, "print nothing but errors");
  add_output_options(app, a.outputs);
  return [arguments, &common] {
    for (const std::string& mode : arguments->modes) {
      if (mode == "blocking") continue;
      const bool known = mode == "async" || mode == "nocache" || mode == "sanitizer";
      return complain(
          {ErrorKind::usage,
           known
               ? fmt::format("mode {} is not executed by relapse {}: it runs blocking", mode, RELAPSE_VERSION)
               : fmt::format("unknown mode \"{}\"{}", mode,
                             did_you_mean(mode, {"blocking", "async", "nocache", "sanitizer"}))});
    }
    if (const Result<void> good = check_outputs(arguments->outputs); !good) return complain(good.error());
    return Run(common, *arguments)();
  };
}

}  // namespace relapse
