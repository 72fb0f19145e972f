#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <harness/journal/event_json.hpp>
#include <harness/plan/plan.hpp>
#include <harness/schedule/attempt_state.hpp>
#include <harness/schedule/canary.hpp>
#include <harness/schedule/looks.hpp>
#include <harness/schedule/mode_comparison.hpp>
#include <harness/schedule/scheduler.hpp>
#include <harness/support/text.hpp>
#include <map>
#include <set>

namespace relapse {
namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::json;

constexpr double kCpuTimeout = 60;
constexpr double kDeviceTimeout = 120;
/// compute-sanitizer instruments every access.
constexpr double kSanitizerFactor = 10;
constexpr std::uint64_t kDefaultMemory = std::uint64_t{4} << 30;
/// Above the data limit a child may hold its libraries and stacks; the resident set is only the second line
/// of defence.
constexpr std::uint64_t kResidentSlack = std::uint64_t{1} << 30;
/// After so many time-outs of one case on one device the rest of it is not run: a hanging operator would hang
/// in all.
constexpr int kTimeOutsAllowed = 2;

std::string random_nonce() {
  unsigned char bytes[16] = {};
  if (getrandom(bytes, sizeof(bytes), 0) != static_cast<ssize_t>(sizeof(bytes))) return {};
  std::string nonce;
  for (const unsigned char byte : bytes) nonce += fmt::format("{:02x}", byte);
  return nonce;
}

struct Waiting {
  std::size_t job = 0;
  std::vector<std::string> checks;
  int round = 0;  ///< of --repeat
  /// Not empty: one check once more in this mode, after a fault with asynchronous launches, to learn which
  /// step is to blame. `first` is what it was judged before.
  std::string look;
  Verdict first;
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
        attempts_(options.first_attempt - 1) {
    for (const DeviceKind& kind : options.devices) pools_.emplace(kind.kind, DevicePool(kind));
  }

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
      if (!job.kase->run.isolate_each && !is_sanitizer(job.mode)) {
        queue.push_back({index, names, round});
        continue;
      }
      for (const std::string& name : names) queue.push_back({index, {name}, round});
    }
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
    for (auto& [kind, pool] : pools_) start_canaries(pool);
    for (auto& [kind, queue] : waiting_) {
      const auto pool = pools_.find(kind);
      if (pool == pools_.end()) {
        while (!stopped_ && !queue.empty() && on_cpu_ < options_.jobs) start(take_first(queue), {});
      } else {
        start_on(pool->second, queue);
      }
    }
  }

  static Waiting take_first(std::deque<Waiting>& queue) {
    Waiting next = std::move(queue.front());
    queue.pop_front();
    return next;
  }

  /// In order: what needs much memory is not overtaken for ever by what needs little.
  void start_on(DevicePool& pool, std::deque<Waiting>& queue) {
    while (!stopped_ && !queue.empty()) {
      if (is_over_budget(queue.front())) {
        queue.pop_front();
        continue;
      }
      const DeviceDemand demand = demand_of(queue.front());
      if (demand.devices > pool.usable()) {
        give_up(take_first(queue), sick_reason(pool));
        continue;
      }
      std::optional<std::vector<std::size_t>> slots = pool.take(demand);
      if (!slots) return;
      start(take_first(queue), std::move(*slots));
    }
  }

  DeviceDemand demand_of(const Waiting& waiting) const {
    const Case& kase = *jobs_[waiting.job].kase;
    return {kase.needs.gpus.value_or(1), kase.needs.device_memory};
  }

  std::string sick_reason(const DevicePool& pool) const {
    const auto found = sick_.find(pool.kind().kind);
    return found == sick_.end() ? "fewer devices are here than it needs" : found->second;
  }

  // ---- canaries

  void start_canaries(DevicePool& pool) {
    while (!stopped_) {
      const std::optional<std::size_t> slot = pool.needs_canary();
      const bool decides = slot && suspects_.count({pool.kind().kind, *slot}) > 0;
      if (!slot || (!decides && waiting_[pool.kind().kind].empty())) return;
      pool.set_health(*slot, Health::checking);
      sink_({{"event", "canary_started"}, {"device", pool.slot(*slot).name}});
      const Result<AttemptId> id =
          isolator_.start(canary_request(pool.kind(), pool.slot(*slot), random_nonce()), canary_limits());
      if (id) {
        canaries_.emplace(*id, Canary{pool.kind().kind, *slot, {}});
      } else {
        canary_ended(pool, *slot, id.error().message);
      }
    }
  }

  /// `why` it is sick; empty: it is well.
  void canary_ended(DevicePool& pool, std::size_t slot, const std::string& why) {
    const DeviceSlot& device = pool.slot(slot);
    Json event{
        {"event", "canary"}, {"device", device.name}, {"kind", pool.kind().kind}, {"well", why.empty()}};
    if (!why.empty()) event["why"] = why;
    sink_(event);
    pool.set_health(slot, why.empty() ? Health::well : Health::sick);
    const auto suspects = suspects_.find({pool.kind().kind, slot});
    if (!why.empty()) {
      const std::string reason = fmt::format("the canary failed on {}: {}", device.name, why);
      sick_.emplace(pool.kind().kind, reason);
      if (suspects != suspects_.end()) {
        for (const Suspect& one : suspects->second) {
          judged(jobs_[one.job], one.check,
                 no_run(VerdictKind::infrastructure, reason + "; the case is not blamed",
                        check_of(jobs_[one.job], one.check)),
                 {}, one.attempt, one.round);
        }
      } else if (std::deque<Waiting>& queue = waiting_[pool.kind().kind];
                 !queue.empty() && pool.usable() == 0) {
        // One check says aloud what the others were not run for.
        const Job& job = jobs_[queue.front().job];
        const std::string name = queue.front().checks.front();
        judged(job, name, no_run(VerdictKind::infrastructure, reason, check_of(job, name)), {}, 0,
               queue.front().round);
        queue.front().checks.erase(queue.front().checks.begin());
        if (queue.front().checks.empty()) queue.pop_front();
      }
    }
    if (suspects != suspects_.end()) suspects_.erase(suspects);
  }

  Request request_for(const Waiting& waiting, const std::vector<std::size_t>& slots) const {
    const Job& job = jobs_[waiting.job];
    Request request;
    request.kind = RequestKind::attempt;
    request.nonce = random_nonce();
    request.case_file = job.file;
    request.case_id = job.kase->id;
    request.case_hash = job.hash;
    request.device = job.device;
    request.mode = waiting.look.empty() ? job.mode : mode_of(waiting.look);
    request.wrapper = wrapper_for(request.mode, options_.sanitizer);
    request.role = job.role;
    request.checks = waiting.checks;
    request.threads = 1;
    if (const auto pool = pools_.find(job.device); pool != pools_.end()) {
      request.libraries = pool->second.kind().libraries;
      std::vector<std::string> visible;
      for (const std::size_t slot : slots) {
        if (const std::string& name = pool->second.slot(slot).visible; !name.empty()) visible.push_back(name);
      }
      request.environment = device_environment(request.mode, visible);
      for (const auto& more : environment_of(waiting.look, dump_of(waiting)))
        request.environment.push_back(more);
    }
    request.libraries.insert(request.libraries.end(), job.libraries.begin(), job.libraries.end());
    // A device maps huge address ranges, so only the CPU has a limit on data.
    if (job.device == "cpu") request.memory_limit = job.kase->limits.memory.value_or(kDefaultMemory);
    return request;
  }

  /// Where the driver should write what the GPU held.
  std::string dump_of(const Waiting& waiting) const {
    return fmt::format("{}/gpu-{}.core", options_.evidence.empty() ? "." : options_.evidence, waiting.number);
  }

  AttemptLimits limits_for(const Job& job, bool sanitized) const {
    AttemptLimits limits;
    const double standard = job.device == "cpu" ? kCpuTimeout : kDeviceTimeout;
    const double factor = sanitized ? kSanitizerFactor : 1;
    const double seconds = factor * options_.timeout.value_or(job.kase->limits.timeout.value_or(standard));
    limits.timeout = std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
    limits.resident_memory = job.kase->limits.memory.value_or(kDefaultMemory) + kResidentSlack;
    if (sanitized) limits.resident_memory *= static_cast<std::uint64_t>(kSanitizerFactor);
    limits.output = job.kase->limits.output.value_or(limits.output);
    return limits;
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
    for (const std::size_t slot : slots) event["slots"].push_back(pools_.at(job.device).slot(slot).name);
    sink_(event);
    const Request request = request_for(next, slots);
    const Result<AttemptId> id = isolator_.start(request, limits_for(job, !request.wrapper.empty()));
    if (!id) {
      for (const std::string& name : next.checks) {
        judged(job, name, no_run(VerdictKind::infrastructure, id.error().message, check_of(job, name)), {},
               number, next.round);
      }
      if (!slots.empty()) pools_.at(job.device).give_back(slots, demand_of(next));
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
    if (const auto canary = canaries_.find(line.attempt); canary != canaries_.end())
      return canary->second.answer.take(line.message);
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
    if (const auto canary = canaries_.find(ended.attempt); canary != canaries_.end()) {
      const Canary done = std::move(canary->second);
      canaries_.erase(canary);
      // A run that is being stopped asks no more questions.
      if (!stopped_) canary_ended(pools_.at(done.kind), done.slot, done.answer.why_sick(ended.ending));
      return;
    }
    const auto found = running_.find(ended.attempt);
    if (found == running_.end()) return;
    Running running = std::move(found->second);
    running_.erase(found);
    free_slots(running);
    sink_({{"event", "attempt_ended"}, {"attempt", running.number}, {"ending", to_json(ended.ending)}});
    for (const Judgement& judgement : running.state.finish(ended.ending)) give(running, judgement);
    doubt_device(running, ended.ending);
    if (running.state.left().empty()) return;
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
    for (const auto& [id, canary] : canaries_) isolator_.stop(id, cause);
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
  struct Canary {
    std::string kind;
    std::size_t slot = 0;
    CanaryAnswer answer;
  };
  /// A check whose verdict is the device's fault when the canary fails.
  struct Suspect {
    std::size_t job = 0;
    std::string check;
    int attempt = 0, round = 0;
  };

  void free_slots(const Running& running) {
    if (running.slots.empty()) {
      --on_cpu_;
    } else {
      pools_.at(running.state.job().device).give_back(running.slots, demand_of(running.waiting));
    }
  }

  /// Before anything else runs on a device on which something went wrong, the canary does.
  void doubt_device(const Running& running, const Ending& ending) {
    if (running.slots.empty() || running.state.suspect().empty()) return;
    DevicePool& pool = pools_.at(running.state.job().device);
    for (const std::size_t slot : running.slots) {
      if (pool.health(slot) == Health::sick) continue;
      pool.set_health(slot, Health::unknown);
      // A look has no verdict of its own to doubt, but the canary is due all the same.
      if (!running.waiting.look.empty()) continue;
      suspects_[{pool.kind().kind, slot}].push_back(
          {running.waiting.job, running.state.suspect(), running.number, running.waiting.round});
      // It hangs in the driver and cannot be killed: no canary would come through either.
      if (ending.unkillable) canary_ended(pool, slot, "a process on it could not be killed");
    }
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

  /// With --repeat a check has a verdict each round: equal ones stay, different ones make it unstable. A
  /// round that was not run takes no red away, and no green is left without all rounds.
  Verdict joined(const std::string& key, int round, const Check& check, Verdict verdict) {
    if (options_.repeat <= 1) return verdict;
    std::map<int, Verdict>& rounds = rounds_[key];
    rounds.insert_or_assign(round, verdict);
    std::map<std::string, int> signatures;
    const Verdict *ran = nullptr, *not_run = nullptr;
    for (const auto& [number, one] : rounds) {
      if (one.kind == VerdictKind::not_run) {
        not_run = &one;
        continue;
      }
      ran = &one;
      ++signatures[one.signature];
    }
    if (signatures.size() < 2) {
      if (ran && (!not_run || is_red(ran->kind))) return *ran;
      return not_run ? *not_run : verdict;
    }
    Verdict unstable = no_run(VerdictKind::unstable, "", check);
    for (const auto& [signature, count] : signatures) {
      unstable.seen.push_back(
          fmt::format("{} in {} of {} fresh processes", signature, count, options_.repeat));
    }
    unstable.seen.insert(unstable.seen.end(), ran->seen.begin(), ran->seen.end());
    return unstable;
  }

  void judged(const Job& job, const std::string& name, Verdict verdict, std::optional<double> seconds,
              int attempt, int round, const std::string& open = {}) {
    const Json own = options_.repeat > 1 ? to_json(verdict) : Json();
    verdict = joined(check_id(job.kase->id, job.device, name) + job.mode, round, check_of(job, name),
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
  std::map<std::string, DevicePool> pools_;
  std::map<AttemptId, Canary> canaries_;
  std::map<std::pair<std::string, std::size_t>, std::vector<Suspect>> suspects_;  ///< by kind and slot
  std::map<std::string, std::string> sick_;                                       ///< kinds to why
  ModeComparison modes_;
  std::optional<Clock::time_point> first_look_;
  int on_cpu_ = 0;
  std::map<AttemptId, Running> running_;
  std::map<std::size_t, int> time_outs_;
  std::map<std::string, std::map<int, Verdict>> rounds_;
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
