#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <deque>
#include <filesystem>
#include <harness/isolate/attempt.hpp>
#include <harness/isolate/control_channel.hpp>
#include <harness/isolate/interrupt_watch.hpp>
#include <harness/isolate/isolator.hpp>
#include <harness/isolate/keeper.hpp>
#include <harness/isolate/spawner_link.hpp>
#include <harness/support/text.hpp>
#include <map>
#include <set>

namespace relapse {

using Clock = std::chrono::steady_clock;

// Each holds LibTorch and what it loaded: with libtorch_cuda close to a gigabyte of address space.
constexpr int kMostZygotes = 6;

struct Isolator::State {
  explicit State(IsolatorOptions given) : options(std::move(given)) {}

  Result<SpawnerLink*> spawner(const Request& request);
  Result<std::unique_ptr<SpawnerLink>> make_own(bool exec_each, const std::vector<std::string>& libraries);
  Result<void> hand_over(Attempt& attempt);

  void poll_once(Clock::time_point until);
  void act_on_clocks();
  void serve(SpawnerLink& link);
  void take(SpawnerLink& link, const Report& report);
  void refused(SpawnerLink& link, Attempt& attempt, const std::string& why);
  void lose(SpawnerLink& link);
  void signal(Attempt& attempt, int number);
  void finish(Attempt& attempt, Ending ending);

  SpawnerLink* link(std::uint64_t name);
  Attempt* attempt(AttemptId id);

  IsolatorOptions options;
  std::string folder =
      std::filesystem::current_path().string();  // for attempts of a server, which has another one
  InterruptWatch interrupts;
  std::optional<Keeper> keeper;  // outlives the links: it ends what they leave
  std::vector<std::unique_ptr<SpawnerLink>>
      links;                                   // one zygote for each set of libraries, and one that execs
  std::set<std::vector<std::string>> no_fork;  // sets whose zygote refused, died or could not be made
  std::map<AttemptId, Attempt> attempts;
  std::deque<IsolateEvent> events;
  std::uint64_t last_id = 0;
};

SpawnerLink* Isolator::State::link(std::uint64_t name) {
  auto found = std::find_if(links.begin(), links.end(), [&](auto& one) { return one->name == name; });
  return found == links.end() ? nullptr : found->get();
}

Attempt* Isolator::State::attempt(AttemptId id) {
  auto found = attempts.find(id);
  return found == attempts.end() ? nullptr : &found->second;
}

// ---- starting
// ------------------------------------------------------------------------------------------------------

/// The spawner for the next attempt, made now if there is none.
Result<SpawnerLink*> Isolator::State::spawner(const Request& request) {
  const std::vector<std::string>& libraries = request.libraries;
  const bool exec_each =
      options.spawn == SpawnMode::exec || no_fork.count(libraries) > 0 || !request.wrapper.empty();
  int zygotes = 0;
  for (auto& one : links) {
    if (exec_each ? one->kind == LinkKind::exec_each
                  : one->kind != LinkKind::exec_each && one->libraries == libraries)
      return one.get();
    zygotes += one->kind == LinkKind::zygote ? 1 : 0;
  }
  // A server's zygote was started without the switches and libraries that are wanted here.
  if (!exec_each && !options.server_socket.empty() && options.zygote_environment.empty() &&
      libraries.empty()) {
    if (auto served = link_to_server(options.server_socket, ++last_id)) {
      links.push_back(std::move(served));
      return links.back().get();
    }
  }
  if (!exec_each && zygotes >= kMostZygotes) {
    no_fork.insert(libraries);
    events.push_back(
        SpawnerLost{fmt::format("{} zygotes run already; attempts with {} get a process of their own",
                                zygotes, join(libraries, ", "))});
    return spawner(request);
  }
  auto own = make_own(exec_each, libraries);
  if (!own && !exec_each && !libraries.empty()) {
    // A library that ends the process which loads it must not end the run: each attempt finds out for itself.
    no_fork.insert(libraries);
    events.push_back(SpawnerLost{own.error().message});
    return spawner(request);
  }
  if (!own) return tl::make_unexpected(own.error());
  if (!exec_each) (*own)->libraries = libraries;
  links.push_back(std::move(*own));
  return links.back().get();
}

Result<std::unique_ptr<SpawnerLink>> Isolator::State::make_own(bool exec_each,
                                                               const std::vector<std::string>& libraries) {
  SpawnOrder order{++last_id, exec_each, options.worker, exec_each ? std::vector<std::string>{} : libraries,
                   options.zygote_environment};
  if (Result<void> runnable = check_worker(order.worker); !runnable)
    return tl::make_unexpected(runnable.error());
  if (keeper && !keeper->alive()) keeper.reset();
  if (!keeper) {
    auto started = Keeper::start();
    if (!started) return tl::make_unexpected(started.error());
    keeper.emplace(std::move(*started));
  }
  return make_link(*keeper, order, &interrupts);
}

Result<void> Isolator::State::hand_over(Attempt& attempt) {
  for (;;) {
    auto chosen = spawner(attempt.request());
    if (!chosen) return tl::make_unexpected(chosen.error());
    SpawnerLink& to = **chosen;
    PipeWriters writers;
    if (!attempt.open_pipes(writers))
      return fail(
          ErrorKind::infrastructure,
          fmt::format(
              "no pipes for an attempt can be made: {}. Raise the limit on open files (ulimit -n), or "
              "run fewer at once (-j).",
              std::strerror(errno)));
    StartOrder order{attempt.id(), {}, to_line(attempt.request())};
    if (to.kind == LinkKind::server) order.folder = folder;
    Sent sent = to.send(order, writers.fds());
    if (sent == Sent::yes) {
      attempt.spawner = to.name;
      return {};
    }
    if (sent == Sent::closed) {
      // It died since it was last heard of. Its successor is of another kind, or its start is an error: this
      // ends.
      lose(to);
      continue;
    }
    return fail(ErrorKind::infrastructure,
                fmt::format("{} checks of {} are too many for one request; ask for fewer at once.",
                            attempt.request().checks.size(), relapse::quoted(attempt.request().case_id)));
  }
}

// ---- what the spawners say
// -----------------------------------------------------------------------------------------

void Isolator::State::serve(SpawnerLink& from) {
  for (;;) {
    Packet packet;
    Arrival arrival = receive_packet(from.control.get(), packet);
    if (arrival == Arrival::none) return;
    Report report;
    std::string why;
    if (arrival == Arrival::closed || !from_packet(packet.text, report, why)) return lose(from);
    take(from, report);
  }
}

void Isolator::State::take(SpawnerLink& from, const Report& report) {
  if (auto* started = std::get_if<StartedReport>(&report)) {
    if (Attempt* one = attempt(started->attempt)) {
      one->pid = started->pid;
      one->clock().started(Clock::now());
      events.push_back(AttemptStarted{one->id(), one->pid});
    }
  } else if (auto* refusal = std::get_if<RefusedReport>(&report)) {
    if (Attempt* one = attempt(refusal->attempt)) refused(from, *one, refusal->why);
  } else if (auto* ended = std::get_if<EndedReport>(&report)) {
    if (Attempt* one = attempt(ended->attempt)) {
      for (AttemptLine& line : one->read_rest()) events.push_back(std::move(line));
      finish(*one, one->ended(*ended));
    }
  }
}

void Isolator::State::refused(SpawnerLink& from, Attempt& one, const std::string& why) {
  const bool first = from.kind == LinkKind::exec_each || no_fork.insert(from.libraries).second;
  if (first) events.push_back(SpawnerLost{why});
  if (from.kind != LinkKind::exec_each) {
    Result<void> again = hand_over(one);
    if (again) return;
    events.push_back(SpawnerLost{again.error().message});
  }
  finish(one, one.lost());
}

void Isolator::State::lose(SpawnerLink& gone) {
  std::string why;
  if (gone.kind == LinkKind::server) {
    why = "the zygote of the server is gone";
    options.server_socket.clear();  // the next attempts get an own zygote
  } else {
    std::optional<int> status;
    if (keeper) status = keeper->spawner_status(gone.name, std::chrono::seconds(2));
    why = fmt::format("{} {}. {}", gone.kind == LinkKind::zygote ? "the zygote" : "the spawner",
                      status ? status_text(*status) : "is gone", gone.printed());
    if (gone.kind == LinkKind::zygote) no_fork.insert(gone.libraries);
  }
  events.push_back(SpawnerLost{std::move(why)});
  std::vector<AttemptId> with_it;
  for (auto& [id, one] : attempts)
    if (one.spawner == gone.name) with_it.push_back(id);
  for (AttemptId id : with_it) {
    Attempt& one = attempts.at(id);
    for (AttemptLine& line : one.read_rest()) events.push_back(std::move(line));
    finish(one, one.lost());
  }
  std::erase_if(links, [&](auto& each) { return each.get() == &gone; });
}

void Isolator::State::finish(Attempt& one, Ending ending) {
  AttemptId id = one.id();
  attempts.erase(id);
  events.push_back(AttemptEnded{id, std::move(ending)});
}

// ---- time
// ----------------------------------------------------------------------------------------------------------

void Isolator::State::signal(Attempt& one, int number) {
  if (SpawnerLink* to = link(one.spawner)) to->send(SignalOrder{one.id(), number});
}

void Isolator::State::act_on_clocks() {
  Clock::time_point now = Clock::now();
  std::vector<AttemptId> given_up;
  for (auto& [id, one] : attempts) {
    if (one.memory_exceeded(now)) one.clock().kill(EndCause::memory, now);
    switch (one.clock().due(now)) {
      case EndingClock::Act::none:
        break;
      case EndingClock::Act::terminate:
        signal(one, SIGTERM);
        break;
      case EndingClock::Act::kill:
        signal(one, SIGKILL);
        break;
      case EndingClock::Act::give_up:
        given_up.push_back(id);
        break;
    }
  }
  for (AttemptId id : given_up) {
    Attempt& one = attempts.at(id);
    for (AttemptLine& line : one.read_rest()) events.push_back(std::move(line));
    finish(one, one.unkillable());
  }
}

void Isolator::State::poll_once(Clock::time_point until) {
  std::vector<pollfd> fds;
  std::vector<std::uint64_t> names;  // of links, in front
  for (auto& one : links) {
    fds.push_back({one->control.get(), POLLIN, 0});
    names.push_back(one->name);
  }
  for (auto& one : links)
    if (one->errors) fds.push_back({one->errors.get(), POLLIN, 0});
  std::size_t first_pipe = fds.size();
  std::vector<AttemptId> owners;
  for (auto& [id, one] : attempts) {
    until = std::min(until, one.clock().next());
    if (one.memory_watched()) until = std::min(until, Clock::now() + kMemoryPeriod);
    if (one.pid == 0) continue;  // its lines come after its start
    for (int fd : one.open_fds()) {
      fds.push_back({fd, POLLIN, 0});
      owners.push_back(id);
    }
  }
  if (!interrupts.wait(fds, until)) return;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (fds[i].revents)
      if (SpawnerLink* ready = link(names[i])) serve(*ready);
  for (auto& one : links) one->listen();
  AttemptId last = 0;
  for (std::size_t i = 0; i < owners.size(); ++i) {
    if (!fds[first_pipe + i].revents || owners[i] == last) continue;
    last = owners[i];
    if (Attempt* one = attempt(last))
      for (AttemptLine& line : one->read_some()) events.push_back(std::move(line));
  }
}

// ---- the interface
// -------------------------------------------------------------------------------------------------

Isolator::Isolator(std::unique_ptr<State> state) : state_(std::move(state)) {}
Isolator::Isolator(Isolator&&) noexcept = default;
Isolator& Isolator::operator=(Isolator&&) noexcept = default;
Isolator::~Isolator() = default;

Result<Isolator> Isolator::create(IsolatorOptions options) {
  return Isolator(std::make_unique<State>(std::move(options)));
}

Result<AttemptId> Isolator::start(const Request& request, const AttemptLimits& limits) {
  State& state = *state_;
  AttemptId id = ++state.last_id;
  Attempt attempt(id, request, limits);
  if (Result<void> handed = state.hand_over(attempt); !handed) return tl::make_unexpected(handed.error());
  state.attempts.emplace(id, std::move(attempt));
  return id;
}

void Isolator::stop(AttemptId id, EndCause cause) {
  if (Attempt* one = state_->attempt(id)) one->clock().ask(cause, Clock::now());
}

std::optional<IsolateEvent> Isolator::next(Clock::time_point until) {
  State& state = *state_;
  for (bool late = false;; late = Clock::now() >= until) {
    if (int number = state.interrupts.take()) return Interrupted{number};
    if (!state.events.empty()) {
      IsolateEvent event = std::move(state.events.front());
      state.events.pop_front();
      return event;
    }
    if (late) return std::nullopt;
    state.act_on_clocks();
    if (state.events.empty()) state.poll_once(until);
  }
}

std::size_t Isolator::running() const {
  auto told = std::count_if(state_->events.begin(), state_->events.end(), [](const IsolateEvent& event) {
    return std::holds_alternative<AttemptEnded>(event);
  });
  return state_->attempts.size() + std::size_t(told);
}

}  // namespace relapse
