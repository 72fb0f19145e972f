#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <deque>
#include <harness/journal/event_json.hpp>
#include <harness/plan/plan.hpp>
#include <harness/schedule/attempt_state.hpp>
#include <harness/schedule/scheduler.hpp>
#include <map>
#include <set>

namespace relapse {
namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::json;

constexpr double kCpuTimeout = 60;
constexpr double kDeviceTimeout = 120;
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
        attempts_(options.first_attempt - 1) {}

  ScheduleResult run() {
    for (std::size_t i = 0; i < jobs_.size(); ++i) enqueue(i);
    while (!stopped_ || isolator_.running() > 0) {
      start_what_fits();
      if (isolator_.running() == 0 && waiting_.empty()) break;
      if (std::optional<IsolateEvent> event = isolator_.next(next_stop())) {
        std::visit([this](auto& one) { handle(one); }, *event);
      }
      if (!stopped_ && Clock::now() >= run_deadline()) {
        stop(fmt::format("the deadline of {} s for the whole run passed", *options_.deadline),
             EndCause::interrupted);
      }
    }
    for (const Waiting& waiting : waiting_)
      give_up(waiting, stop_reason_.empty() ? "it was not reached" : stop_reason_);
    return {interrupted_};
  }

 private:
  void enqueue(std::size_t index) {
    const Job& job = jobs_[index];
    if (!job.skip.empty()) {
      for (const Check& check : job.checks)
        judged(job, check.name, no_run(VerdictKind::skipped, job.skip, check), {}, 0, 0);
      return;
    }
    std::vector<std::string> names;
    for (const Check& check : job.checks) names.push_back(check.name);
    if (job.time_outs > 0) time_outs_[index] = job.time_outs;
    if (job.time_outs >= kTimeOutsAllowed) {
      give_up({index, names, 0}, fmt::format("{} checks of this case timed out before it", kTimeOutsAllowed));
      return;
    }
    for (int round = 0; round < options_.repeat && !names.empty(); ++round)
      waiting_.push_back({index, names, round});
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
    while (!stopped_ && !waiting_.empty() && isolator_.running() < static_cast<std::size_t>(options_.jobs)) {
      Waiting next = std::move(waiting_.front());
      waiting_.pop_front();
      start(std::move(next));
    }
  }

  Request request_for(const Job& job, const std::vector<std::string>& checks) const {
    Request request;
    request.kind = RequestKind::attempt;
    request.nonce = random_nonce();
    request.case_file = job.file;
    request.case_id = job.kase->id;
    request.case_hash = job.hash;
    request.device = job.device;
    request.mode = job.mode;
    request.role = job.role;
    request.checks = checks;
    request.threads = 1;
    // A device maps huge address ranges, so only the CPU has a limit on data.
    if (job.device == "cpu") request.memory_limit = job.kase->limits.memory.value_or(kDefaultMemory);
    return request;
  }

  AttemptLimits limits_for(const Job& job) const {
    AttemptLimits limits;
    const double standard = job.device == "cpu" ? kCpuTimeout : kDeviceTimeout;
    const double seconds = options_.timeout.value_or(job.kase->limits.timeout.value_or(standard));
    limits.timeout = std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
    limits.resident_memory = job.kase->limits.memory.value_or(kDefaultMemory) + kResidentSlack;
    limits.output = job.kase->limits.output.value_or(limits.output);
    return limits;
  }

  void start(Waiting next) {
    const Job& job = jobs_[next.job];
    const int number = ++attempts_;
    sink_({{"event", "attempt_started"},
           {"attempt", number},
           {"case", job.kase->id},
           {"device", job.device},
           {"mode", job.mode},
           {"checks", next.checks},
           {"round", next.round}});
    const Result<AttemptId> id = isolator_.start(request_for(job, next.checks), limits_for(job));
    if (!id) {
      for (const std::string& name : next.checks) {
        judged(job, name, no_run(VerdictKind::infrastructure, id.error().message, check_of(job, name)), {},
               number, next.round);
      }
      // Without a worker nothing else can start either.
      stop(id.error().message, EndCause::interrupted);
      return;
    }
    running_.emplace(*id, Running{AttemptState(job, next.checks), next, number});
  }

  const Check& check_of(const Job& job, const std::string& name) const {
    return *std::find_if(job.checks.begin(), job.checks.end(),
                         [&](const Check& check) { return check.name == name; });
  }

  void handle(const AttemptStarted&) {}

  void handle(AttemptLine& line) {
    const auto found = running_.find(line.attempt);
    if (found == running_.end()) return;
    Running& running = found->second;
    Json raw = Json::parse(line.raw, nullptr, false);
    sink_({{"event", "line"},
           {"attempt", running.number},
           {"line", raw.is_discarded() ? Json(line.raw) : std::move(raw)}});
    if (const std::optional<Judgement> judgement = running.state.take(line.message))
      give(running, *judgement);
  }

  void handle(AttemptEnded& ended) {
    const auto found = running_.find(ended.attempt);
    if (found == running_.end()) return;
    Running running = std::move(found->second);
    running_.erase(found);
    sink_({{"event", "attempt_ended"}, {"attempt", running.number}, {"ending", to_json(ended.ending)}});
    for (const Judgement& judgement : running.state.finish(ended.ending)) give(running, judgement);
    if (running.state.left().empty()) return;
    Waiting rest{running.waiting.job, running.state.left(), running.waiting.round};
    if (ended.ending.cause == EndCause::deadline && ++time_outs_[rest.job] >= kTimeOutsAllowed) {
      give_up(rest, fmt::format("{} checks of this case timed out before it", kTimeOutsAllowed));
    } else if (stopped_) {
      give_up(rest, stop_reason_);
    } else {
      waiting_.push_front(std::move(rest));
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
  }

  void give_up(const Waiting& waiting, const std::string& reason) {
    const Job& job = jobs_[waiting.job];
    for (const std::string& name : waiting.checks) {
      judged(job, name, no_run(VerdictKind::not_run, reason, check_of(job, name)), {}, 0, waiting.round);
    }
  }

  struct Running {
    AttemptState state;
    Waiting waiting;
    int number = 0;
  };

  void give(const Running& running, Judgement judgement) {
    // What stopped the run is why a check that was under way has no verdict.
    if (stopped_ && judgement.verdict.kind == VerdictKind::not_run) judgement.verdict.reason = stop_reason_;
    const bool red = is_red(judgement.verdict.kind);
    judged(running.state.job(), judgement.check, std::move(judgement.verdict), judgement.seconds,
           running.number, running.waiting.round);
    if (options_.fail_fast && red && running.state.job().quarantined.count(judgement.check) == 0)
      stop("an earlier check was red (--fail-fast)", EndCause::interrupted);
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
              int attempt, int round) {
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
    sink_(event);
  }

  const std::vector<Job>& jobs_;
  Isolator& isolator_;
  const ScheduleOptions& options_;
  const EventSink& sink_;
  Clock::time_point begin_;
  std::deque<Waiting> waiting_;
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
