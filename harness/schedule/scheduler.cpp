#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <harness/journal/event_json.hpp>
#include <harness/plan/plan.hpp>
#include <harness/schedule/attempt_request.hpp>
#include <harness/schedule/attempt_state.hpp>
#include <harness/schedule/device_board.hpp>
#include <harness/schedule/looks.hpp>
#include <harness/schedule/mode_comparison.hpp>
#include <harness/schedule/rounds.hpp>
#include <harness/schedule/scheduler.hpp>
#include <harness/support/text.hpp>
#include <map>
#include <set>

namespace relapse {
namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::json;

/// After so many time-outs of one case on one device the rest of it is not run: a hanging operator would hang
/// in all.
constexpr int kTimeOutsAllowed = 2;

struct Waiting {
  std::size_t job = 0;
  std::vector<std::string> checks;
  int round = 0;  ///< of --repeat
  /// Not empty: one check once more in this mode, after a fault with asynchronous launches, to learn which
  /// step is to blame. `first` is what it was judged before.
  std::string look = {};
  Verdict first = {};
  int number = 0;  ///< of the attempt, once it has started
};

class Scheduler {
 public:
  Scheduler(const std::vector<Job>& jobs, Isolator& isolator, const ScheduleOptions& options,
            const EventSink& sink)
      : jobs_(jobs),
        isolator_(isolator),
        options_(options),
        sink_(sink),
        begin_(Clock::now()),
        board_(options.devices, isolator, sink),
        rounds_(options.repeat),
        attempts_(options.first_attempt - 1) {}

  ScheduleResult run() {
    for (std::size_t i = 0; i < jobs_.size(); ++i) enqueue(i);
    while (!stopped_ || isolator_.running() > 0) {
      start_what_fits();
      if (isolator_.running() == 0 && nothing_waits()) break;
      if (std::optional<IsolateEvent> event = isolator_.next(next_stop())) {
        std::visit([this](auto& one) { handle(one); }, *event);
      }
      if (!stopped_ && Clock::now() >= run_deadline()) {
        stop(fmt::format("the deadline of {} s for the whole run passed", *options_.deadline),
             EndCause::interrupted);
      }
    }
    for (auto& [kind, queue] : waiting_) {
      for (const Waiting& waiting : queue)
        give_up(waiting, stop_reason_.empty() ? "it was not reached" : stop_reason_);
    }
    return {interrupted_};
  }

 private:
  void enqueue(std::size_t index) {
    const Job& job = jobs_[index];
    const bool skipped = !job.skip.empty();
    if (skipped || !job.trouble.empty()) {
      const VerdictKind kind = skipped ? VerdictKind::skipped : VerdictKind::infrastructure;
      for (const Check& check : job.checks)
        judged(job, check.name, no_run(kind, skipped ? job.skip : job.trouble, check), {}, 0, 0);
      return;
    }
    std::vector<std::string> names;
    for (const Check& check : job.checks) names.push_back(check.name);
    if (job.time_outs > 0) time_outs_[index] = job.time_outs;
    if (job.time_outs >= kTimeOutsAllowed) {
      give_up({index, names, 0}, fmt::format("{} checks of this case timed out before it", kTimeOutsAllowed));
      return;
    }
    std::deque<Waiting>& queue = waiting_[job.device];
    for (int round = 0; round < options_.repeat && !names.empty(); ++round) {
      // What the sanitizer finds belongs to the one check that ran below it.
      const bool each = job.kase->run.isolate_each || is_sanitizer(job.mode);
      for (std::vector<std::string>& together : processes_of(job, each))
        queue.push_back({index, std::move(together), round});
    }
  }

  /// Which checks share a process. One that certain batches run before starts in a fresh one, so that nothing
  /// else has run there.
  static std::vector<std::vector<std::string>> processes_of(const Job& job, bool each) {
    std::vector<std::vector<std::string>> processes;
    for (const Check& check : job.checks) {
      if (each || processes.empty() || !check.after.empty()) processes.emplace_back();
      processes.back().push_back(check.name);
    }
    return processes;
  }

  bool nothing_waits() const {
    return std::all_of(waiting_.begin(), waiting_.end(),
                       [](const auto& entry) { return entry.second.empty(); });
  }

  Clock::time_point run_deadline() const {
    if (!options_.deadline) return Clock::time_point::max();
    return begin_ +
           std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(*options_.deadline));
  }
  Clock::time_point next_stop() const {
    return std::min(run_deadline(), Clock::now() + std::chrono::seconds(1));
  }

  void start_what_fits() {
    for (auto& [kind, queue] : waiting_) {
      if (board_.has(kind)) {
        if (!stopped_) obey(board_.start_canaries(kind, !queue.empty()));
        start_on_device(kind, queue);
      } else {
        while (!stopped_ && !queue.empty() && on_cpu_ < options_.jobs) start(take_first(queue), {});
      }
    }
  }

  static Waiting take_first(std::deque<Waiting>& queue) {
    Waiting next = std::move(queue.front());
    queue.pop_front();
    return next;
  }

  /// In order: what needs much memory is not overtaken for ever by what needs little.
  void start_on_device(const std::string& kind, std::deque<Waiting>& queue) {
    while (!stopped_ && !queue.empty()) {
      if (is_over_budget(queue.front())) {
        queue.pop_front();
        continue;
      }
      const DeviceDemand demand = demand_of(queue.front());
      if (const std::string never = board_.why_never(kind, demand); !never.empty()) {
        give_up(take_first(queue), never);
        continue;
      }
      std::optional<std::vector<std::size_t>> slots = board_.take(kind, demand);
      if (!slots) return;
      start(take_first(queue), std::move(*slots));
    }
  }

  /// A device that is sick takes the blame from the checks that went before; where nothing went before, one
  /// check says aloud what the others are not run for.
  void obey(const std::vector<CanaryVerdict>& verdicts) {
    for (const CanaryVerdict& one : verdicts) {
      if (one.sick.empty()) continue;
      for (const Suspect& suspect : one.suspects) {
        const Job& job = jobs_[suspect.job];
        judged(job, suspect.check,
               no_run(VerdictKind::infrastructure, one.sick + "; the case is not blamed",
                      check_of(job, suspect.check)),
               {}, suspect.attempt, suspect.round);
      }
      std::deque<Waiting>& queue = waiting_[one.kind];
      if (!one.suspects.empty() || queue.empty() || board_.why_never(one.kind, {}).empty()) continue;
      Waiting& first = queue.front();
      const Job& job = jobs_[first.job];
      const std::string name = first.checks.front();
      judged(job, name, no_run(VerdictKind::infrastructure, one.sick, check_of(job, name)), {}, 0,
             first.round);
      first.checks.erase(first.checks.begin());
      if (first.checks.empty()) queue.pop_front();
    }
  }

  DeviceDemand demand_of(const Waiting& waiting) const {
    const Case& kase = *jobs_[waiting.job].kase;
    return {kase.needs.gpus.value_or(1), kase.needs.device_memory};
  }

  /// Where the driver should write what the GPU held.
  std::string dump_of(const Waiting& waiting) const {
    return fmt::format("{}/gpu-{}.core", options_.evidence.empty() ? "." : options_.evidence, waiting.number);
  }

  Request request_for(const Waiting& waiting, const std::vector<std::size_t>& slots) const {
    const Job& job = jobs_[waiting.job];
    Request request = attempt_request(job, waiting.checks, waiting.look, options_.sanitizer);
    if (!slots.empty()) {
      board_.equip(request, job.device, slots);
      for (const auto& more : environment_of(waiting.look, dump_of(waiting)))
        request.environment.push_back(more);
    }
    request.libraries.insert(request.libraries.end(), job.libraries.begin(), job.libraries.end());
    return request;
  }

  void start(Waiting next, std::vector<std::size_t> slots) {
    const Job& job = jobs_[next.job];
    const int number = next.number = ++attempts_;
    Json event{
        {"event", "attempt_started"}, {"attempt", number},
        {"case", job.kase->id},       {"device", job.device},
        {"mode", job.mode},           {"checks", next.checks},
        {"round", next.round},        {"at", std::chrono::duration<double>(Clock::now() - begin_).count()}};
    if (!next.look.empty()) event["look"] = next.look;
    for (const std::size_t slot : slots) event["slots"].push_back(board_.slot_name(job.device, slot));
    sink_(event);
    const Request request = request_for(next, slots);
    const Result<AttemptId> id =
        isolator_.start(request, attempt_limits(job, options_.timeout, !request.wrapper.empty()));
    if (!id) {
      for (const std::string& name : next.checks) {
        judged(job, name, no_run(VerdictKind::infrastructure, id.error().message, check_of(job, name)), {},
               number, next.round);
      }
      if (!slots.empty()) board_.give_back(job.device, slots, demand_of(next));
      // Without a worker nothing else can start either.
      stop(id.error().message, EndCause::interrupted);
      return;
    }
    if (slots.empty()) ++on_cpu_;
    Running& running =
        running_.emplace(*id, Running{AttemptState(job, next.checks), next, number, std::move(slots), {}, {}})
            .first->second;
    if (!request.wrapper.empty()) running.state.below_sanitizer();
  }

  const Check& check_of(const Job& job, const std::string& name) const {
    return *std::find_if(job.checks.begin(), job.checks.end(),
                         [&](const Check& check) { return check.name == name; });
  }

  void handle(const AttemptStarted&) {}

  void handle(AttemptLine& line) {
    if (board_.is_canary(line.attempt)) return board_.take(line);
    const auto found = running_.find(line.attempt);
    if (found == running_.end()) return;
    Running& running = found->second;
    Json raw = Json::parse(line.raw, nullptr, false);
    sink_({{"event", "line"},
           {"attempt", running.number},
           {"line", raw.is_discarded() ? Json(line.raw) : std::move(raw)}});
    if (const auto* observed = std::get_if<Observed>(&line.message)) {
      running.results = observed->observation.results;
      running.raised = observed->observation.raised;
    }
    if (const std::optional<Judgement> judgement = running.state.take(line.message))
      give(running, *judgement);
  }

  void handle(AttemptEnded& ended) {
    if (board_.is_canary(ended.attempt)) return obey({board_.end(ended)});
    const auto found = running_.find(ended.attempt);
    if (found == running_.end()) return;
    Running running = std::move(found->second);
    running_.erase(found);
    free_slots(running);
    sink_({{"event", "attempt_ended"}, {"attempt", running.number}, {"ending", to_json(ended.ending)}});
    for (const Judgement& judgement : running.state.finish(ended.ending)) give(running, judgement);
    doubt_device(running, ended.ending);
    // A look is taken once.
    if (running.state.left().empty() || !running.waiting.look.empty()) return;
    Waiting rest{running.waiting.job, running.state.left(), running.waiting.round};
    if (ended.ending.cause == EndCause::deadline && ++time_outs_[rest.job] >= kTimeOutsAllowed) {
      give_up(rest, fmt::format("{} checks of this case timed out before it", kTimeOutsAllowed));
    } else if (stopped_) {
      give_up(rest, stop_reason_);
    } else {
      waiting_[running.state.job().device].push_front(std::move(rest));
    }
  }

  void handle(const SpawnerLost& lost) { sink_({{"event", "note"}, {"text", lost.why}}); }

  void handle(const Interrupted&) {
    interrupted_ = true;
    stop("the run was interrupted", EndCause::interrupted);
  }

  void stop(const std::string& reason, EndCause cause) {
    if (!stopped_) stop_reason_ = reason;
    stopped_ = true;
    for (const auto& [id, running] : running_) isolator_.stop(id, cause);
    board_.stop();
  }

  void give_up(const Waiting& waiting, const std::string& reason) {
    if (!waiting.look.empty()) return;  // it has its verdict
    const Job& job = jobs_[waiting.job];
    for (const std::string& name : waiting.checks) {
      judged(job, name, no_run(VerdictKind::not_run, reason, check_of(job, name)), {}, 0, waiting.round);
    }
  }

  struct Running {
    AttemptState state;
    Waiting waiting;
    int number = 0;
    std::vector<std::size_t> slots;     ///< of its device; empty on the CPU
    std::vector<ResultDigest> results;  ///< of the last answer
    std::optional<Raised> raised;       ///< likewise
  };
  void free_slots(const Running& running) {
    if (running.slots.empty()) {
      --on_cpu_;
    } else {
      board_.give_back(running.state.job().device, running.slots, demand_of(running.waiting));
    }
  }

  /// A look has no verdict of its own to doubt, but the canary is due all the same.
  void doubt_device(const Running& running, const Ending& ending) {
    if (running.slots.empty() || running.state.suspect().empty()) return;
    const std::string& kind = running.state.job().device;
    std::optional<Suspect> suspect;
    if (running.waiting.look.empty())
      suspect = {running.waiting.job, running.state.suspect(), running.number, running.waiting.round};
    board_.doubt(kind, running.slots, suspect);
    if (ending.unkillable) obey(board_.give_up(kind, running.slots));
  }

  void give(const Running& running, Judgement judgement) {
    // What stopped the run is why a check that was under way has no verdict.
    if (stopped_ && judgement.verdict.kind == VerdictKind::not_run) judgement.verdict.reason = stop_reason_;
    if (running.waiting.look == look::kBlocking) return conclude(running, judgement.verdict);
    if (!running.waiting.look.empty()) return report_look(running, judgement.verdict);
    const Verdict verdict = judgement.verdict;
    const bool red = is_red(verdict.kind);
    const bool look = wants_look(running, verdict);
    const bool doubted = !running.slots.empty() && running.state.suspect() == judgement.check;
    judged(running.state.job(), judgement.check, std::move(judgement.verdict), judgement.seconds,
           running.number, running.waiting.round,
           look      ? "look"
           : doubted ? "canary"
                     : "");
    compare_modes(running, judgement.check, verdict);
    plan_looks(running, judgement.check, verdict, look);
    if (options_.fail_fast && red && running.state.job().quarantined.count(judgement.check) == 0)
      stop("an earlier check was red (--fail-fast)", EndCause::interrupted);
  }

  // ---- looks

  /// In front of everything else that waits for the device, in order.
  void plan_looks(const Running& running, const std::string& check, const Verdict& verdict, bool blocking) {
    const Job& job = running.state.job();
    std::vector<std::string> looks;
    if (blocking) looks.emplace_back(look::kBlocking);
    if (options_.escalate && !stopped_ && !running.slots.empty() && !is_sanitizer(job.mode)) {
      for (std::string& one : looks_at(verdict, !options_.sanitizer.empty())) looks.push_back(std::move(one));
    }
    std::deque<Waiting>& queue = waiting_[job.device];
    for (auto one = looks.rbegin(); one != looks.rend(); ++one)
      queue.push_front({running.waiting.job, {check}, running.waiting.round, *one, verdict, 0});
  }

  bool is_over_budget(const Waiting& waiting) {
    if (waiting.look.empty() || waiting.look == look::kBlocking) return false;
    if (!first_look_) first_look_ = Clock::now();
    return std::chrono::duration<double>(Clock::now() - *first_look_).count() > *options_.escalate;
  }

  /// What a look of --escalate found, attached to its check.
  void report_look(const Running& running, const Verdict& second) {
    const std::string& name = running.waiting.look;
    std::string text = join(second.seen, "\n");
    if (name == look::kTraces) {
      if (!running.raised) return;
      text = running.raised->text;
    } else if (name == look::kCoreDump) {
      const std::string dump = dump_of(running.waiting);
      if (!std::filesystem::exists(dump)) return;
      text = fmt::format("{}\nread it with: cuda-gdb -ex \"target cudacore {}\"", dump, dump);
    } else if (!is_red(second.kind)) {
      text = fmt::format("{}: nothing found", second.signature);
    }
    const Job& job = running.state.job();
    sink_({{"event", "finding"},
           {"kind", name},
           {"case", job.kase->id},
           {"device", job.device},
           {"check", running.waiting.checks.front()},
           {"text", text}});
  }

  // ---- asynchronous launches

  /// An error of an asynchronous launch shows at a later call, so the step where it showed is not the guilty
  /// one.
  bool wants_look(const Running& running, const Verdict& verdict) const {
    return !stopped_ && running.state.job().mode == to_string(Mode::async) && verdict.fault.has_value();
  }

  /// What the look with blocking launches says about the fault of the asynchronous run.
  void conclude(const Running& running, const Verdict& second) {
    Verdict verdict = running.waiting.first;
    const std::string& name = running.waiting.checks.front();
    if (second.fault) {
      verdict.step = second.step;
      verdict.seen.push_back(second.step < 0 ? fmt::format("with blocking launches: {}", second.signature)
                                             : fmt::format("with blocking launches it comes from step {}: {}",
                                                           second.step + 1, to_string(*second.fault)));
    } else {
      verdict.seen.push_back(fmt::format("with blocking launches: {}, so it depends on the order of launches",
                                         second.signature));
      report_order(running.state.job(), name, verdict.seen.back());
    }
    judged(running.state.job(), name, std::move(verdict), {}, running.number, running.waiting.round);
  }

  void compare_modes(const Running& running, const std::string& name, const Verdict& verdict) {
    const Job& job = running.state.job();
    if (job.device == "cpu" || options_.repeat > 1) return;
    const std::optional<std::string> how =
        modes_.add(check_id(job.kase->id, job.device, name), job.mode, verdict, running.results);
    if (!how) return;
    report_order(job, name, *how);
    for (const Agreement& agreement : job.kase->contract.agrees) {
      if (agreement.twin != Twin::async || agreement.off || verdict.kind != VerdictKind::held) continue;
      Job async = job;
      async.mode = to_string(Mode::async);
      judged(async, name, disagreement_verdict(agreement, check_of(job, name), *how), {}, running.number,
             running.waiting.round);
    }
  }

  void report_order(const Job& job, const std::string& name, const std::string& how) {
    sink_({{"event", "finding"},
           {"kind", "order_dependent"},
           {"case", job.kase->id},
           {"device", job.device},
           {"check", name},
           {"text", how}});
  }

  void judged(const Job& job, const std::string& name, Verdict verdict, std::optional<double> seconds,
              int attempt, int round, const std::string& open = {}) {
    const Json own = options_.repeat > 1 ? to_json(verdict) : Json();
    verdict = rounds_.join(check_id(job.kase->id, job.device, name) + job.mode, round, check_of(job, name),
                           std::move(verdict));
    Json event{{"event", "judged"}, {"case", job.kase->id}, {"device", job.device},       {"mode", job.mode},
               {"check", name},     {"attempt", attempt},   {"verdict", to_json(verdict)}};
    if (seconds) event["seconds"] = *seconds;
    if (options_.repeat > 1) {
      event["round"] = round;
      event["own"] = own;
    }
    if (!open.empty()) event["open"] = open;
    sink_(event);
  }

  const std::vector<Job>& jobs_;
  Isolator& isolator_;
  const ScheduleOptions& options_;
  const EventSink& sink_;
  Clock::time_point begin_;
  std::map<std::string, std::deque<Waiting>> waiting_;  ///< by kind of device
  DeviceBoard board_;
  ModeComparison modes_;
  std::optional<Clock::time_point> first_look_;
  int on_cpu_ = 0;
  std::map<AttemptId, Running> running_;
  std::map<std::size_t, int> time_outs_;
  Rounds rounds_;
  int attempts_ = 0;
  bool stopped_ = false, interrupted_ = false;
  std::string stop_reason_;
};

}  // namespace

ScheduleResult run_jobs(const std::vector<Job>& jobs, Isolator& isolator, const ScheduleOptions& options,
                        const EventSink& sink) {
  return Scheduler(jobs, isolator, options, sink).run();
}

}  // namespace relapse
