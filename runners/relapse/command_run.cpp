#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include <harness/isolate/isolator.hpp>
#include <harness/isolate/server.hpp>
#include <harness/journal/journal.hpp>
#include <harness/journal/record.hpp>
#include <harness/report/console.hpp>
#include <harness/report/progress.hpp>
#include <harness/schedule/looks.hpp>
#include <harness/schedule/machine.hpp>
#include <harness/schedule/scheduler.hpp>
#include <harness/support/file.hpp>
#include <harness/support/text.hpp>
#include <memory>
#include <runners/relapse/ask.hpp>
#include <runners/relapse/commands.hpp>
#include <runners/relapse/find_tool.hpp>
#include <runners/relapse/load.hpp>
#include <runners/relapse/outputs.hpp>
#include <runners/relapse/run_arguments.hpp>
#include <runners/relapse/run_devices.hpp>
#include <runners/relapse/run_jobs.hpp>
#include <runners/relapse/run_part.hpp>
#include <runners/relapse/worker_path.hpp>

namespace relapse {
namespace {

using Json = nlohmann::json;

std::string torch_version_for(Isolator& isolator) {
  Request request;
  request.kind = RequestKind::probe;
  const Result<Json> answer = ask(isolator, request);
  return answer ? answer->value("torch_version", "") : "";
}

/// How long --escalate may look at red checks, unless it is told.
constexpr double kEscalateSeconds = 300;

class Run {
 public:
  Run(const Common& common, const RunArguments& arguments, std::shared_ptr<EarlierRun> earlier)
      : common_(common),
        arguments_(arguments),
        earlier_(std::move(earlier)),
        style_(style_of(STDOUT_FILENO, common.colour)) {}

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
    Result<RunPart> part = RunPart::choose(arguments_, earlier_, *loaded);
    if (!part) return complain(part.error());
    part_ = std::make_unique<RunPart>(std::move(*part));
    if (part_->nothing_was_red()) {
      std::fprintf(stderr, "relapse: nothing was red in %s\n", arguments_.part.failed.c_str());
      return ExitCode::nothing_ran;
    }
    Result<Isolator> isolator = make_isolator();
    if (!isolator) return complain(isolator.error());
    Machine machine = this_machine();
    const Result<std::vector<RunDevice>> devices = devices_of(arguments_, *loaded, *isolator, machine);
    if (!devices) return complain(devices.error());
    const bool asks = needs_torch_version(*loaded) || !part_->torch_version().empty();
    const std::string torch = asks ? torch_version_for(*isolator) : "";
    if (!part_->torch_version().empty() && torch != part_->torch_version()) {
      return complain(
          {ErrorKind::usage,
           fmt::format("the run that is resumed had LibTorch {}, {} is here: verdicts of two versions "
                       "make no one run; run it anew",
                       part_->torch_version(), torch.empty() ? "none" : torch)});
    }
    Result<Journal> journal = Journal::create(arguments_.journal);
    if (!journal) return complain(journal.error());
    journal_ = std::make_unique<Journal>(std::move(*journal));
    builder_.record().journal = journal_->path();
    return run(*loaded, *devices, machine, torch, *isolator);
  }

  Tally tally() const { return builder_.record().tally(); }

 private:
  static std::vector<std::string> ids_of(const std::string& root) {
    std::vector<std::string> ids;
    const Result<std::vector<CaseFile>> files = discover_cases(root.empty() ? "cases" : root);
    if (files) {
      for (const CaseFile& file : *files) ids.push_back(file.id);
    }
    return ids;
  }

  Result<Isolator> make_isolator() const {
    IsolatorOptions options;
    options.worker = worker_path(common_.worker);
    options.spawn = arguments_.spawn == "exec" ? SpawnMode::exec : SpawnMode::fork;
    if (arguments_.server == "auto")
      options.server_socket = default_server_socket(options.worker);
    else if (arguments_.server != "none")
      options.server_socket = arguments_.server;
    return Isolator::create(options);
  }

  ExitCode run(const Loaded& loaded, const std::vector<RunDevice>& devices, const Machine& machine,
               const std::string& torch, Isolator& isolator) {
    const auto begin = std::chrono::steady_clock::now();
    ScheduleOptions schedule = arguments_.schedule;
    for (const RunDevice& device : devices) {
      if (device.present && device.kind != "cpu") schedule.devices.push_back(device.use);
    }
    builder_hold_ = true;
    Json started{{"event", "run_started"},
                 {"schema", kJournalVersion},
                 {"relapse", RELAPSE_VERSION},
                 {"time", utc_now()},
                 {"pid", getpid()},
                 {"command", arguments_.words},
                 {"plugins", arguments_.plugins},
                 {"root", loaded.root},
                 {"unfixed", arguments_.unfixed},
                 {"jobs", arguments_.schedule.jobs},
                 {"cores", machine.cores}};
    part_->describe(started);
    emit(started);
    for (const RunDevice& device : devices) {
      emit({{"event", "device_found"},
            {"device", device.kind},
            {"present", device.present},
            {"required", device.required},
            {"reason", device.reason},
            {"names", device.names}});
    }
    const EventSink sink = [this](const Json& event) { emit(event); };
    const auto jobs_of = [&](const Loaded& cases, const EventSink& to) {
      return make_jobs(cases, devices, machine, torch, arguments_, to);
    };
    std::vector<Job> jobs = jobs_of(loaded, sink);
    part_->tell_the_rest(jobs_of, sink);
    const bool sanitized =
        std::any_of(jobs.begin(), jobs.end(), [](const Job& job) { return is_sanitizer(job.mode); });
    if (sanitized || schedule.escalate) schedule.sanitizer = find_compute_sanitizer();
    schedule.evidence = std::filesystem::absolute(journal_->path()).parent_path().string();
    part_->prepare(jobs, schedule, sink);
    builder_hold_ = false;
    CommandShield shield(arguments_.outputs.github && !arguments_.quiet);
    if (!arguments_.quiet) print(console_head(builder_.record(), style_) + "\n");
    const ScheduleResult result = run_jobs(jobs, isolator, schedule, sink);
    if (!arguments_.quiet) flush_failures(true);
    progress_.clear();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    emit({{"event", "run_ended"},
          {"time", utc_now()},
          {"interrupted", result.interrupted},
          {"seconds", seconds}});
    const RunRecord& record = builder_.record();
    part_->keep_times(record);
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

  /// Journal first; then the record, then the screen.
  void emit(const Json& event) {
    journal_->append(event);
    // A GPU can take the machine with it.
    if (event["event"] == "attempt_started" && event["device"] != "cpu") journal_->sync();
    builder_.apply(event);
    if (builder_hold_ || arguments_.quiet) return;
    if (event["event"] == "attempt_ended" || event["event"] == "canary") flush_failures(false);
    if (event["event"] != "judged") return;
    const CheckRecord* check = builder_.find(event["case"], event["device"], event["mode"], event["check"]);
    if (!check) return;
    if (is_red(check->verdict.kind)) {
      // Its child may still run, so what it printed is not known yet: red blocks are printed when their
      // attempt has ended.
      if (std::find(waiting_.begin(), waiting_.end(), check) == waiting_.end()) waiting_.push_back(check);
    }
    progress_.update(builder_.record(), *check);
  }

  void flush_failures(bool all) {
    std::vector<const CheckRecord*> later;
    for (const CheckRecord* check : waiting_) {
      const auto attempt = builder_.record().attempts.find(check->attempt);
      const bool runs = attempt != builder_.record().attempts.end() && !attempt->second.ended;
      if (!all && (runs || !check->open.empty())) {
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
  std::shared_ptr<EarlierRun> earlier_;
  std::unique_ptr<RunPart> part_;
  Style style_;
  std::unique_ptr<Journal> journal_;
  RecordBuilder builder_;
  Progress progress_{stdout, style_};
  bool builder_hold_ = false;
  std::vector<const CheckRecord*> waiting_;
};

}  // namespace

namespace {

void add_run_options(CLI::App& app, RunArguments& a) {
  // A millisecond to a month; `nan` and what overflows a clock are refused.
  const CLI::Range kSeconds(0.001, 2.6e6);
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
  app.add_option("--device-plugin", a.plugins,
                 "library that brings another kind of device (LibTorch's PrivateUse1); name it with --device")
      ->check(CLI::ExistingFile)
      ->allow_extra_args(false);
  app.add_option("--library", a.libraries, "NAME=PATH: where an operator library lies that cases name")
      ->allow_extra_args(false);
  app.add_option("--mode", a.modes,
                 "on devices: blocking (default), async, nocache, sanitizer, sanitizer:racecheck, "
                 "sanitizer:initcheck")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_flag_callback(
      "--escalate", [&a] { a.schedule.escalate = a.schedule.escalate.value_or(kEscalateSeconds); },
      "look again at red checks of devices: C++ traces, a GPU core dump, memcheck, racecheck");
  app.add_option("--escalate-for", a.schedule.escalate,
                 "--escalate, for at most so many seconds in all (300)")
      ->check(kSeconds);
  app.add_flag("--fail-fast", a.schedule.fail_fast, "stop at the first red check");
  app.add_flag("--data-only", a.data_only,
               "case files are strangers': no libraries, code or files elsewhere; each child in a sandbox");
  app.add_flag("--unfixed", a.unfixed, "run the code before the fix: a case that bites answers RELAPSED");
  app.add_option("--journal", a.journal, "folder of the journals");
  app.add_option("--server", a.server, "auto, none, or the socket of a `relapse serve`");
  app.add_option("--spawn", a.spawn, "fork (from a warm zygote) or exec (a fresh process each)")
      ->check(CLI::IsMember({"fork", "exec"}));
  app.add_flag("-q,--quiet", a.quiet, "print nothing but errors");
  add_part_options(app, a.part);
  add_output_options(app, a.outputs);
}

Result<void> check_modes(const std::vector<std::string>& modes) {
  const std::vector<std::string> known = {
      "blocking", "async", "nocache", "sanitizer", "sanitizer:racecheck", "sanitizer:initcheck"};
  for (const std::string& mode : modes) {
    if (std::find(known.begin(), known.end(), mode) == known.end())
      return fail(ErrorKind::usage, fmt::format("unknown mode \"{}\"{}", mode, did_you_mean(mode, known)));
  }
  return {};
}

}  // namespace

Command add_run(CLI::App& app, const Common& common) {
  auto arguments = std::make_shared<RunArguments>();
  add_run_options(app, *arguments);
  return [arguments, &common, &app] {
    arguments->given = given_options(app);
    std::shared_ptr<EarlierRun> earlier;
    if (!arguments->part.resume.empty() || !arguments->part.failed.empty()) {
      Result<std::shared_ptr<EarlierRun>> taken = take_up(*arguments, add_run_options);
      if (!taken) return complain(taken.error());
      earlier = std::move(*taken);
    }
    if (const Result<void> good = check_modes(arguments->modes); !good) return complain(good.error());
    if (const Result<void> good = check_outputs(arguments->outputs); !good) return complain(good.error());
    Run run(common, *arguments, std::move(earlier));
    const ExitCode code = run();
    return arguments->part.bisect ? bisect_code(code, run.tally()) : code;
  };
}

}  // namespace relapse
